//! Contexts of a program's own that hand the session id to the tools, beside other things: `{ sessionId: extra.sessionId, log }`.
//! Once no tool asks for it, it is not handed on any more.

use tree_sitter::Node;

use super::shed::{self, type_named};
use super::work::Work;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span};
use crate::render::typescript::scripts::{Code, declaration};

/// Takes the id out of such contexts, and out of their types.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    let scripts = work.scripts;
    for tool in &work.handle.tools {
        for call in tool.looked_up().into_iter().flat_map(|body| &body.calls) {
            let (script, node) = scripts.expression(call)?;
            let list = node.child_by_field_name("arguments").map(children).unwrap_or_default();
            for argument in list {
                let Some(literal) = literal(Code { script, node: argument }) else { continue };
                for name in handed_names(work)? {
                    one(work, literal, &name)?;
                }
            }
            if let Some(function) = enclosing_function(node) {
                shed::leftovers(work, script, function);
                if let Some((_, parameter)) = shed::last_unused(work, script, function) {
                    shed::drop_parameter(&mut work.edits, script, parameter);
                }
            }
        }
    }
    Ok(())
}

/// The object literal that an argument is, or that its variable holds.
fn literal(argument: Code<'_>) -> Option<Code<'_>> {
    let code = argument.bare();
    if code.node.kind() == "object" {
        return Some(code);
    }
    let own = declaration(code, code.text()).filter(|_| code.node.kind() == "identifier")?;
    let value = own.to(bare(own.node.child_by_field_name("value")?));
    (value.node.kind() == "object").then_some(value)
}

/// The names by which functions of the tools took the id out of a context: `sessionId` in `ctx.sessionId`.
fn handed_names(work: &Work<'_>) -> Result<Vec<String>, Refused> {
    let mut out = Vec::new();
    for carrier in &work.handle.carriers {
        if !matches!(carrier.entry, Entry::Handler(_) | Entry::Parameter { whole: false, .. }) {
            continue;
        }
        for id in &carrier.ids {
            let script = work.scripts.of(id)?;
            let Some((object, name)) = script.slice(id.span).rsplit_once('.') else { continue };
            if object.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$' | '?')) {
                out.push(name.to_owned());
            }
        }
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// Takes one property out, where nothing reads it any more.
fn one(work: &mut Work<'_>, literal: Code<'_>, name: &str) -> Result<(), Refused> {
    let entries = children(literal.node);
    let named = |entry: &Node<'_>| {
        let key = entry.child_by_field_name("key").unwrap_or(*entry);
        literal.script.of(key) == name && matches!(entry.kind(), "pair" | "shorthand_property_identifier")
    };
    let Some(index) = entries.iter().position(named).filter(|_| entries.len() > 1) else { return Ok(()) };
    let entry = entries[index];
    if work.edits.covers(&literal.script.path, span(entry)) {
        return Ok(());
    }
    let mut types = Vec::new();
    for carrier in &work.handle.carriers {
        let (script, function) = work.function(carrier)?;
        let parameters = function.child_by_field_name("parameters").map(children).unwrap_or_default();
        for of_type in parameters.iter().filter_map(|parameter| parameter.child_by_field_name("type")) {
            let written = children(of_type).first().copied().filter(|node| node.kind() == "type_identifier");
            let found = written.and_then(|node| type_named(work.scripts, Code { script, node }));
            types.extend(found.and_then(|found| Some((found.script, member(found, name)?))));
        }
        if is_read(work, script, script.tree.root_node(), name) {
            return Ok(());
        }
    }
    if is_read(work, literal.script, enclosing_function(literal.node).unwrap_or(literal.node), name)
        && entry.kind() != "pair"
    {
        return Ok(());
    }
    shed::drop_item(&mut work.edits, literal.script, literal.node, index);
    for (script, member) in types {
        work.edits.cut(script, script.removal(member));
    }
    Ok(())
}

/// The member of a declared type.
fn member<'s>(declared: Code<'s>, name: &str) -> Option<Node<'s>> {
    let body = declared.node.child_by_field_name("body").or_else(|| declared.node.child_by_field_name("value"))?;
    let own = |node: &Node<'_>| {
        node.kind() == "property_signature"
            && node.child_by_field_name("name").is_some_and(|found| declared.script.of(found) == name)
    };
    children(body).into_iter().find(own)
}

/// Whether code that stays reads a property of this name, or takes it out of an object.
fn is_read(work: &Work<'_>, script: &Script, node: Node<'_>, name: &str) -> bool {
    if work.edits.covers(&script.path, span(node)) {
        return false;
    }
    let reads = match node.kind() {
        "member_expression" => node.child_by_field_name("property").is_some_and(|own| script.of(own) == name),
        "shorthand_property_identifier_pattern" => script.of(node) == name,
        "pair_pattern" => node.child_by_field_name("key").is_some_and(|own| script.of(own) == name),
        _ => false,
    };
    // Where the context is put together, the id comes from the SDK.
    let given = node.parent().is_some_and(|parent| {
        matches!(parent.kind(), "pair" | "non_null_expression" | "binary_expression" | "as_expression")
    });
    let of_sdk = reads && given && is_value_of(script, node, name);
    (reads && !of_sdk) || children(node).into_iter().any(|child| is_read(work, script, child, name))
}

/// Whether a read is what a property of the same name is given.
fn is_value_of(script: &Script, node: Node<'_>, name: &str) -> bool {
    let pair = std::iter::successors(node.parent(), Node::parent).find(|around| around.kind() == "pair");
    pair.and_then(|pair| pair.child_by_field_name("key")).is_some_and(|key| script.of(key) == name)
}
