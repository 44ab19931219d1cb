//! A tool that does not exist yet, registered like the one beside it.

use tree_sitter::Node;

use super::parameters::{Handed, Like};
use super::reach::{Helped, lost, property_of_entry, reach, table_entry};
use super::register::{handler_of, read};
use super::{Kind, NewTool, Parameter, home, literal, schema, sdk, table};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, children, enclosing_function};
use crate::render::typescript::scripts::{Code, Scripts, mentions, property};
use crate::render::{Change, Refused};

/// Adds a tool before or behind the registration of another, where it runs once and whenever one of `all` is registered.
pub fn insert(
    scripts: &Scripts<'_>,
    beside: &ToolUse,
    all: &[ToolUse],
    before: bool,
    tool: &NewTool,
) -> Result<Vec<Change>, Refused> {
    let registration = read(scripts, beside)?;
    let handler = handler_of(scripts, beside)?;
    let callback = registration.call.to(registration.arguments[registration.arguments.len() - 1]);
    if reach(scripts, callback, handler).is_none() {
        let helped = Helped::of(scripts, registration.call, handler);
        let direct = property_of_entry(callback).is_some()
            || callback.node.kind() == "identifier"
            || helped.is_some_and(|helped| helped.parameter(callback).is_some());
        let answers = if direct { Some(Answers::Result) } else { answers_of(scripts, beside)? };
        let Some(answers) = answers else {
            return Err(callback.refuse(
                "what the handlers of these tools have to answer can't be told",
                "add the tool by hand, in the way of the others",
            ));
        };
        let alone = NewTool { text_alone: answers == Answers::Text, ..tool.clone() };
        let tool = if answers == Answers::Text { &alone } else { tool };
        return match (helped, table_entry(handler)) {
            (Some(helped), _) => {
                let home = home::of(scripts, beside, all, before)?;
                call_again(helped.call, &home, handler, beside, tool)
            }
            (None, Some(entry)) => table::insert(scripts, &registration, entry, (beside, handler), before, tool),
            (None, None) => Err(lost(callback)),
        };
    }
    let chained = registration.receiver.kind() == "call_expression";
    if chained {
        return Err(registration.call.refuse(
            "the tools are registered in one chain of calls",
            "register each in a statement of its own, and run again",
        ));
    }
    let home = home::of(scripts, beside, all, before)?;
    let script = home.statement.script;
    let text = text(script, &home.receiver, registration.method, tool);
    let mut changes = beside_statement(script, home.statement.node, home.before, &text);
    changes.extend(zod_import(script, tool));
    Ok(changes)
}

/// What a tool's own function answers, if others call it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// The answer of the tool.
    Result,
    /// Its text.
    Text,
}

/// What becomes of what the function is called for: by all calls alike, else it is not known.
pub fn answers_of(scripts: &Scripts<'_>, tool: &ToolUse) -> Result<Option<Answers>, Refused> {
    let mut found = None;
    for call in tool.body.iter().flat_map(|body| &body.calls) {
        let (script, node) = scripts.expression(call)?;
        let mut outer = node;
        while let Some(parent) =
            outer.parent().filter(|parent| matches!(parent.kind(), "await_expression" | "parenthesized_expression"))
        {
            outer = parent;
        }
        let parent = outer.parent();
        let answers = match parent.map(|parent| parent.kind()) {
            Some("return_statement" | "arrow_function") => Answers::Result,
            Some("pair") => {
                let key = parent.and_then(|pair| pair.child_by_field_name("key"));
                if key.is_none_or(|key| script.of(key) != "text") {
                    return Ok(None);
                }
                Answers::Text
            }
            Some("variable_declarator") => match parent.and_then(|declarator| answered(script, declarator)) {
                Some(answers) => answers,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        if found.is_some_and(|known| known != answers) {
            return Ok(None);
        }
        found = Some(answers);
    }
    Ok(found)
}

/// What a variable is the answer of that is used only once: `text: reply`, `{ type: 'text', text }`, `return reply`.
fn answered(script: &Script, declarator: Node<'_>) -> Option<Answers> {
    let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    let function = enclosing_function(declarator)?;
    let used = mentions(script, function, script.of(name)).into_iter().filter(|used| *used != name);
    let [used] = used.collect::<Vec<_>>()[..] else { return None };
    let parent = used.parent()?;
    match parent.kind() {
        "return_statement" => Some(Answers::Result),
        "pair" => (script.of(parent.child_by_field_name("key")?) == "text").then_some(Answers::Text),
        "object" => (script.of(used) == "text").then_some(Answers::Text),
        _ => None,
    }
}

/// One more call of a helper that registers tools, argument by argument like another.
fn call_again(
    call: Code<'_>,
    home: &home::Home<'_>,
    handler: Code<'_>,
    beside: &ToolUse,
    tool: &NewTool,
) -> Result<Vec<Change>, Refused> {
    let script = call.script;
    let function = call.node.child_by_field_name("function").map(|function| script.of(function)).unwrap_or_default();
    let listed = call.node.child_by_field_name("arguments").map(children).unwrap_or_default();
    let mut texts = Vec::new();
    let mut described = false;
    for argument in listed {
        let written = script.of(argument);
        let text = match argument.kind() {
            _ if argument == handler.node => {
                arrow(script, tool, is_annotated(handler), Some(Like::of(beside, handler))).replace('\n', "\n\t")
            }
            "string" if written.trim_matches(['\'', '"']) == beside.name => script.style.string(&tool.name),
            "string" | "template_string" | "binary_expression" if !described => {
                described = true;
                description(script, tool, "\t\t")
            }
            "identifier" | "this" | "member_expression" => written.to_owned(),
            "object" if property(call.to(argument), "description").is_some() => configuration(script, tool),
            "object" | "null" | "undefined" => inputs(script, tool).unwrap_or_else(|| schema::alone(script, &[])),
            _ => {
                return Err(script.refuse(
                    argument,
                    "what this would be for a new tool can't be told",
                    "add the tool by hand, in the way of the others",
                ));
            }
        };
        texts.push(format!("\t{text}"));
    }
    let comma = if script.style.trailing_commas { "," } else { "" };
    let text = format!("{function}(\n{}{comma}\n);", texts.join(",\n"));
    let mut changes = beside_statement(script, home.statement.node, home.before, &text);
    changes.extend(zod_import(script, tool));
    Ok(changes)
}

/// The import of the schema library, where the new tool needs it.
pub fn zod_import(script: &Script, tool: &NewTool) -> Vec<Change> {
    if tool.parameters.is_empty() && tool.structured.is_empty() { Vec::new() } else { sdk::zod_import(script) }
}

/// A statement before or behind another, a blank line between.
fn beside_statement(script: &Script, statement: Node<'_>, before: bool, text: &str) -> Vec<Change> {
    let newline = script.style.newline;
    let indent = script.indentation(statement);
    let text = script.indented(&script.style.dress(text), indent);
    if before {
        let at = script.line_start(script.with_comments(statement));
        return vec![script.change(Span::new(at, at), format!("{indent}{text}{newline}{newline}"))];
    }
    // Automatic semicolons belong to nobody, written ones to the statement.
    let end = statement.end_byte();
    let end = if script.text()[end..].starts_with(';') { end + 1 } else { end };
    let rest = &script.text()[end..script.line_end(end)];
    let end = if rest.trim_start().starts_with("//") { end + rest.trim_end().len() } else { end };
    let next = script.text()[script.line_end(end)..].lines().next().unwrap_or_default().trim();
    let gap = if next.is_empty() || next.starts_with('}') { "" } else { newline };
    vec![script.change(Span::new(end, end), format!("{newline}{newline}{indent}{text}{gap}"))]
}

fn text(script: &Script, receiver: &str, method: &str, tool: &NewTool) -> String {
    let comma = if script.style.trailing_commas { "," } else { "" };
    let name = script.style.string(&tool.name);
    let function = arrow(script, tool, false, None);
    let function = function.replace('\n', "\n\t");
    let mut out = format!("{receiver}.{method}(\n\t{name},\n");
    if method == "registerTool" {
        out.push_str(&format!("\t{},\n", configuration(script, tool)));
    } else {
        out.push_str(&format!("\t{},\n", description(script, tool, "\t\t")));
        out.extend(inputs(script, tool).map(|shape| format!("\t{shape},\n")));
    }
    out.push_str(&format!("\t{function}{comma}\n);"));
    out
}

/// The configuration of a new tool, one tab deep.
fn configuration(script: &Script, tool: &NewTool) -> String {
    let comma = if script.style.trailing_commas { "," } else { "" };
    let mut entries = vec![format!("description:{}", described(script, tool, 2))];
    entries.extend(inputs(script, tool).map(|shape| format!("inputSchema: {shape}")));
    entries.extend(outputs(script, tool).map(|shape| format!("outputSchema: {shape}")));
    format!("{{\n\t\t{}{comma}\n\t}}", entries.join(",\n\t\t"))
}

/// The schema of a new tool's arguments.
pub fn inputs(script: &Script, tool: &NewTool) -> Option<String> {
    let entries: Vec<String> = tool.parameters.iter().map(|parameter| schema::parameter(script, parameter)).collect();
    (!entries.is_empty()).then(|| schema::alone(script, &entries))
}

/// The schema of what a new tool answers.
fn outputs(script: &Script, tool: &NewTool) -> Option<String> {
    let z = sdk::zod(script);
    let kind = |name: &String| match tool.parameters.iter().find(|parameter| parameter.name == *name) {
        Some(Parameter { kind: Kind::Same(schema), .. }) => schema.clone(),
        _ if tool.lists => format!("{z}.array({z}.string())"),
        _ => format!("{z}.string()"),
    };
    let entries: Vec<String> =
        tool.structured.iter().map(|name| format!("{}: {}", schema::key(script, name), kind(name))).collect();
    (!entries.is_empty()).then(|| schema::alone(script, &entries))
}

/// The handler of a new tool. `typed`: its parameters say their types themselves. `like`: it is handed what that of another tool is.
pub fn arrow(script: &Script, tool: &NewTool, typed: bool, like: Option<Like<'_>>) -> String {
    let (parameters, body) = signature(script, tool, typed, like);
    let waits = !tool.text_alone || body.contains("await ");
    format!("{}({parameters}) => {{\n{body}}}", if waits { "async " } else { "" })
}

/// The parameters of a new tool's handler, and its statements, one tab deep.
pub fn signature(script: &Script, tool: &NewTool, typed: bool, like: Option<Like<'_>>) -> (String, String) {
    let Handed { before, after, first } = like.map(|like| like.handed(&tool.body, typed)).unwrap_or_default();
    let second = sdk::is_second(script);
    let (extra, auth) = if second { ("ctx", "ctx.http?.authInfo") } else { ("extra", "extra.authInfo") };
    let own = "authInfo?: Parameters<typeof ownerOf>[0]";
    let extra = match (typed, second) {
        (false, _) => extra.to_owned(),
        (true, false) => format!("{extra}: {{ {own} }}"),
        (true, true) => format!("{extra}: {{ http?: {{ {own} }} }}"),
    };
    let body = first.iter().chain(&tool.body).map(String::as_str).collect::<Vec<_>>().join("\n");
    let owned = body.contains("{auth}");
    // Nothing says of what type the answer is where the parameters have to say it themselves.
    let answer = if typed { answer(script, tool, " as const") } else { answer(script, tool, "") };
    let body = format!("{}\n{answer}", body.replace("{auth}", auth));
    let body: String = body.trim_start_matches('\n').lines().map(|line| format!("\t{line}\n")).collect();
    let names: Vec<&str> = tool.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let members: Vec<String> =
        tool.parameters.iter().map(|parameter| format!("{}: {}", parameter.name, type_of(parameter))).collect();
    let of_type = if typed { format!(": {{ {} }}", members.join("; ")) } else { String::new() };
    let unused = || if typed { "_args: unknown" } else { "_args" }.to_owned();
    let arguments = match names.as_slice() {
        [] if after.is_empty() => None,
        [] => Some(unused()),
        names => Some(format!("{{ {} }}{of_type}", names.join(", "))),
    };
    let extra = (owned && after.is_empty()).then_some(extra);
    let takes = arguments.is_some() || extra.is_some();
    let before = before.into_iter().filter(|_| takes);
    let parameters: Vec<String> = before.chain(arguments).chain(after).chain(extra).collect();
    (parameters.join(", "), body)
}

/// The type of a parameter in a handler that writes out its types.
fn type_of(parameter: &Parameter) -> &'static str {
    match &parameter.kind {
        Kind::Same(schema) if schema.contains(".number()") || schema.contains(".int()") => "number",
        Kind::Same(schema) if schema.contains(".boolean()") => "boolean",
        _ => "string",
    }
}

/// A description behind its key: on the same line where it fits, else one sentence a line.
pub fn described(script: &Script, tool: &NewTool, depth: usize) -> String {
    let deep = "\t".repeat(depth + 1);
    let text = description(script, tool, &deep);
    let wide = text.chars().count() + depth * 4 + 14 > literal::limit(script);
    if text.contains('\n') || wide { format!("\n{deep}{text}") } else { format!(" {text}") }
}

/// A description: texts, and templates where something is filled in, one a line behind `indent`.
pub fn description(script: &Script, tool: &NewTool, indent: &str) -> String {
    let last = tool.description.len().saturating_sub(1);
    let parts: Vec<String> = tool
        .description
        .iter()
        .enumerate()
        .map(|(index, part)| {
            let part = if index < last { format!("{part} ") } else { part.clone() };
            if part.contains("${") { format!("`{part}`") } else { script.style.string(&part) }
        })
        .collect();
    parts.join(&format!(" +\n{indent}"))
}

/// The statement that answers a call of a new tool. `kept` keeps the literal type of its kind.
pub fn answer(script: &Script, tool: &NewTool, kept: &str) -> String {
    let comma = if script.style.trailing_commas { "," } else { "" };
    if tool.text_alone {
        return format!("return `{}`;", tool.text);
    }
    let kind = script.style.string("text");
    let content = format!("content: [{{ type: {kind}{kept}, text: `{}` }}]", tool.text);
    if tool.structured.is_empty() {
        return format!("return {{ {content} }};");
    }
    format!("return {{\n\t{content},\n\tstructuredContent: {{ {} }}{comma}\n}};", tool.structured.join(", "))
}

/// Whether a function writes out the types of its parameters.
pub fn is_annotated(function: Code<'_>) -> bool {
    let parameters = function.node.child_by_field_name("parameters");
    parameters.is_some_and(|list| {
        function.script.of(list).contains(':') && {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).any(|parameter| parameter.child_by_field_name("type").is_some())
        }
    })
}
