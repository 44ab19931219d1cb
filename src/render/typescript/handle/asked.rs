//! A handle that code asks for more than once in one place is asked for once, and kept under its own name.

use tree_sitter::Node;

use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::script::{Script, span, statement};
use crate::render::typescript::scripts::mentions;
use crate::render::typescript::tools;

/// Lets such code keep it.
pub fn once(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        let Entry::Handler(served) = &carrier.entry else { continue };
        if !work.names[index].contains('(') {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        let served: Vec<_> = served.iter().map(|tool| &work.handle.tools[*tool]).collect();
        if served.iter().any(|tool| tool.looked_up().is_some()) {
            in_part(work, index, script, function, span(function));
            continue;
        }
        let parts = served.iter().filter_map(|tool| tools::part(script, function, &tool.name));
        for part in parts.collect::<Vec<_>>() {
            in_part(work, index, script, function, part);
        }
    }
    Ok(())
}

fn in_part(work: &mut Work<'_>, index: usize, script: &Script, function: Node<'_>, part: Span) {
    let asked = work.names[index].clone();
    let name = work.handle.names.argument.clone();
    let places = work.edits.with_text(&script.path, part, &asked);
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return };
    let free = work.edits.with_text(&script.path, part, &format!("const {name} ")).is_empty()
        && mentions(script, function, &name).is_empty();
    let Some(own) = script.around(*first).map(statement) else { return };
    let around = own.parent().filter(|block| block.kind() == "statement_block" && span(*block).contains(*last));
    if places.len() < 2 || !free || around.is_none() || work.edits.covers(&script.path, span(own)) {
        return;
    }
    work.edits.rewrite(&script.path, part, &asked, &name);
    let end = if script.style.semicolons { ";" } else { "" };
    let indent = script.indentation(own);
    let text = format!("const {name} = {asked}{end}{}{indent}", script.style.newline);
    work.edits.insert(script, own.start_byte(), text);
}
