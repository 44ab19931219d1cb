//! Words that are not true any more: comments that speak of the session go, and so do such words in texts for the model.

use tree_sitter::Node;

use super::edits::Edits;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::script::{Script, statement};
use crate::render::typescript::spoken::{self, Told};

const STALE: &[&str] =
    &["session", "connection", "connected client", "per client", "each client", "first use", "transport"];

/// What a comment says the type of a container is: it is a store of handles now.
const CONTAINERS: &[&str] = &["{map<", "{record<", "{object", "{weakmap<", "{map}", "lrucache"];

/// Takes stale comments above the store and the helpers away, and sees to the texts for the model.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    let store = &work.handle.store.declared;
    let script = work.scripts.of(store)?;
    if let Some(name) = script.around(store.span) {
        stale(&mut work.edits, script, name.parent().unwrap_or(name), !work.handle.registry);
    }
    for carrier in &work.handle.carriers {
        if !matches!(carrier.entry, Entry::Handler(_)) {
            let (script, function) = work.function(carrier)?;
            above(&mut work.edits, script, function);
        }
    }
    for tool in &work.handle.tools {
        let site = tool.entry.as_ref().unwrap_or(&tool.registration);
        let (script, node) = work.scripts.expression(site)?;
        spoken::tool(&mut work.edits, &mut work.left, script, node, &tool.name);
    }
    let creator = work.handle.creating_tool();
    let tools = work.handle.tools.iter().map(|tool| tool.name.as_str()).collect();
    let told = Told { names: &work.handle.names, create: &creator, tools };
    spoken::instructions(&mut work.edits, &mut work.left, work.scripts, &work.handle.servers, &told);
    Ok(())
}

/// Takes the stale ones among the comments right above a declaration away, and what says the type of a container.
pub fn above(edits: &mut Edits, script: &Script, node: Node<'_>) {
    stale(edits, script, node, true);
}

/// The same, where the type is another one now, or where it is not.
fn stale(edits: &mut Edits, script: &Script, node: Node<'_>, retyped: bool) {
    let mut own = if node.kind() == "method_definition" || node.kind().ends_with("field_definition") {
        node
    } else {
        statement(node)
    };
    if let Some(parent) = own.parent().filter(|parent| parent.kind() == "export_statement") {
        own = parent;
    }
    let mut start = own.start_byte();
    let mut before = own.prev_sibling();
    while let Some(comment) = before.filter(|before| before.kind() == "comment") {
        let between = &script.text()[comment.end_byte()..start];
        let line = script.line_start(comment.start_byte());
        let alone = script.text()[line..comment.start_byte()].trim().is_empty();
        if !between.trim().is_empty() || between.matches('\n').count() > 1 || !alone {
            break;
        }
        let text = script.of(comment).to_lowercase();
        let typed = retyped && text.contains("@type {") && CONTAINERS.iter().any(|kind| text.contains(kind));
        if typed || STALE.iter().any(|word| text.contains(word)) {
            edits.cut(script, Span::new(line, script.line_end(comment.end_byte())));
        }
        start = comment.start_byte();
        before = comment.prev_sibling();
    }
}
