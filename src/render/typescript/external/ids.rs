//! The session id on its way to the keys: the handle takes its place.

use tree_sitter::Node;

use super::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Carries, Entry};
use crate::render::Refused;
use crate::render::typescript::classes;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, is_function, span};
use crate::render::typescript::scripts::Code;

/// Puts the handle in the place of the id in all functions that carry it.
pub fn replace(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in (0..work.external.carriers.len()).filter(|index| !work.keyed[*index]).collect::<Vec<_>>() {
        let (script, function) = work.function(&work.external.carriers[index])?;
        if let Some(body) = function.child_by_field_name("body") {
            walk(work, script, body, index)?;
        }
    }
    for index in (0..work.external.carriers.len()).filter(|index| !work.keyed[*index]).collect::<Vec<_>>() {
        parameter(work, index)?;
    }
    Ok(())
}

/// Whether a node is an expression that means the session id.
pub fn is_id(carrier: &Carries, script: &Script, node: Node<'_>) -> bool {
    carrier.ids.iter().any(|site| site.path == script.path && site.span == span(node))
}

/// Which functions are handed a whole key in the place of the id: they go on taking it.
pub fn keyed(work: &Work<'_>) -> Result<Vec<bool>, Refused> {
    let mut out = Vec::new();
    for carrier in &work.external.carriers {
        let whole = matches!(carrier.entry, Entry::Parameter { whole: true, .. });
        let mut seen = (false, None);
        for call in carrier.calls.iter().filter(|_| whole) {
            let Some(argument) = &call.argument else { continue };
            let (script, argument) = work.scripts.expression(argument)?;
            match makes_key(work, &work.external.carriers[call.within], script, argument) {
                true => seen.1 = Some((script, argument)),
                false => seen.0 = true,
            }
        }
        if let (true, Some((script, argument))) = seen {
            return Err(script.refuse(
                argument,
                "a function is handed the key here, and the session id itself elsewhere",
                "hand it one of the two, and run again",
            ));
        }
        out.push(seen.1.is_some());
    }
    Ok(out)
}

/// Whether an argument that has the id is a key that is made from it.
fn makes_key(work: &Work<'_>, carrier: &Carries, script: &Script, argument: Node<'_>) -> bool {
    let node = bare(argument);
    let of_id = || arguments(node).into_iter().any(|given| is_id(carrier, script, bare(given)));
    match node.kind() {
        "template_string" => {
            let parts = children(node);
            parts.len() > 1 || parts.first().is_some_and(|only| script.of(node).len() > only.byte_range().len() + 2)
        }
        "binary_expression" => is_key(script, node),
        "call_expression" if of_id() => {
            let callee = node.child_by_field_name("function").map(|callee| Code { script, node: callee });
            let function = callee.and_then(|callee| work.scripts.value(callee).or_else(|| own_method(callee)));
            function.is_some_and(|function| puts_together(function.script, function.node))
        }
        "member_expression" => is_made(carrier, script, node),
        "identifier" if is_made(carrier, script, node) => true,
        "identifier" => {
            let declared = scope::declaration(script, node, script.of(node)).and_then(|own| own.parent());
            let value = declared.and_then(|parent| parent.child_by_field_name("value"));
            value.is_some_and(|value| makes_key(work, carrier, script, value))
        }
        _ => false,
    }
}

/// `this.name` as the method of the class around.
fn own_method(callee: Code<'_>) -> Option<Code<'_>> {
    callee.node.child_by_field_name("object").filter(|object| object.kind() == "this")?;
    let name = callee.script.of(callee.node.child_by_field_name("property")?);
    let members = children(classes::body(callee.node)?);
    members
        .into_iter()
        .find(|member| classes::member_name(callee.script, *member) == Some(name))
        .map(|node| callee.to(node))
}

/// Whether a function puts texts together.
fn puts_together(script: &Script, node: Node<'_>) -> bool {
    let template = node.kind() == "template_string" && !children(node).is_empty();
    let sum = node.kind() == "binary_expression" && is_key(script, node);
    template || sum || children(node).into_iter().any(|child| puts_together(script, child))
}

fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    call.child_by_field_name("arguments").map(children).unwrap_or_default()
}

/// Whether an expression is a key that is put together, and not the id itself.
pub fn is_key(script: &Script, node: Node<'_>) -> bool {
    let node = bare(node);
    match node.kind() {
        "template_string" | "call_expression" => true,
        "binary_expression" => node.child_by_field_name("operator").is_some_and(|sign| script.of(sign) == "+"),
        _ => false,
    }
}

/// Whether an expression is the session id itself, and no key that is made from it.
pub fn is_plain(carrier: &Carries, script: &Script, node: Node<'_>) -> bool {
    is_id(carrier, script, node) && !is_key(script, node) && !is_made(carrier, script, node)
}

/// Whether something is one of several keys that a function makes from the id: `keys(id).items`, or a name for that.
fn is_made(carrier: &Carries, script: &Script, node: Node<'_>) -> bool {
    let of_id = |call: Node<'_>| {
        bare(call).kind() == "call_expression"
            && arguments(bare(call)).into_iter().any(|given| is_id(carrier, script, bare(given)))
    };
    match node.kind() {
        "member_expression" => node.child_by_field_name("object").is_some_and(of_id),
        "identifier" | "shorthand_property_identifier" | "shorthand_property_identifier_pattern" => {
            let Some(own) = scope::declaration(script, node, script.of(node)) else { return false };
            let around = std::iter::successors(own.parent(), Node::parent).take(3);
            let declarator = around.into_iter().find(|around| around.kind() == "variable_declarator");
            let Some(declarator) = declarator else { return false };
            let pattern = declarator.child_by_field_name("name").is_some_and(|name| name.kind() == "object_pattern");
            let value = declarator.child_by_field_name("value").map(bare);
            value.is_some_and(|value| match pattern {
                true => of_id(value),
                false => value.kind() == "member_expression" && is_made(carrier, script, value),
            })
        }
        _ => false,
    }
}

fn walk(work: &mut Work<'_>, script: &Script, node: Node<'_>, index: usize) -> Result<(), Refused> {
    if work.edits.covers(&script.path, span(node)) {
        return Ok(());
    }
    let carrier = &work.external.carriers[index];
    let others = |node: Node<'_>| {
        work.external.carriers.iter().enumerate().any(|(other, carrier)| {
            other != index && carrier.function.path == script.path && carrier.function.span == span(node)
        })
    };
    if is_function(node) && others(node) {
        return Ok(());
    }
    let declares = matches!(node.kind(), "variable_declarator" | "assignment_expression" | "formal_parameters");
    let id = is_plain(carrier, script, node) && !declares && !node.kind().ends_with("statement");
    if !id {
        return children(node).into_iter().try_for_each(|child| walk(work, script, child, index));
    }
    match node.kind() {
        "shorthand_property_identifier" => {
            return Err(script.refuse(node, "the session id goes into a value here", "leave it out of the value"));
        }
        "identifier" if holds_key(script, node) => return Ok(()),
        // What only holds the id goes, once nothing uses it.
        _ if node.parent().is_some_and(|parent| {
            parent.kind() == "variable_declarator" && parent.child_by_field_name("value") == Some(node)
        }) =>
        {
            return Ok(());
        }
        "identifier" if node.parent().is_some_and(|parent| parent.child_by_field_name("name") == Some(node)) => {
            return Ok(());
        }
        _ => {}
    }
    let name = work.names[index].clone();
    let whole = node.parent().filter(|parent| parent.kind() == "non_null_expression").unwrap_or(node);
    if script.of(whole) != name {
        work.edits.replace(script, span(whole), name);
    }
    Ok(())
}

/// Whether a variable holds a key, and not the id.
fn holds_key(script: &Script, name: Node<'_>) -> bool {
    let declared = scope::declaration(script, name, script.of(name));
    let value = declared.and_then(|own| own.parent()).and_then(|parent| parent.child_by_field_name("value"));
    value.is_some_and(|value| is_key(script, value))
}

/// The parameters of a helper, and its calls.
fn parameter(work: &mut Work<'_>, index: usize) -> Result<(), Refused> {
    let carrier = &work.external.carriers[index];
    let (script, function) = work.function(carrier)?;
    let name = work.names[index].clone();
    let text = if script.typed() { format!("{name}: string") } else { name.clone() };
    let only = function.child_by_field_name("parameter");
    match &carrier.entry {
        Entry::Handler(_) | Entry::Closure { .. } | Entry::Part { .. } => {}
        Entry::Parameter { at, whole, .. } => {
            let node = script.around(at.span).unwrap_or(function);
            let outer = std::iter::successors(Some(node), Node::parent)
                .take_while(|node| node.kind() != "formal_parameters" && *node != function)
                .last()
                .unwrap_or(node);
            if !whole && is_used(work, script, function, at) {
                return Err(script.refuse(
                    outer,
                    "what leads to the session id here is used for something else as well",
                    "let this function take the id alone, and run again",
                ));
            }
            let bare_arrow = only == Some(outer);
            let text = if bare_arrow && script.typed() { format!("({text})") } else { text };
            work.edits.replace(script, span(outer), text);
            for call in &carrier.calls {
                let Some(argument) = &call.argument else { continue };
                let (script, argument) = work.scripts.expression(argument)?;
                if !work.edits.covers(&script.path, span(argument)) {
                    let name = work.names[call.within].clone();
                    if script.of(argument) != name {
                        work.edits.replace(script, span(argument), name);
                    }
                }
            }
        }
        Entry::New => {
            first(work, script, function, only, &text)?;
            for call in &carrier.calls {
                let (script, node) = work.scripts.expression(&call.at)?;
                let node = bare(node);
                let name = work.names[call.within].clone();
                let list = node.child_by_field_name("arguments");
                let list =
                    list.ok_or_else(|| script.refuse(node, "a call was expected here", "pass the handle by hand"))?;
                put(work, script, list, &name);
            }
        }
    }
    Ok(())
}

fn is_used(work: &Work<'_>, script: &Script, function: Node<'_>, parameter: &Site) -> bool {
    let name = script.slice(parameter.span);
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        let used = matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && script.of(node) == name
            && span(node) != parameter.span;
        if used && !work.edits.covers(&script.path, span(node)) {
            return true;
        }
        stack.extend(children(node));
    }
    false
}

fn first(
    work: &mut Work<'_>,
    script: &Script,
    function: Node<'_>,
    only: Option<Node<'_>>,
    text: &str,
) -> Result<(), Refused> {
    if let Some(only) = only {
        work.edits.replace(script, span(only), format!("({text}, {})", script.of(only)));
        return Ok(());
    }
    let list = function.child_by_field_name("parameters");
    let list =
        list.ok_or_else(|| script.refuse(function, "its parameters were not found", "pass the handle by hand"))?;
    put(work, script, list, text);
    Ok(())
}

fn put(work: &mut Work<'_>, script: &Script, list: Node<'_>, text: &str) {
    match children(list).first() {
        Some(next) => work.edits.insert(script, next.start_byte(), format!("{text}, ")),
        None => work.edits.replace(script, Span::new(list.start_byte() + 1, list.end_byte() - 1), text),
    }
}
