//! A tool that goes: its registration, its entry in a table or a list, its branch in the dispatch.

use tree_sitter::Node;

use super::dispatch;
use super::reach::{Helped, reach, table_entry};
use super::register::{handler_of, read};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, bare, children, is_statement, statement};
use crate::render::typescript::scripts::{Code, Scripts, mentions};
use crate::render::{Change, Refused};

/// The changes that take a tool away. Its handler goes with it where that is written there.
pub fn remove(scripts: &Scripts<'_>, tool: &ToolUse) -> Result<Vec<Change>, Refused> {
    if tool.entry.is_some() {
        return dispatched(scripts, tool);
    }
    let handler = handler_of(scripts, tool)?;
    let registration = read(scripts, tool)?;
    let callback = registration.call.to(*registration.arguments.last().unwrap_or(&registration.call.node));
    if reach(scripts, callback, handler).is_some() {
        return whole(registration.call);
    }
    if let Some(helped) = Helped::of(scripts, registration.call, handler) {
        return whole(helped.call);
    }
    match table_entry(handler) {
        Some((entry, _)) => element(entry.script, entry.node),
        None => Err(super::reach::lost(callback)),
    }
}

/// A call that registers a tool, with its statement. A variable that holds what it answers goes, where nothing uses it.
fn whole(call: Code<'_>) -> Result<Vec<Change>, Refused> {
    let script = call.script;
    let own = statement(call.node);
    let outer = std::iter::successors(call.node.parent(), Node::parent)
        .find(|node| !matches!(node.kind(), "await_expression" | "parenthesized_expression"));
    let stands_alone = outer.is_some_and(|outer| outer == own && own.kind() == "expression_statement");
    if stands_alone && is_statement(own) {
        return Ok(vec![script.change(script.removal(own), "")]);
    }
    let name = outer
        .filter(|outer| {
            outer.kind() == "variable_declarator" && outer.parent().is_some_and(|list| children(list).len() == 1)
        })
        .and_then(|declarator| declarator.child_by_field_name("name"));
    if let Some(name) = name.filter(|name| mentions(script, script.tree.root_node(), script.of(*name)).len() == 1) {
        return Ok(vec![script.change(script.removal(statement(name)), "")]);
    }
    Err(call.refuse("the tool's registration is used here", "take the tool out by hand"))
}

/// An element of a list or of an object, with its comma.
fn element(script: &Script, entry: Node<'_>) -> Result<Vec<Change>, Refused> {
    let mut place = entry;
    while let Some(parent) = place.parent().filter(|parent| {
        matches!(parent.kind(), "arguments" | "call_expression" | "as_expression" | "satisfies_expression" | "pair")
    }) {
        place = parent;
        if place.kind() == "pair" {
            break;
        }
    }
    let list = place.parent().filter(|list| matches!(list.kind(), "array" | "object"));
    let Some(list) = list else {
        return Err(script.refuse(entry, "the list that this tool is in was not found", "take the tool out by hand"));
    };
    Ok(vec![cut(script, list, place)])
}

fn cut(script: &Script, list: Node<'_>, place: Node<'_>) -> Change {
    let all = children(list);
    let at = all.iter().position(|node| *node == place).unwrap_or(0);
    let start = script.with_comments(place);
    let text = script.text();
    let alone = text[script.line_start(start)..start].trim().is_empty();
    let span = match (at.checked_sub(1).map(|before| all[before]), all.get(at + 1)) {
        (_, Some(_)) if alone => {
            let comma =
                text[place.end_byte()..].find(',').map_or(place.end_byte(), |comma| place.end_byte() + comma + 1);
            Span::new(script.line_start(start), script.line_end(comma))
        }
        (_, Some(next)) => Span::new(start, next.start_byte()),
        (Some(before), None) => Span::new(before.end_byte(), place.end_byte()),
        (None, None) => Span::new(list.start_byte() + 1, list.end_byte() - 1),
    };
    script.change(span, "")
}

/// A tool of the low-level server: its entry in the list, and its branch.
fn dispatched(scripts: &Scripts<'_>, tool: &ToolUse) -> Result<Vec<Change>, Refused> {
    let entry = dispatch::listed(scripts, tool)?;
    let mut changes = match entry.node.parent().filter(|list| list.kind() == "array") {
        Some(list) => vec![cut(entry.script, list, entry.node)],
        None => constant(entry)?,
    };
    let handler = handler_of(scripts, tool)?;
    let script = handler.script;
    let refuse = || handler.refuse("where it tells the tools apart was not found", "take the tool out by hand");
    let (place, _) = dispatch::dispatching(script, handler.node, &tool.name).ok_or_else(refuse)?;
    changes.push(branch(script, place, &tool.name)?);
    Ok(changes)
}

/// A tool that a constant describes, which a list names.
fn constant(entry: Code<'_>) -> Result<Vec<Change>, Refused> {
    let script = entry.script;
    let refuse = || entry.refuse("the list that this tool is in was not found", "take the tool out by hand");
    let declarator = std::iter::successors(entry.node.parent(), Node::parent)
        .find(|node| node.kind() == "variable_declarator")
        .ok_or_else(refuse)?;
    let name = declarator.child_by_field_name("name").ok_or_else(refuse)?;
    let used: Vec<Node<'_>> =
        mentions(script, script.tree.root_node(), script.of(name)).into_iter().filter(|node| *node != name).collect();
    match used.as_slice() {
        [only] if only.parent().is_some_and(|list| list.kind() == "array") => {
            let list = only.parent().unwrap_or(*only);
            Ok(vec![cut(script, list, *only), script.change(script.removal(statement(declarator)), "")])
        }
        _ => Err(refuse()),
    }
}

/// The case or the `if` of a tool.
fn branch(script: &Script, place: Node<'_>, tool: &str) -> Result<Change, Refused> {
    if place.kind() == "switch_case" {
        let name = |case: &Node<'_>| {
            case.child_by_field_name("value").is_some_and(|value| script.of(value).trim_matches(['\'', '"']) == tool)
        };
        let shared = place.next_named_sibling().is_some_and(|_| children(place).len() == 1);
        if !name(&place) || shared {
            return Err(script.refuse(place, "several tools share this case", "take the tool out by hand"));
        }
        return Ok(script.change(script.removal(place), ""));
    }
    let alternative = place.child_by_field_name("alternative");
    let is_else = place.parent().is_some_and(|parent| parent.kind() == "else_clause");
    let condition = place.child_by_field_name("condition").map(bare);
    let plain = condition.is_some_and(|condition| {
        condition.child_by_field_name("operator").is_some_and(|sign| matches!(script.of(sign), "===" | "=="))
    });
    if !plain {
        return Err(script.refuse(place, "this decides more than which tool it is", "take the tool out by hand"));
    }
    match (is_else, alternative) {
        (false, None) => Ok(script.change(script.removal(place), "")),
        (false, Some(other)) => {
            let next = children(other).first().copied().unwrap_or(other);
            match next.kind() {
                "if_statement" => Ok(script.change(Span::new(place.start_byte(), next.start_byte()), "")),
                _ => Err(script.refuse(
                    place,
                    "this is the only tool that is told apart here",
                    "take the tool out by hand",
                )),
            }
        }
        (true, other) => {
            let outer = place.parent().unwrap_or(place);
            let start = outer.prev_named_sibling().map_or(outer.start_byte(), |before| before.end_byte());
            let text = other.map(|other| format!(" {}", script.of(other))).unwrap_or_default();
            Ok(script.change(Span::new(start, outer.end_byte()), text))
        }
    }
}
