//! Handlers that change their record write it back, for the sake of a store that hands out copies.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::super::write_back::{self, after, changes, changes_of, insertion, last_of_each};
use super::record::{Record, Variable};
use super::uses::function;
use crate::model::facts::Span;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::script::span;

/// Writes the record back where a handler changes it. Whether it does.
pub fn write_back(record: &Record<'_>, edits: &mut Edits, handler: Node<'_>, key: &str) -> Result<bool, Refused> {
    let script = record.script;
    let mut found = own(record, handler);
    let changing = changing(record)?;
    for (carrier, _) in record.captured.carriers.iter().zip(&changing).filter(|(_, changes)| **changes) {
        for call in carrier.calls.iter().filter(|call| span(handler).contains(call.at.span)) {
            found.extend(script.around(call.at.span));
        }
    }
    found.sort_by_key(Node::start_byte);
    let text = format!("await {}.save({key}, {})", record.store, record.name);
    let mut places = Vec::new();
    let mut ahead = false;
    for change in found {
        match after(script, handler, change, handler) {
            Some(place) => places.push(place),
            None if write_back::ahead::change(script, edits, handler, change, &text) => ahead = true,
            // In memory nothing is lost by that.
            None if record.captured.shared.is_some() => {
                return Err(script.refuse(
                    change,
                    "the value is changed here, where it can't be written back to a store that hands out copies",
                    "change it in a statement of its own, and run again",
                ));
            }
            None => {}
        }
    }
    let places = last_of_each(places.into_iter().map(|place| (place, text.clone())).collect());
    for (place, text) in &places {
        let (at, text) = insertion(script, *place, text);
        edits.insert(script, at, text);
    }
    Ok(ahead || !places.is_empty())
}

/// Changes of the variables that stand in a function itself.
fn own<'t>(record: &Record<'t>, function: Node<'t>) -> Vec<Node<'t>> {
    let of = |variable: &Variable<'t>| match &variable.field {
        Some(field) => changes_of(record.script, function, &field.uses, !record.whole),
        None => changes(record.script, function, variable.name, !record.whole),
    };
    record.variables.iter().flat_map(of).collect()
}

/// Which of the functions that take the record change it, by themselves or through others.
fn changing(record: &Record<'_>) -> Result<Vec<bool>, Refused> {
    let carriers = &record.captured.carriers;
    let mut out = Vec::new();
    let mut bodies: Vec<Span> = Vec::new();
    for carrier in carriers {
        if !record.has(carrier) {
            bodies.push(Span::new(0, 0));
            out.push(false);
            continue;
        }
        let function = function(record, carrier)?;
        bodies.push(span(function));
        out.push(!matches!(carrier.entry, Entry::Handler(_)) && !own(record, function).is_empty());
    }
    for _ in 0..carriers.len() {
        for (index, carrier) in carriers.iter().enumerate() {
            for call in carrier.calls.iter().filter(|_| out[index]).cloned().collect::<Vec<_>>() {
                let within = &carriers[call.within];
                if !matches!(within.entry, Entry::Handler(_)) && bodies[call.within].contains(call.at.span) {
                    out[call.within] = true;
                }
            }
        }
    }
    Ok(out)
}
