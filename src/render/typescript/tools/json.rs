//! An argument more in a schema that is written as JSON, or made from a schema of zod.

use super::literal::{grow, limit, push_back, push_front, put_front};
use super::{Argument, Kind, NewTool, schema};
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration, mentions, property};
use crate::render::{Change, Refused};

/// The property of the argument.
fn entry(script: &Script, argument: &Argument) -> String {
    if argument.constant.as_deref() == Some(argument.name.as_str()) {
        return argument.name.clone();
    }
    let written = argument.constant.clone().or_else(|| argument.schema.clone());
    let value = written.unwrap_or_else(|| handle(script, &argument.description));
    format!("{}: {value}", schema::key(script, &argument.name))
}

fn handle(script: &Script, description: &str) -> String {
    format!("{{ type: {}, description: {} }}", script.style.string("string"), script.style.string(description))
}

/// The name among those that a caller has to give.
fn required(script: &Script, argument: &Argument) -> Option<String> {
    (!argument.optional).then(|| script.style.string(&argument.name))
}

fn object(script: &Script, properties: &[String], required: &[String]) -> String {
    let inside = if properties.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", properties.join(", ")) };
    let required = if required.is_empty() { String::new() } else { format!(", required: [{}]", required.join(", ")) };
    format!("{{ type: {}, properties: {inside}{required} }}", script.style.string("object"))
}

/// The same for a field of a new tool, over several lines where one is too short.
fn laid_out(script: &Script, properties: &[String], required: &[String]) -> String {
    let line = object(script, properties, required);
    if line.chars().count() + 24 <= limit(script) {
        return line;
    }
    let comma = if script.style.trailing_commas { "," } else { "" };
    let kind = script.style.string("object");
    let (properties, required) = (properties.join(", "), required.join(", "));
    format!("{{\n\t\ttype: {kind},\n\t\tproperties: {{ {properties} }},\n\t\trequired: [{required}]{comma}\n\t}}")
}

/// The schema of one argument of a tool that is listed in `listed`.
pub fn of_argument<'s>(scripts: &'s Scripts<'_>, listed: Code<'s>, name: &str) -> Option<Code<'s>> {
    let written = property(listed, "inputSchema")?.bare();
    let value = if written.node.kind() == "object" { written } else { scripts.value(written)?.bare() };
    property(property(value, "properties")?.bare(), name)
}

/// Adds the argument to the schema of a tool that is listed in `listed`.
pub fn extend<'s>(scripts: &'s Scripts<'_>, listed: Code<'s>, argument: &Argument) -> Result<Vec<Change>, Refused> {
    let script = listed.script;
    let Some(written) = property(listed, "inputSchema") else {
        let required: Vec<String> = required(script, argument).into_iter().collect();
        let schema = object(script, &[entry(script, argument)], &required);
        return Ok(push_back(script, listed.node, &format!("inputSchema: {schema}")));
    };
    let written = written.bare();
    match written.node.kind() {
        "object" => literal(written, argument),
        "call_expression" => made(scripts, written, argument),
        _ => named(scripts, written, argument),
    }
}

/// Lets the schema of a listed tool say that an argument has to be given.
pub fn require_listed<'s>(scripts: &'s Scripts<'_>, listed: Code<'s>, name: &str) -> Result<Vec<Change>, Refused> {
    let written = property(listed, "inputSchema").ok_or_else(|| unclear(listed))?.bare();
    let object = if written.node.kind() == "object" {
        written
    } else {
        scripts.value(written).ok_or_else(|| unclear(written))?.bare()
    };
    if object.node.kind() != "object" {
        return Err(unclear(written));
    }
    let script = object.script;
    let name = script.style.string(name);
    match property(object, "required").map(Code::bare) {
        Some(list) if list.node.kind() == "array" => {
            let there = children(list.node).iter().any(|entry| script.of(*entry) == name);
            Ok(if there { Vec::new() } else { vec![put_front(script, list.node, &name)] })
        }
        Some(list) => Err(unclear(list)),
        None => Ok(push_back(script, object.node, &format!("required: [{name}]"))),
    }
}

/// A schema that is written out.
fn literal(object: Code<'_>, argument: &Argument) -> Result<Vec<Change>, Refused> {
    let script = object.script;
    let (text, name) = (entry(script, argument), required(script, argument));
    let mut out = Vec::new();
    match property(object, "properties").map(Code::bare) {
        Some(properties) if properties.node.kind() == "object" => {
            if let Some(taken) = crate::render::typescript::scripts::entry(properties, &argument.name) {
                return Err(properties.to(taken).refuse(
                    format!("the tool has an argument {} already", argument.name),
                    "choose another name for the handle in the plan",
                ));
            }
            match object.text().contains('\n') {
                true => out.extend(push_front(script, properties.node, &text)),
                false => out.push(put_front(script, properties.node, &text)),
            }
        }
        Some(properties) if matches!(properties.node.kind(), "identifier" | "member_expression") => {
            out.push(script.change(span(properties.node), format!("{{ {text}, ...{} }}", properties.text())));
        }
        Some(properties) => return Err(unclear(properties)),
        None if children(object.node).iter().any(|entry| entry.kind() == "spread_element") => {
            return Err(unclear(object));
        }
        None if object.text().contains('\n') => {
            let indent = children(object.node).first().map_or("", |first| script.indentation(*first));
            let last = name.map(|name| format!(",{}{indent}required: [{name}]", script.style.newline));
            let both = format!("properties: {{ {text} }}{}", last.unwrap_or_default());
            return Ok(push_back(script, object.node, &both));
        }
        None => {
            let comma = if script.style.trailing_commas { "," } else { "" };
            let last = |glue: &str| name.as_ref().map(|name| format!(",{glue}required: [{name}]")).unwrap_or_default();
            let both = format!("properties: {{ {text} }}{}", last(" "));
            let kind =
                property(object, "type").map_or_else(|| script.style.string("object"), |kind| kind.text().to_owned());
            let lines = format!("{{\n\ttype: {kind},\n\tproperties: {{ {text} }}{}{comma}\n}}", last("\n\t"));
            let only_type = children(object.node).len() == usize::from(property(object, "type").is_some());
            if only_type {
                return Ok(schema::replaced(object, format!("{{ type: {kind}, {both} }}"), &lines));
            }
            return Ok(push_back(script, object.node, &both));
        }
    }
    let more = text.chars().count() + 2;
    let Some(name) = name else {
        out.extend(grow(script, object.node, more, None));
        return Ok(out);
    };
    out.extend(listed_first(object, &name, more)?);
    Ok(out)
}

/// Puts a name first among those that a schema requires; `more` characters are added beside it.
fn listed_first(object: Code<'_>, name: &str, more: usize) -> Result<Vec<Change>, Refused> {
    let script = object.script;
    let (mut out, mut missing) = (Vec::new(), None);
    match property(object, "required").map(Code::bare) {
        Some(list) if list.node.kind() == "array" => out.push(put_front(script, list.node, name)),
        Some(list) if matches!(list.node.kind(), "identifier" | "member_expression") => {
            out.push(script.change(span(list.node), format!("[{name}, ...{}]", list.text())));
        }
        Some(list) => return Err(unclear(list)),
        None => missing = Some(format!("required: [{name}]")),
    }
    let more = more + if missing.is_some() { 0 } else { name.chars().count() + 2 };
    out.extend(grow(script, object.node, more, missing.as_deref()));
    Ok(out)
}

/// Makes a property required that a schema has. A schema that takes over another requires what that one does as well.
pub fn require<'s>(scripts: &'s Scripts<'_>, object: Code<'s>, name: &str) -> Result<Vec<Change>, Refused> {
    let script = object.script;
    let name = script.style.string(name);
    let spread = children(object.node).into_iter().find(|entry| entry.kind() == "spread_element");
    let base = spread.and_then(|spread| children(spread).first().copied()).map(|base| object.to(base));
    match base.filter(|_| property(object, "required").is_none()) {
        Some(base) => {
            let value = scripts.value(base).ok_or_else(|| unclear(base))?.bare();
            let others = property(value, "required").map(|_| format!(", ...{}.required", base.text()));
            let entry = format!("required: [{name}{}]", others.unwrap_or_default());
            Ok(push_back(script, object.node, &entry))
        }
        None => listed_first(object, &name, 0),
    }
}

/// A schema that a constant holds.
fn named<'s>(scripts: &'s Scripts<'_>, written: Code<'s>, argument: &Argument) -> Result<Vec<Change>, Refused> {
    let value = scripts.value(written).ok_or_else(|| unclear(written))?.bare();
    if value.node.kind() == "call_expression" {
        return made(scripts, value, argument);
    }
    if value.node.kind() != "object" || property(value, "properties").is_none() {
        return Err(unclear(written));
    }
    if is_used_once(written, value) {
        return literal(value, argument);
    }
    let script = written.script;
    let (text, whole) = (entry(script, argument), written.text());
    let comma = if script.style.trailing_commas { "," } else { "" };
    let others = if property(value, "required").is_some() { format!(", ...{whole}.required") } else { String::new() };
    let last = |glue: &str| match required(script, argument) {
        Some(name) => format!(",{glue}required: [{name}{others}]"),
        None => String::new(),
    };
    let copy = format!("{{ ...{whole}, properties: {{ {text}, ...{whole}.properties }}{} }}", last(" "));
    let lines =
        format!("{{\n\t...{whole},\n\tproperties: {{ {text}, ...{whole}.properties }}{}{comma}\n}}", last("\n\t"));
    Ok(schema::replaced(written, copy, &lines))
}

fn is_used_once(written: Code<'_>, value: Code<'_>) -> bool {
    let script = written.script;
    if !matches!(written.node.kind(), "identifier" | "shorthand_property_identifier")
        || script.path != value.script.path
    {
        return false;
    }
    let Some(declared) = declaration(written, written.text()) else { return false };
    let exported =
        declared.node.parent().and_then(|list| list.parent()).is_some_and(|at| at.kind() == "export_statement");
    !exported && mentions(script, script.tree.root_node(), written.text()).len() == 2
}

/// A schema that is made from one of zod: `zodToJsonSchema(shape)`, `z.toJSONSchema(shape)`. What the handler parses with that
/// schema of zod is no business of ours: the handle is taken from the arguments themselves.
fn made<'s>(scripts: &'s Scripts<'_>, call: Code<'s>, argument: &Argument) -> Result<Vec<Change>, Refused> {
    let callee = call.node.child_by_field_name("function").map(|callee| call.script.of(callee)).unwrap_or_default();
    let makes = ["zodToJsonSchema", "toJSONSchema", "toJsonSchema"].iter().any(|name| callee.ends_with(name));
    let first = call.node.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
    match first {
        Some(first) if makes => Ok(schema::extend(scripts, call.to(first), argument)?.changes),
        _ => Err(unclear(call)),
    }
}

fn unclear(code: Code<'_>) -> Refused {
    code.refuse("this schema is not written out", "write its properties here, or add the handle to it by hand")
}

/// The fields of a new tool in a list.
pub fn fields(script: &Script, tool: &NewTool) -> Vec<String> {
    let string = |text: &str| script.style.string(text);
    let mut properties = Vec::new();
    let mut required = Vec::new();
    for parameter in &tool.parameters {
        let value = match &parameter.kind {
            Kind::Handle { description, .. } => handle(script, description),
            Kind::Text(default) => format!("{{ type: {}, default: {default} }}", string("string")),
            Kind::Same(schema) => schema.clone(),
        };
        if !matches!(parameter.kind, Kind::Text(_)) {
            required.push(string(&parameter.name));
        }
        properties.push(format!("{}: {value}", schema::key(script, &parameter.name)));
    }
    let mut out = vec![
        format!("name: {}", string(&tool.name)),
        format!("description:{}", super::create::described(script, tool, 1)),
        format!("inputSchema: {}", laid_out(script, &properties, &required)),
    ];
    if !tool.structured.is_empty() {
        let text = format!("{{ type: {} }}", string("string"));
        let list = format!("{{ type: {}, items: {text} }}", string("array"));
        let kind = if tool.lists { list } else { text };
        let answered: Vec<String> =
            tool.structured.iter().map(|name| format!("{}: {kind}", schema::key(script, name))).collect();
        let required: Vec<String> = tool.structured.iter().map(|name| string(name)).collect();
        out.push(format!("outputSchema: {}", object(script, &answered, &required)));
    }
    out
}
