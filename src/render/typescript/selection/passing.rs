//! The way of the choice: parameters of helpers, arguments of their calls.

use tree_sitter::Node;

use super::{Work, check, typed};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::handle::work::whole_argument;
use crate::render::typescript::script::{Script, bare, children, span};

/// Gives the helpers the choice, and their calls the argument.
pub fn pass_on(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.selection.carriers.len() {
        let carrier = &work.selection.carriers[index];
        let takes_place = match &carrier.entry {
            Entry::Handler(_) | Entry::Closure { .. } | Entry::Part { .. } => continue,
            Entry::Parameter { at, .. } => !keeps(work, index, at)?,
            Entry::New => false,
        };
        parameter(work, index, takes_place)?;
        for call in &carrier.calls {
            let (script, node) = work.scripts.expression(&call.at)?;
            if work.edits.covers(&script.path, span(node)) {
                continue;
            }
            work.uses[call.within] += 1;
            let text = check::asked(work, script, node, call.within)?;
            match call.argument.as_ref().filter(|_| takes_place) {
                Some(argument) => {
                    let (_, argument) = work.scripts.expression(argument)?;
                    work.edits.replace(script, span(whole_argument(argument, bare(node))), text);
                }
                None => first(work, script, bare(node), &text)?,
            }
        }
    }
    Ok(())
}

fn first(work: &mut Work<'_>, script: &Script, call: Node<'_>, text: &str) -> Result<(), Refused> {
    let list = call
        .child_by_field_name("arguments")
        .ok_or_else(|| script.refuse(call, "a call was expected here", "pass the choice by hand"))?;
    match children(list).first() {
        Some(next) => work.edits.insert(script, next.start_byte(), format!("{text}, ")),
        None => work.edits.replace(script, Span::new(list.start_byte() + 1, list.end_byte() - 1), text),
    }
    Ok(())
}

/// Whether a helper goes on using the parameter that led to the choice.
fn keeps(work: &Work<'_>, index: usize, at: &Site) -> Result<bool, Refused> {
    let (script, function) = work.function(&work.selection.carriers[index])?;
    let name = script.slice(at.span);
    let passed = |node: Node<'_>| {
        work.selection.carriers.iter().flat_map(|carrier| &carrier.calls).any(|call| {
            let within = |site: &Site| site.path == script.path && site.span.contains(span(node));
            call.within == index && call.argument.as_ref().is_some_and(within)
        })
    };
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        let used = matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && script.of(node) == name
            && span(node) != at.span;
        if used && !work.edits.covers(&script.path, span(node)) && !passed(node) {
            return Ok(true);
        }
        stack.extend(children(node));
    }
    Ok(false)
}

fn parameter(work: &mut Work<'_>, index: usize, takes_place: bool) -> Result<(), Refused> {
    let carrier = &work.selection.carriers[index];
    let (script, function) = work.function(carrier)?;
    let name = &work.names[index];
    let text =
        if script.typed() { format!("{name}: {}", typed::type_in(work, script, function)?) } else { name.clone() };
    let only = function.child_by_field_name("parameter");
    if let (Entry::Parameter { at, .. }, true) = (&carrier.entry, takes_place) {
        let node = script.around(at.span).unwrap_or(function);
        let outer = std::iter::successors(Some(node), Node::parent)
            .take_while(|node| node.kind() != "formal_parameters" && *node != function)
            .last()
            .unwrap_or(node);
        let text = if only == Some(outer) && script.typed() { format!("({text})") } else { text };
        work.edits.replace(script, span(outer), text);
        return Ok(());
    }
    if let Some(only) = only {
        work.edits.replace(script, span(only), format!("({text}, {})", script.of(only)));
        return Ok(());
    }
    let list = function
        .child_by_field_name("parameters")
        .ok_or_else(|| script.refuse(function, "its parameters were not found", "pass the choice by hand"))?;
    match children(list).first() {
        Some(next) => work.edits.insert(script, next.start_byte(), format!("{text}, ")),
        None => work.edits.replace(script, Span::new(list.start_byte() + 1, list.end_byte() - 1), text),
    }
    Ok(())
}
