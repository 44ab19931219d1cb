//! Texts that speak of the tools which went: a sentence that sends the model to one of them goes, others are pointed out.

use tree_sitter::Node;

use super::Work;
use crate::render::Rendered;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::{spoken, tools};

/// Changes such texts, and notes those that it can't change.
pub fn settle(work: &mut Work<'_>, out: &mut Rendered) {
    let Rendered { notes, left, .. } = out;
    let selection = work.selection;
    let gone: Vec<&str> = selection.gone().map(|tool| tool.name.as_str()).collect();
    remembers_nothing(work, notes);
    let scripts = work.scripts;
    for script in scripts.all() {
        let mut texts = Vec::new();
        collect(script.tree.root_node(), &mut texts);
        for node in texts {
            let text = script.of(node);
            let named = gone.iter().any(|name| speaks_of(text, name));
            if !named || work.edits.covers(&script.path, span(node)) || script.of(node).len() < 3 {
                continue;
            }
            match without(text, &gone, &selection.argument.argument, is_instruction(script, node)) {
                Some(changed) if node.kind() == "string" => work.edits.replace(script, span(node), changed),
                _ => notes.push(format!("{}: this text still speaks of {}: {text}", script.path, gone.join(", "))),
            }
        }
        for tool in &selection.tools {
            let site = tool.entry.as_ref().unwrap_or(&tool.registration);
            let found = script.node(site.span).filter(|_| site.path == script.path);
            if let Some(found) = found {
                spoken::tool(&mut work.edits, left, script, found, &tool.name);
            }
        }
    }
    notes.sort();
    notes.dedup();
}

/// The tool that set the choice stays: what the model reads of it says that it remembers nothing.
fn remembers_nothing(work: &mut Work<'_>, notes: &mut Vec<String>) {
    let selection = work.selection;
    let setter = &selection.setter;
    if setter.tells.is_none() {
        return;
    }
    let readers: Vec<&str> = selection.tools.iter().map(|tool| tool.name.as_str()).collect();
    let readers = match readers.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        only => only.join(", "),
    };
    let sentence = format!("Nothing is remembered: pass {} to {readers}.", selection.argument.argument);
    match tools::description(work.scripts, &setter.tool) {
        Some(found) => work.edits.extend(tools::say_more(found, &sentence, None)),
        None => notes.push(format!("{}: say in its description that it remembers nothing", setter.tool.name)),
    }
}

fn collect<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if matches!(node.kind(), "string" | "template_string") {
        out.push(node);
        return;
    }
    children(node).into_iter().for_each(|child| collect(child, out));
}

/// Whether a text has a name as a word of its own.
fn speaks_of(text: &str, name: &str) -> bool {
    let apart = |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric() && char != '_' && char != '-');
    text.match_indices(name)
        .any(|(at, _)| apart(text[..at].chars().next_back()) && apart(text[at + name.len()..].chars().next()))
}

/// Whether a text is what the server tells of itself.
fn is_instruction(script: &Script, node: Node<'_>) -> bool {
    node.parent().and_then(|pair| pair.child_by_field_name("key")).is_some_and(|key| script.of(key) == "instructions")
}

/// A text without the sentences that speak of what is gone. In the instructions of a server one takes their place.
fn without(text: &str, gone: &[&str], argument: &str, instruction: bool) -> Option<String> {
    let quote = text.chars().next()?;
    let inside = &text[1..text.len() - 1];
    let mut kept = Vec::new();
    let mut dropped = false;
    for sentence in sentences(inside) {
        match gone.iter().any(|name| speaks_of(sentence, name)) {
            true => {
                if instruction && !dropped {
                    kept.push(format!("Pass {argument} to the tools that take it."));
                }
                dropped = true;
            }
            false => kept.push(sentence.to_owned()),
        }
    }
    (!kept.is_empty()).then(|| format!("{quote}{}{quote}", kept.join(" ")))
}

fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(". ") {
        out.push(text[start..=at].trim());
        start = at + 2;
    }
    out.push(text[start..].trim());
    out.retain(|sentence| !sentence.is_empty());
    out
}
