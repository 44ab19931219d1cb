//! An argument more in a schema: an object of zod types, plain or in `z.object(…)`, written where it is used or elsewhere.

use super::literal::{limit, push_front, room};
use super::{Argument, Kind, Parameter, sdk};
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration, mentions, property};
use crate::render::{Change, Refused};

/// A schema with its argument.
pub struct Extended<'s> {
    /// The changes.
    pub changes: Vec<Change>,
    /// The constant that was changed where it is declared.
    pub constant: Option<&'s str>,
}

/// What an expression of a schema is.
enum Form<'s> {
    /// An object literal of types.
    Shape(Code<'s>),
    /// `z.object({ … })`, methods that keep its kind behind it; the literal.
    Object(Code<'s>),
    /// The same, where it is settled how unknown keys are taken: the literal.
    Settled(Code<'s>),
    /// Another schema with more properties, `Base.extend({ … })`: the literal. What is added to that stands behind those of the other.
    Grown(Code<'s>),
    /// The same, with checks on the whole: the literal. Such a thing can't be extended.
    Checked(Code<'s>),
}

impl<'s> Form<'s> {
    fn literal(&self) -> Code<'s> {
        match self {
            Self::Shape(literal)
            | Self::Object(literal)
            | Self::Settled(literal)
            | Self::Grown(literal)
            | Self::Checked(literal) => *literal,
        }
    }
}

/// The entry of the argument in a shape.
pub fn entry(script: &Script, argument: &Argument) -> String {
    if argument.constant.as_deref() == Some(argument.name.as_str()) {
        return argument.name.clone();
    }
    let value = match (&argument.constant, &argument.schema) {
        (Some(name), _) => name.clone(),
        (None, Some(schema)) if *schema == argument.name => return schema.clone(),
        (None, Some(schema)) => schema.clone(),
        (None, None) => handle(script, &argument.description, argument.optional),
    };
    format!("{}: {value}", key(script, &argument.name))
}

/// A name as the key of an object.
pub fn key(script: &Script, name: &str) -> String {
    let plain = name.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '$')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    if plain { name.to_owned() } else { script.style.string(name) }
}

/// The type of a handle.
pub fn handle(script: &Script, description: &str, optional: bool) -> String {
    let z = sdk::zod(script);
    let text = script.style.string(description);
    if sdk::is_mini(script) {
        let kind = if optional { format!("{z}.optional({z}.string())") } else { format!("{z}.string()") };
        return format!("{kind}.register({z}.globalRegistry, {{ description: {text} }})");
    }
    format!("{z}.string(){}.describe({text})", if optional { ".optional()" } else { "" })
}

/// A parameter of a new tool in a shape.
pub fn parameter(script: &Script, parameter: &Parameter) -> String {
    let z = sdk::zod(script);
    let value = match &parameter.kind {
        Kind::Handle { description, .. } => handle(script, description, false),
        Kind::Text(default) if sdk::is_mini(script) => format!("{z}._default({z}.string(), {default})"),
        Kind::Text(default) => format!("{z}.string().default({default})"),
        Kind::Same(schema) => schema.clone(),
    };
    format!("{}: {value}", key(script, &parameter.name))
}

/// A shape of a tool that takes nothing else.
pub fn alone(script: &Script, entries: &[String]) -> String {
    let shape = if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) };
    if wraps(script) { format!("{}.object({shape})", sdk::zod(script)) } else { shape }
}

/// Whether the schemas of a file's tools are `z.object(…)`: always with the second SDK.
fn wraps(script: &Script) -> bool {
    let z = sdk::zod(script);
    sdk::is_second(script) || script.text().contains(&format!("inputSchema: {z}.object("))
}

/// Adds the argument to a schema.
pub fn extend<'s>(scripts: &'s Scripts<'_>, schema: Code<'s>, argument: &Argument) -> Result<Extended<'s>, Refused> {
    let code = schema.bare();
    let script = code.script;
    match form(code) {
        Some(Form::Shape(literal) | Form::Object(literal) | Form::Settled(literal) | Form::Checked(literal)) => {
            clash(literal, argument)?;
            let mut changes = push_front(script, literal.node, &entry(script, argument));
            changes.extend(sdk::zod_import(script));
            Ok(Extended { changes, constant: None })
        }
        Some(Form::Grown(literal)) => {
            clash(literal, argument)?;
            let mut changes = replaced(code, merged(script, argument, code.text()), "");
            changes.extend(sdk::zod_import(script));
            Ok(Extended { changes, constant: None })
        }
        None => elsewhere(scripts, code, argument),
    }
}

/// The properties of a schema behind the argument; how it takes unknown keys stays as it is.
fn merged(script: &Script, argument: &Argument, schema: &str) -> String {
    format!("{}.object({{ {} }}).merge({schema})", sdk::zod(script), entry(script, argument))
}

/// The schema of one argument in a shape that is written out, or in a constant that holds one.
pub fn of_argument<'s>(scripts: &'s Scripts<'_>, schema: Code<'s>, name: &str) -> Option<Code<'s>> {
    let code = schema.bare();
    let found = form(code).or_else(|| form(scripts.value(code)?.bare()))?;
    property(found.literal(), name)
}

/// The argument must not be there already.
fn clash(literal: Code<'_>, argument: &Argument) -> Result<(), Refused> {
    match crate::render::typescript::scripts::entry(literal, &argument.name) {
        Some(taken) => Err(literal.to(taken).refuse(
            format!("the tool has an argument {} already", argument.name),
            "choose another name for the handle in the plan",
        )),
        None => Ok(()),
    }
}

/// A schema that is a name, or a part of what a name stands for.
fn elsewhere<'s>(scripts: &'s Scripts<'_>, code: Code<'s>, argument: &Argument) -> Result<Extended<'s>, Refused> {
    let script = code.script;
    let unclear = || {
        code.refuse(
            "this schema is not written out where it can be extended",
            "write its properties as an object literal, or add the handle to it by hand",
        )
    };
    let of_shape = code.node.kind() == "member_expression"
        && code.node.child_by_field_name("property").is_some_and(|name| script.of(name) == "shape");
    let named = match code.node.child_by_field_name("object") {
        Some(object) if of_shape => code.to(object),
        _ => code,
    };
    let value = scripts.value(named).ok_or_else(unclear)?.bare();
    let form = form(value).ok_or_else(unclear)?;
    let literal = form.literal();
    clash(literal, argument)?;
    if let Some(name) = only_used_here(named, value).filter(|_| !matches!(form, Form::Grown(_))) {
        let mut changes = push_front(value.script, literal.node, &entry(value.script, argument));
        changes.extend(sdk::zod_import(value.script));
        return Ok(Extended { changes, constant: Some(name) });
    }
    let (whole, entry, text, z) = (argument, entry(script, argument), named.text(), sdk::zod(script));
    let text = match form {
        Form::Checked(_) => return Err(unclear()),
        _ if of_shape => format!("{{ {entry}, ...{text}.shape }}"),
        Form::Shape(_) => format!("{{ {entry}, ...{text} }}"),
        Form::Object(_) => format!("{z}.object({{ {entry}, ...{text}.shape }})"),
        Form::Settled(_) | Form::Grown(_) => merged(script, whole, text),
    };
    let mut changes = replaced(code, text, "");
    changes.extend(sdk::zod_import_like(script, value.script));
    Ok(Extended { changes, constant: None })
}

/// An expression with another in its place, and room for it. `lines` is what it is where one line is too short: one entry a line.
pub fn replaced(code: Code<'_>, text: String, lines: &str) -> Vec<Change> {
    let script = code.script;
    let key =
        if code.node.kind() == "shorthand_property_identifier" { format!("{}: ", code.text()) } else { String::new() };
    let text = format!("{key}{text}");
    let more = text.chars().count().saturating_sub(code.text().chars().count());
    let (mut out, depth) = room(script, code.node, more);
    let unit = script.style.indent.text();
    let indent = format!("{}{}", script.indentation(code.node), unit.repeat(depth));
    let head =
        if depth > 0 { indent.len() } else { code.node.start_byte() - script.line_start(code.node.start_byte()) };
    let pair = code.node.parent().filter(|pair| pair.kind() == "pair" && depth > 0);
    let head = head + pair.map_or(0, |pair| code.node.start_byte() - pair.start_byte());
    let fits = head + text.chars().count() < limit(script);
    let text = if fits || lines.is_empty() {
        text
    } else {
        script.indented(&format!("{key}{}", script.style.dress(lines)), &indent)
    };
    out.push(script.change(span(code.node), text));
    out
}

/// The name of a constant of the same file that nothing but this schema (and types made from it) uses.
fn only_used_here<'s>(used: Code<'s>, value: Code<'s>) -> Option<&'s str> {
    if !matches!(used.node.kind(), "identifier" | "shorthand_property_identifier")
        || used.script.path != value.script.path
    {
        return None;
    }
    let script = used.script;
    let name = used.text();
    let declared = declaration(used, name)?;
    let statement = declared.node.parent()?;
    if declared.node.kind() != "variable_declarator" || statement.parent()?.kind() == "export_statement" {
        return None;
    }
    let own = declared.node.child_by_field_name("name")?;
    let others = mentions(script, script.tree.root_node(), name);
    let harmless = |node: &tree_sitter::Node<'_>| {
        *node == own || *node == used.node || node.parent().is_some_and(|parent| parent.kind() == "type_query")
    };
    others.iter().all(harmless).then_some(name)
}

fn form(code: Code<'_>) -> Option<Form<'_>> {
    let code = code.bare();
    match code.node.kind() {
        "object" => Some(Form::Shape(code)),
        "call_expression" => {
            let callee = code.node.child_by_field_name("function")?;
            let method = code.script.of(callee.child_by_field_name("property")?);
            let receiver = callee.child_by_field_name("object")?;
            let literal = || {
                let arguments = children(code.node.child_by_field_name("arguments")?);
                arguments.first().copied().filter(|first| first.kind() == "object").map(|first| code.to(first))
            };
            match method {
                "object" if receiver.kind() == "identifier" => literal().map(Form::Object),
                "strictObject" | "looseObject" if receiver.kind() == "identifier" => literal().map(Form::Settled),
                "extend" | "safeExtend" => literal().map(Form::Grown),
                "describe" | "meta" | "strip" | "register" => form(code.to(receiver)),
                "strict" | "passthrough" | "loose" | "catchall" => match form(code.to(receiver))? {
                    Form::Object(literal) | Form::Settled(literal) => Some(Form::Settled(literal)),
                    Form::Grown(literal) => Some(Form::Grown(literal)),
                    Form::Shape(_) | Form::Checked(_) => None,
                },
                "refine" | "superRefine" | "transform" => match form(code.to(receiver))? {
                    Form::Object(literal) | Form::Settled(literal) | Form::Grown(literal) | Form::Checked(literal) => {
                        Some(Form::Checked(literal))
                    }
                    Form::Shape(_) => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}
