//! Tools that are registered one by one: `registerTool(name, config, handler)` and the older `tool(name, …, handler)`.

use tree_sitter::Node;

use super::handler::{self, Takes};
use super::shape;
use super::{Added, Argument, Context, NewTool};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, children, is_function, statement};
use crate::render::{Change, Refused};

/// A registering call, taken apart.
struct Registration<'t> {
    /// Its statement.
    statement: Node<'t>,
    /// What it is called on.
    receiver: Node<'t>,
    /// `registerTool` or `tool`.
    method: &'t str,
    /// The configuration (`registerTool`).
    config: Option<Node<'t>>,
    /// The schema of the arguments, if it has one.
    schema: Option<Node<'t>>,
    /// The last argument.
    last: Node<'t>,
}

fn read<'t>(script: &'t Script, at: Span) -> Result<Registration<'t>, Refused> {
    let unknown = |node: Node<'_>| {
        script.refuse(node, "this way to register a tool is not known", "give the tool the argument by hand")
    };
    let root = script.tree.root_node();
    let call =
        script.node(at).map(|node| crate::render::typescript::script::bare(node)).ok_or_else(|| unknown(root))?;
    let call = if call.kind() == "expression_statement" { children(call)[0] } else { call };
    let parts = || {
        let callee = call.child_by_field_name("function")?;
        let receiver = callee.child_by_field_name("object")?;
        let method = script.of(callee.child_by_field_name("property")?);
        let arguments = children(call.child_by_field_name("arguments")?);
        let last = *arguments.last()?;
        Some((receiver, method, arguments, last))
    };
    let (receiver, method, arguments, last) = parts().ok_or_else(|| unknown(call))?;
    let (config, schema) = match (method, arguments.len()) {
        ("registerTool", 3) if arguments[1].kind() == "object" => {
            let pair = shape::pair(script, arguments[1], "inputSchema");
            let schema = pair.map(|pair| pair.child_by_field_name("value").unwrap_or(pair));
            (Some(arguments[1]), schema)
        }
        ("tool", 2..=5) => {
            let schema =
                arguments[1..arguments.len() - 1].iter().copied().find(|argument| is_schema(script, *argument));
            (None, schema)
        }
        _ => return Err(unknown(call)),
    };
    Ok(Registration { statement: statement(call), receiver, method, config, schema, last })
}

/// Whether an argument of `tool` is the shape of the arguments: no text, and no annotations.
fn is_schema(script: &Script, argument: Node<'_>) -> bool {
    match argument.kind() {
        "object" => {
            let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title"];
            !hints.iter().any(|hint| shape::pair(script, argument, hint).is_some())
        }
        "identifier" => shape::declared(script, script.of(argument)).is_some_and(|value| value.kind() == "object"),
        "member_expression" => script.of(argument).ends_with(".shape"),
        _ => false,
    }
}

/// Adds an argument to a registered tool.
pub fn add_argument(
    script: &Script,
    handled: &Script,
    tool: &ToolUse,
    argument: &Argument,
    context: &Context,
) -> Result<Added, Refused> {
    let registration = read(script, tool.registration.span)?;
    let handler = handled.node(tool.handler.span).filter(|node| is_function(*node)).ok_or_else(|| {
        script.refuse(registration.last, "the handler was not found", "give the tool the argument by hand")
    })?;
    let takes = if registration.schema.is_some() { Takes::Arguments } else { Takes::ContextAlone };
    let mut added = handler::add(handled, handler, takes, &argument.name, context)?;
    let entry = shape::zod_entry(script, argument);
    let change = match (registration.schema, registration.config) {
        (Some(schema), _) => shape::extend(script, schema, &entry)?,
        (None, Some(config)) => {
            let value = if wraps(script) {
                format!("{}.object({{ {entry} }})", shape::zod(script))
            } else {
                format!("{{ {entry} }}")
            };
            shape::push_back(script, config, &format!("inputSchema: {value}"))
        }
        (None, None) => {
            let at = registration.last.start_byte();
            script.change(Span::new(at, at), format!("{{ {entry} }}, "))
        }
    };
    added.changes.push(change);
    added.changes.extend(shape::zod_import(script));
    Ok(added)
}

/// Sees to the context of a registered tool's handler.
pub fn context(
    script: &Script,
    handled: &Script,
    tool: &ToolUse,
    context: &Context,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    let registration = read(script, tool.registration.span)?;
    let handler = handled.node(tool.handler.span).filter(|node| is_function(*node)).ok_or_else(|| {
        script.refuse(registration.last, "the handler was not found", "check who is calling by hand")
    })?;
    handler::context(handled, handler, usize::from(registration.schema.is_some()), context)
}

/// Whether a file writes the schemas of its tools as `z.object(…)`.
fn wraps(script: &Script) -> bool {
    let z = shape::zod(script);
    script.text().contains(&format!("inputSchema: {z}.object("))
}

/// Adds a tool before or behind the registration of another.
pub fn insert(script: &Script, beside: &ToolUse, before: bool, tool: &NewTool) -> Result<Vec<Change>, Refused> {
    let registration = read(script, beside.registration.span)?;
    let text = text(script, &registration, tool);
    let newline = script.style.newline;
    let statement = registration.statement;
    let indent = script.indentation(statement);
    let text = script.indented(&script.style.dress(&text), indent);
    Ok(vec![if before {
        // What stands right above the other one speaks of that.
        let from = script.removal(statement).start as usize;
        let at = if from < statement.start_byte() && !script.text()[from..].starts_with(['\n', '\r']) {
            from
        } else {
            script.line_start(statement.start_byte())
        };
        script.change(Span::new(at, at), format!("{indent}{text}{newline}{newline}"))
    } else {
        let at = statement.end_byte();
        script.change(Span::new(at, at), format!("{newline}{newline}{indent}{text}"))
    }])
}

fn text(script: &Script, registration: &Registration<'_>, tool: &NewTool) -> String {
    let style = &script.style;
    let comma = if style.trailing_commas { "," } else { "" };
    let receiver = script.of(registration.receiver);
    let name = style.string(&tool.name);
    let entries: Vec<String> =
        tool.parameters.iter().map(|parameter| shape::zod_parameter(script, parameter)).collect();
    let shape = format!("{{ {} }}", entries.join(", "));
    let shape = if wraps(script) { format!("{}.object({shape})", shape::zod(script)) } else { shape };
    let names: Vec<&str> = tool.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let body = tool.body.join("\n");
    let (extra, auth) = auth(script);
    let owned = body.contains("{auth}");
    let body = body.replace("{auth}", auth);
    let parameters = match (names.is_empty(), owned) {
        (true, false) => String::new(),
        (true, true) => extra.to_owned(),
        (false, false) => format!("{{ {} }}", names.join(", ")),
        (false, true) => format!("{{ {} }}, {extra}", names.join(", ")),
    };
    let answer = answer(script, tool);
    let depth = "\t";
    let body: String = body.lines().map(|line| format!("{depth}{depth}{line}\n")).collect();
    let answer: String = answer.lines().map(|line| format!("{depth}{depth}{line}\n")).collect();
    let mut out = format!("{receiver}.{}(\n{depth}{name},\n", registration.method);
    if registration.method == "registerTool" {
        let gap = if tool.description.len() > 1 { format!("\n{depth}{depth}{depth}") } else { " ".to_owned() };
        out.push_str(&format!(
            "{depth}{{\n{depth}{depth}description:{gap}{},\n",
            description(script, tool, "\t\t\t")
        ));
        if !entries.is_empty() {
            out.push_str(&format!("{depth}{depth}inputSchema: {shape},\n"));
        }
        if !tool.structured.is_empty() {
            let z = shape::zod(script);
            let entries: Vec<String> = tool.structured.iter().map(|name| format!("{name}: {z}.string()")).collect();
            let output = format!("{{ {} }}", entries.join(", "));
            let output = if wraps(script) { format!("{z}.object({output})") } else { output };
            out.push_str(&format!("{depth}{depth}outputSchema: {output}{comma}\n"));
        }
        if comma.is_empty() {
            let kept = out.trim_end().trim_end_matches(',').len();
            out.replace_range(kept.., "\n");
        }
        out.push_str(&format!("{depth}}},\n"));
    } else {
        out.push_str(&format!("{depth}{},\n", description(script, tool, "\t")));
        if !entries.is_empty() {
            out.push_str(&format!("{depth}{shape},\n"));
        }
    }
    out.push_str(&format!("{depth}async ({parameters}) => {{\n{body}{answer}{depth}}}{comma}\n);"));
    out
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

/// The statement that answers a call of a new tool.
pub fn answer(script: &Script, tool: &NewTool) -> String {
    let comma = if script.style.trailing_commas { "," } else { "" };
    let kind = script.style.string("text");
    let content = format!("content: [{{ type: {kind}, text: `{}` }}]", tool.text);
    if tool.structured.is_empty() {
        return format!("return {{ {content} }};");
    }
    format!("return {{\n\t{content},\n\tstructuredContent: {{ {} }}{comma}\n}};", tool.structured.join(", "))
}

/// The name of the context in a new handler, and who is calling.
fn auth(script: &Script) -> (&'static str, &'static str) {
    let modern = ["'@modelcontextprotocol/server", "\"@modelcontextprotocol/server"];
    if modern.iter().any(|source| script.text().contains(source)) {
        ("ctx", "ctx.http?.authInfo")
    } else {
        ("extra", "extra.authInfo")
    }
}
