//! Tools of the low-level `Server`: an entry in a list, and a branch in the handler that all of them share.

use tree_sitter::Node;

use super::register::{answer, description};
use super::shape::{self, pair, push_back, push_front};
use super::{Added, Argument, Context, NewTool, handler};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, bare, children, is_function, span, statement};
use crate::render::{Change, Refused};

/// The object that lists a tool.
fn listed<'t>(script: &'t Script, at: Span) -> Result<Node<'t>, Refused> {
    script.node(at).map(bare).filter(|node| node.kind() == "object").ok_or_else(|| {
        script.refuse(script.tree.root_node(), "a tool's entry in the list was not found", "give it the handle by hand")
    })
}

fn handler_of<'t>(script: &'t Script, tool: &ToolUse) -> Result<Node<'t>, Refused> {
    script.node(tool.handler.span).filter(|node| is_function(*node)).ok_or_else(|| {
        script.refuse(script.tree.root_node(), "the handler was not found", "give the tool the argument by hand")
    })
}

/// Adds an argument to a listed tool. The handler's own parameters are seen to by [`context`].
pub fn add_argument(script: &Script, handled: &Script, tool: &ToolUse, argument: &Argument) -> Result<Added, Refused> {
    let entry = tool.entry.as_ref().map(|entry| entry.span).unwrap_or_default();
    let entry = listed(script, entry)?;
    let style = &script.style;
    let property = format!(
        "{}: {{ type: {}, description: {} }}",
        argument.name,
        style.string("string"),
        style.string(&argument.description)
    );
    let required = style.string(&argument.name);
    let schema = pair(script, entry, "inputSchema").and_then(|pair| pair.child_by_field_name("value")).map(bare);
    let mut changes = Vec::new();
    match schema {
        None => changes.push(push_back(
            script,
            entry,
            &format!(
                "inputSchema: {{ type: {}, properties: {{ {property} }}, required: [{required}] }}",
                style.string("object")
            ),
        )),
        Some(schema) if schema.kind() == "object" => {
            let value =
                |key: &str| pair(script, schema, key).and_then(|pair| pair.child_by_field_name("value")).map(bare);
            match (value("properties"), value("required")) {
                (Some(properties), required_list) if properties.kind() == "object" => {
                    changes.push(push_front(script, properties, &property));
                    match required_list {
                        Some(list) if list.kind() == "array" => changes.push(match children(list).first() {
                            Some(first) => script
                                .change(Span::new(first.start_byte(), first.start_byte()), format!("{required}, ")),
                            None => script.change(span(list), format!("[{required}]")),
                        }),
                        Some(list) => return Err(unclear(script, list)),
                        None => changes.push(push_back(script, schema, &format!("required: [{required}]"))),
                    }
                }
                (None, None) => changes.push(push_back(
                    script,
                    schema,
                    &format!("properties: {{ {property} }}, required: [{required}]"),
                )),
                _ => return Err(unclear(script, schema)),
            }
        }
        Some(schema) => return Err(unclear(script, schema)),
    }
    let handler = handler_of(handled, tool)?;
    let arguments = arguments(handled, handler)?;
    Ok(Added { changes, name: format!("{arguments}.{}", argument.name), auth: None })
}

fn unclear(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(node, "this schema is not written out", "write its properties here, or add the handle to it by hand")
}

/// The changes of a dispatching handler's context parameter.
pub fn context(script: &Script, tool: &ToolUse, context: &Context) -> Result<(Vec<Change>, Option<String>), Refused> {
    handler::context(script, handler_of(script, tool)?, 1, context)
}

/// How the handler names the arguments of the call.
fn arguments(script: &Script, handler: Node<'_>) -> Result<String, Refused> {
    let mut found = None;
    let mut stack = vec![handler];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "pair_pattern" => {
                let key = node.child_by_field_name("key").map(|key| script.of(key));
                let value = node.child_by_field_name("value");
                if let (Some("arguments"), Some(value)) = (key, value) {
                    let (name, default) = match value.kind() {
                        "assignment_pattern" => (value.child_by_field_name("left").unwrap_or(value), true),
                        _ => (value, false),
                    };
                    found.get_or_insert(format!("{}{}", script.of(name), if default { "" } else { "?" }));
                }
            }
            "variable_declarator" => {
                let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier");
                let value = node.child_by_field_name("value");
                if let (Some(name), Some(value)) = (name, value)
                    && is_arguments(script, value)
                {
                    let sure = script.of(value).contains("??")
                        || script.of(value).contains("||")
                        || script.of(value).contains(" as ");
                    found.get_or_insert(format!("{}{}", script.of(name), if sure { "" } else { "?" }));
                }
            }
            _ => {}
        }
        stack.extend(children(node));
    }
    if let Some(found) = found {
        return Ok(found);
    }
    let parameters = handler.child_by_field_name("parameters").map(children).unwrap_or_default();
    match parameters.first().map(|first| handler::pattern(*first)) {
        Some(first) if first.kind() == "identifier" => Ok(format!("{}.params.arguments?", script.of(first))),
        _ => Err(script.refuse(
            handler,
            "how it names the arguments of a call was not found",
            "give it the handle by hand",
        )),
    }
}

/// `request.params.arguments`, through casts and defaults.
fn is_arguments(script: &Script, value: Node<'_>) -> bool {
    let value = bare(value);
    match value.kind() {
        "member_expression" => script.of(value).replace('?', "").ends_with("params.arguments"),
        "binary_expression" => value.child_by_field_name("left").is_some_and(|left| is_arguments(script, left)),
        _ => false,
    }
}

/// Adds a tool before or behind another one's entry in the list, and dispatches it.
pub fn insert(
    script: &Script,
    handled: &Script,
    beside: &ToolUse,
    before: bool,
    tool: &NewTool,
    ahead: Option<Span>,
) -> Result<Vec<Change>, Refused> {
    let entry = listed(script, beside.entry.as_ref().map(|entry| entry.span).unwrap_or_default())?;
    let style = &script.style;
    let (newline, indent) = (style.newline, script.indentation(entry));
    let fields = fields(script, tool);
    let text = format!("{{\n{}}}", fields.iter().map(|field| format!("\t{field},\n")).collect::<String>());
    let text = script.indented(&style.dress(&text), indent);
    let own_line = script.text()[script.line_start(entry.start_byte())..entry.start_byte()].trim().is_empty();
    let glue = if own_line { format!("{newline}{indent}") } else { " ".to_owned() };
    let mut out = vec![if before {
        script.change(Span::new(entry.start_byte(), entry.start_byte()), format!("{text},{glue}"))
    } else {
        script.change(Span::new(entry.end_byte(), entry.end_byte()), format!(",{glue}{text}"))
    }];
    out.push(branch(handled, beside, tool, ahead)?);
    Ok(out)
}

fn fields(script: &Script, tool: &NewTool) -> Vec<String> {
    let string = |text: &str| script.style.string(text);
    let properties: Vec<String> =
        tool.parameters.iter().map(|parameter| shape::json_parameter(script, parameter)).collect();
    let required: Vec<String> = tool
        .parameters
        .iter()
        .filter(|parameter| matches!(parameter.kind, super::Kind::Handle(_)))
        .map(|parameter| string(&parameter.name))
        .collect();
    let object = |properties: &[String], required: &[String]| {
        let inside = if properties.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", properties.join(", ")) };
        let required =
            if required.is_empty() { String::new() } else { format!(", required: [{}]", required.join(", ")) };
        format!("{{ type: {}, properties: {inside}{required} }}", string("object"))
    };
    let mut out = vec![
        format!("name: {}", string(&tool.name)),
        match tool.description.len() {
            1 => format!("description: {}", description(script, tool, "")),
            _ => format!("description:\n\t\t{}", description(script, tool, "\t\t")),
        },
        format!("inputSchema: {}", object(&properties, &required)),
    ];
    if !tool.structured.is_empty() {
        let properties: Vec<String> =
            tool.structured.iter().map(|name| format!("{name}: {{ type: {} }}", string("string"))).collect();
        let required: Vec<String> = tool.structured.iter().map(|name| string(name)).collect();
        out.push(format!("outputSchema: {}", object(&properties, &required)));
    }
    out
}

/// The branch that runs a new tool: a case of the switch where the other's is, else a statement of its own before `ahead`.
fn branch(script: &Script, beside: &ToolUse, tool: &NewTool, ahead: Option<Span>) -> Result<Change, Refused> {
    let handler = handler_of(script, beside)?;
    let style = &script.style;
    let name = style.string(&tool.name);
    let (place, subject) = dispatching(script, handler, &beside.name).ok_or_else(|| {
        script.refuse(handler, "where it tells the tools apart was not found", "dispatch the new tool by hand")
    })?;
    let ahead = ahead.filter(|ahead| {
        let earlier = (ahead.start as usize) < place.start_byte();
        earlier && ahead.start as usize > handler.start_byte()
    });
    let mut body = Vec::new();
    if !tool.parameters.is_empty() {
        let arguments = arguments(script, handler)?;
        let arguments = arguments.trim_end_matches('?');
        let names: Vec<String> = tool
            .parameters
            .iter()
            .map(|parameter| match &parameter.kind {
                super::Kind::Text(default) => format!("{} = {default}", parameter.name),
                _ => parameter.name.clone(),
            })
            .collect();
        body.push(format!("const {{ {} }} = {arguments};", names.join(", ")));
    }
    body.extend(tool.body.iter().cloned());
    body.extend(answer(script, tool).lines().map(str::to_owned));
    let is_case = place.kind() == "switch_case" && ahead.is_none();
    let inside: String = body.iter().map(|line| format!("\t{line}\n")).collect();
    let text = if is_case {
        format!("case {name}: {{\n{inside}}}")
    } else {
        format!("if ({subject} === {name}) {{\n{inside}}}")
    };
    let at = match ahead.and_then(|ahead| script.around(ahead)) {
        Some(node) => statement(node),
        None if is_case => place,
        None => statement(place),
    };
    let indent = script.indentation(at);
    let text = script.indented(&style.dress(&text), indent);
    let start = script.line_start(at.start_byte());
    Ok(script.change(Span::new(start, start), format!("{indent}{text}{}", style.newline)))
}

/// The case, or the `if`, that runs a tool, and the expression that it compares with the tool's name.
fn dispatching<'t>(script: &'t Script, handler: Node<'t>, tool: &str) -> Option<(Node<'t>, &'t str)> {
    let is_name = |node: Node<'_>| node.kind() == "string" && script.of(node).trim_matches(['\'', '"']) == tool;
    let mut stack = vec![handler];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "switch_case" if node.child_by_field_name("value").is_some_and(is_name) => {
                let switch = node.parent()?.parent()?;
                let subject = script.of(switch.child_by_field_name("value")?);
                return Some((node, subject.trim_start_matches('(').trim_end_matches(')')));
            }
            "if_statement" => {
                let condition = node.child_by_field_name("condition").map(bare)?;
                let (left, right) = (condition.child_by_field_name("left"), condition.child_by_field_name("right"));
                if let (Some(left), Some(right)) = (left, right)
                    && is_name(right)
                {
                    return Some((node, script.of(left)));
                }
            }
            _ => {}
        }
        let mut inner = children(node);
        inner.reverse();
        stack.extend(inner);
    }
    None
}
