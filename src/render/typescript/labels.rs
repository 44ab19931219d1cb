//! Labels of log lines: the field of a context variable that was the session id becomes an id of the request.

use tree_sitter::Node;

use super::handle::edits::Edits;
use super::handle::{above_comments, join_import};
use super::imports::{self, Wanted};
use super::prune::prune;
use super::scope;
use super::script::{Script, children, span};
use super::scripts::{Code, Scripts, mentions};
use crate::model::facts::Span;
use crate::plan::labels::Labels;
use crate::render::{Change, Files, Refused, Rendered};

const NEW: &str = "requestId";
const TODO: &str = "let log lines tell an id of the request instead of the session's";

/// Renders the step.
pub fn render(labels: &Labels, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut edits = Edits::default();
    // Names change once it is known what the other changes leave unused.
    let mut renames: Vec<Change> = Vec::new();
    let made = scripts.at(&labels.ambient.made)?;
    member(labels, made, &mut edits)?;
    let mut random: Vec<String> = Vec::new();
    for value in &labels.values {
        let value = scripts.at(value)?;
        let pair = value.node.parent().filter(|pair| pair.kind() == "pair");
        let entry = pair.unwrap_or(value.node);
        if pair.is_none() && value.node.kind() != "shorthand_property_identifier" {
            return Err(value.refuse("the session id is not given by name here", TODO));
        }
        edits.replace(value.script, span(entry), format!("{NEW}: randomUUID()"));
        random.push(value.script.path.clone());
    }
    for read in &labels.reads {
        rename(labels, scripts.at(read)?, &mut edits, &mut renames)?;
    }
    let mut paths = edits.paths();
    paths.extend(renames.iter().map(|change| change.path.clone()));
    paths.sort();
    paths.dedup();
    let mut out = Rendered::default();
    for script in paths.iter().filter_map(|path| scripts.by_path(path)) {
        let mut changes = prune(script, edits.of(&script.path));
        changes.extend(renames.iter().filter(|change| change.path == script.path).cloned());
        let wanted = [Wanted { source: "node:crypto", name: "randomUUID", alias: None, is_type: false }];
        let bare = imports::local_name(script, "crypto", "randomUUID").is_some();
        if random.contains(&script.path) && !bare {
            for import in imports::add(script, &wanted) {
                join_import(script, &mut changes, above_comments(script, import));
            }
        }
        changes.sort_by_key(|change| (change.span.start, change.span.end));
        changes.dedup();
        out.changes.extend(changes);
    }
    Ok(out)
}

/// The field in the type of what the variable holds.
fn member(labels: &Labels, made: Code<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let script = made.script;
    if !script.typed() {
        return Ok(());
    }
    let list = children(made.node).into_iter().find(|node| node.kind() == "type_arguments");
    let held = list.and_then(|list| children(list).first().copied());
    let held = held.filter(|held| held.kind() == "object_type");
    let held = held.ok_or_else(|| made.refuse("what the context variable holds is not written out here", TODO))?;
    let named =
        |node: &Node<'_>, wanted: &str| node.child_by_field_name("name").is_some_and(|name| script.of(name) == wanted);
    if children(held).iter().any(|node| named(node, NEW)) {
        return Err(made.refuse("the context variable holds an id of the request already", TODO));
    }
    let own = children(held).into_iter().find(|node| named(node, &labels.field));
    let own = own.ok_or_else(|| made.refuse("the field for the session id is not in the type", TODO))?;
    edits.replace(script, span(own), format!("{NEW}: string"));
    Ok(())
}

/// A read: the field's name, without a fallback, and the names under which log lines tell it.
fn rename(labels: &Labels, read: Code<'_>, edits: &mut Edits, renames: &mut Vec<Change>) -> Result<(), Refused> {
    let script = read.script;
    let stop = |node| script.refuse(node, "the session id is used here, and not only told by a log line", TODO);
    let property = read.node.child_by_field_name("property").filter(|name| script.of(*name) == labels.field);
    let property = property.ok_or_else(|| stop(read.node))?;
    edits.replace(script, span(property), NEW);
    let mut outer = read.node;
    if let Some(either) = outer.parent().filter(|parent| parent.kind() == "binary_expression") {
        let operator = either.child_by_field_name("operator").map(|operator| script.of(operator));
        let right = either.child_by_field_name("right").filter(|right| right.kind() == "string");
        if !matches!(operator, Some("??" | "||")) || right.is_none() {
            return Err(stop(either));
        }
        edits.cut(script, Span::new(outer.end_byte(), either.end_byte()));
        outer = either;
    }
    let declarator = outer.parent().filter(|parent| parent.kind() == "variable_declarator");
    let Some(declarator) = declarator else { return told(script, outer, renames).ok_or_else(|| stop(outer)) };
    let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
    let name = name.filter(|_| declarator.child_by_field_name("type").is_none()).ok_or_else(|| stop(declarator))?;
    let scope = scope::binding(script, name, script.of(name)).unwrap_or(declarator);
    let free = mentions(script, scope, NEW).is_empty();
    let uses = scope::uses(script, name);
    if !free {
        return Err(script.refuse(name, "the name `requestId` is taken here", TODO));
    }
    renames.push(script.change(span(name), NEW));
    for used in uses {
        told(script, used, renames).ok_or_else(|| stop(used))?;
        renames.push(script.change(span(used), NEW));
    }
    Ok(())
}

/// Whether an expression is part of what a log line says. The field that says it changes its name.
fn told(script: &Script, node: Node<'_>, renames: &mut Vec<Change>) -> Option<()> {
    let logs = std::iter::successors(node.parent(), Node::parent)
        .take_while(|around| !around.kind().ends_with("statement") || around.kind() == "expression_statement")
        .filter(|around| around.kind() == "call_expression")
        .filter_map(|call| call.child_by_field_name("function"))
        .any(|callee| {
            let callee = script.of(callee).to_lowercase();
            let mut parts = callee.split('.').rev().skip(1);
            parts.any(|part| part == "console" || part == "log" || part.ends_with("logger"))
        });
    if !logs {
        return None;
    }
    if let Some(pair) = node.parent().filter(|parent| parent.kind() == "pair")
        && let Some(key) = pair.child_by_field_name("key").filter(|key| key.kind() == "property_identifier")
        && script.of(key).to_lowercase().contains("session")
    {
        renames.push(script.change(span(key), NEW));
    }
    Some(())
}
