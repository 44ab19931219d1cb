//! The parameters of a handler: arguments first, the SDK's context behind them.

use tree_sitter::Node;

use super::shape::push_front;
use super::{Added, Context};
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, children, span};
use crate::render::{Change, Refused};

/// What a handler was given before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Arguments, then the context.
    Arguments,
    /// The context alone: its tool had no schema.
    ContextAlone,
}

/// Adds a name to the arguments that a handler takes apart, and sees to its context.
pub fn add(script: &Script, handler: Node<'_>, takes: Takes, name: &str, context: &Context) -> Result<Added, Refused> {
    let list = list(script, handler)?;
    let (arguments, extra) = match takes {
        Takes::Arguments => (list.parameters.first().copied(), list.parameters.get(1).copied()),
        Takes::ContextAlone => (None, list.parameters.first().copied()),
    };
    let mut changes = Vec::new();
    let (extra_text, auth) = context_text(script, extra, context)?;
    let named = match arguments {
        Some(parameter) => argument(script, parameter, name, &mut changes)?,
        None => name.to_owned(),
    };
    if list.bare {
        let first =
            if arguments.is_none() { format!("{{ {name} }}") } else { script.of(list.parameters[0]).to_owned() };
        let all: Vec<String> = [Some(first), extra_text].into_iter().flatten().collect();
        changes.push(script.change(list.inside, format!("({})", all.join(", "))));
        return Ok(Added { changes, name: named, auth });
    }
    match (arguments, extra) {
        (Some(arguments), Some(extra)) => {
            let gap = Span::new(arguments.end_byte(), extra.end_byte());
            match extra_text {
                Some(text) if text == script.of(extra) => {}
                Some(text) => changes.push(script.change(span(extra), text)),
                None => changes.push(script.change(gap, "")),
            }
        }
        (Some(arguments), None) => {
            if let Some(text) = extra_text {
                let at = arguments.end_byte();
                changes.push(script.change(Span::new(at, at), format!(", {text}")));
            }
        }
        (None, extra) => {
            let first = format!("{{ {name} }}");
            let all: Vec<String> = [Some(first), extra_text].into_iter().flatten().collect();
            let place = extra.map_or(list.inside, span);
            changes.push(script.change(place, all.join(", ")));
        }
    }
    Ok(Added { changes, name: named, auth })
}

/// Sees to the context alone: the arguments of a dispatching handler are its own business.
pub fn context(
    script: &Script,
    handler: Node<'_>,
    context: &Context,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    let list = list(script, handler)?;
    let extra = list.parameters.get(1).copied();
    let (text, auth) = context_text(script, extra, context)?;
    let change = match (list.parameters.first(), extra, text) {
        (_, Some(extra), Some(text)) if text == script.of(extra) => None,
        (_, Some(extra), Some(text)) => Some(script.change(span(extra), text)),
        (Some(first), Some(extra), None) => Some(script.change(Span::new(first.end_byte(), extra.end_byte()), "")),
        (Some(first), None, Some(text)) if !list.bare => {
            Some(script.change(Span::new(first.end_byte(), first.end_byte()), format!(", {text}")))
        }
        (Some(first), None, Some(text)) => {
            Some(script.change(span(*first), format!("({}, {text})", script.of(*first))))
        }
        _ => None,
    };
    Ok((change.into_iter().collect(), auth))
}

/// A handler's parameter list.
struct List<'t> {
    parameters: Vec<Node<'t>>,
    /// What is between the parentheses, or the only parameter of an arrow without them.
    inside: Span,
    /// It has no parentheses.
    bare: bool,
}

fn list<'t>(script: &Script, handler: Node<'t>) -> Result<List<'t>, Refused> {
    if let Some(list) = handler.child_by_field_name("parameters") {
        let inside = Span::new(list.start_byte() + 1, list.end_byte() - 1);
        return Ok(List { parameters: children(list), inside, bare: false });
    }
    if let Some(only) = handler.child_by_field_name("parameter") {
        return Ok(List { parameters: vec![only], inside: span(only), bare: true });
    }
    Err(script.refuse(handler, "the handler's parameters were not found", "give it the argument by hand"))
}

/// What a parameter binds: its pattern, without type and default.
pub fn pattern(parameter: Node<'_>) -> Node<'_> {
    match parameter.kind() {
        "required_parameter" | "optional_parameter" => parameter.child_by_field_name("pattern").unwrap_or(parameter),
        "assignment_pattern" => parameter.child_by_field_name("left").unwrap_or(parameter),
        _ => parameter,
    }
}

fn argument(script: &Script, parameter: Node<'_>, name: &str, changes: &mut Vec<Change>) -> Result<String, Refused> {
    if let Some(written) = parameter.child_by_field_name("type") {
        changes.extend(typed(script, written, name)?);
    }
    let pattern = pattern(parameter);
    match pattern.kind() {
        "object_pattern" => {
            let rest = children(pattern).iter().any(|entry| script.of(*entry) == name);
            if !rest {
                changes.push(push_front(script, pattern, name));
            }
            Ok(name.to_owned())
        }
        "identifier" => Ok(format!("{}.{name}", script.of(pattern))),
        _ => Err(script.refuse(parameter, "this parameter is of an unknown form", "give it the argument by hand")),
    }
}

/// A written type of the arguments takes the new one in.
fn typed(script: &Script, written: Node<'_>, name: &str) -> Result<Vec<Change>, Refused> {
    let Some(ty) = children(written).first().copied() else { return Ok(Vec::new()) };
    let text = script.of(ty);
    if ty.kind() == "object_type" {
        let first = children(ty).first().map(|first| first.start_byte());
        return Ok(vec![match first {
            Some(at) => script.change(Span::new(at, at), format!("{name}: string; ")),
            None => script.change(span(ty), format!("{{ {name}: string }}")),
        }]);
    }
    if text == "any" || text.starts_with("z.infer<") || text.starts_with("z.output<") {
        return Ok(Vec::new());
    }
    Ok(vec![script.change(Span::new(ty.end_byte(), ty.end_byte()), format!(" & {{ {name}: string }}"))])
}

/// The text of the context parameter afterwards (none where it goes), and how it names who is calling.
fn context_text(
    script: &Script,
    extra: Option<Node<'_>>,
    context: &Context,
) -> Result<(Option<String>, Option<String>), Refused> {
    let modern = script.text().contains("'@modelcontextprotocol/server")
        || script.text().contains("\"@modelcontextprotocol/server");
    let member = if modern { "http?.authInfo" } else { "authInfo" };
    let Some(extra) = extra else {
        return Ok(match context.owner {
            true => {
                let name = if modern { "ctx" } else { "extra" };
                (Some(name.to_owned()), Some(format!("{name}.{member}")))
            }
            false => (None, None),
        });
    };
    let pattern = pattern(extra);
    match pattern.kind() {
        "identifier" => {
            let name = script.of(pattern);
            if context.owner {
                return Ok((Some(script.of(extra).to_owned()), Some(format!("{name}.{member}"))));
            }
            let gone = context.gone.iter().any(|gone| gone == name);
            Ok((if gone { None } else { Some(script.of(extra).to_owned()) }, None))
        }
        "object_pattern" => Ok(destructured(script, extra, pattern, context, modern)),
        _ => Err(script.refuse(extra, "this parameter is of an unknown form", "give it the argument by hand")),
    }
}

fn destructured(
    script: &Script,
    extra: Node<'_>,
    pattern: Node<'_>,
    context: &Context,
    modern: bool,
) -> (Option<String>, Option<String>) {
    let mut kept: Vec<&str> = Vec::new();
    for entry in children(pattern) {
        let bound = match entry.kind() {
            "pair_pattern" => entry.child_by_field_name("value").unwrap_or(entry),
            "object_assignment_pattern" => entry.child_by_field_name("left").unwrap_or(entry),
            _ => entry,
        };
        let name = match bound.kind() {
            "assignment_pattern" => script.of(bound.child_by_field_name("left").unwrap_or(bound)),
            _ => script.of(bound),
        };
        if !context.gone.iter().any(|gone| gone == name) {
            kept.push(script.of(entry));
        }
    }
    let wanted = if modern { "http" } else { "authInfo" };
    let auth = context.owner.then(|| if modern { "http?.authInfo".to_owned() } else { "authInfo".to_owned() });
    if context.owner && !kept.contains(&wanted) {
        kept.push(wanted);
    }
    if kept.len() == children(pattern).len() && !context.owner {
        return (Some(script.of(extra).to_owned()), auth);
    }
    if kept.is_empty() {
        return (None, auth);
    }
    let tail = &script.of(extra)[pattern.end_byte() - extra.start_byte()..];
    (Some(format!("{{ {} }}{tail}", kept.join(", "))), auth)
}
