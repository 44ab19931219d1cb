//! Whether the store's methods can answer promises: then every function on the way has to wait for them.
//!
//! A store that answers promises can be replaced by a shared one without a change in the tools, so that is preferred. It takes that
//! each function which carries the handle can be asynchronous, and that no access or call of it stands in a callback which can't
//! wait. Otherwise all of the store's methods answer at once, and no function changes its kind.

use tree_sitter::Node;

use super::checks;
use super::edits::Edits;
use super::work::Work;
use crate::plan::Site;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, span};

/// Which carriers have something to wait for: tools, and helpers that look the handle up.
pub fn waiting(work: &Work<'_>) -> Vec<bool> {
    let looks = checks::looking(work);
    let handles = |index: usize| matches!(work.handle.carriers[index].entry, Entry::Handler(_));
    (0..looks.len()).map(|index| looks[index] || handles(index)).collect()
}

/// Whether all carriers can wait.
pub fn can_wait(work: &Work<'_>) -> Result<bool, Refused> {
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        if !work.waits[index] {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        if !can_be_async(script, function) {
            return Ok(false);
        }
        for touch in work.touches(index) {
            if !stands_in_waiting(work, &touch.at, function)? {
                return Ok(false);
            }
        }
        for call in &carrier.calls {
            let (_, around) = work.function(&work.handle.carriers[call.within])?;
            if !stands_in_waiting(work, &call.at, around)? {
                return Ok(false);
            }
        }
        if !carrier.handed.is_empty() {
            return Ok(false);
        }
        // What is called in a way that was not seen would be handed a promise.
        if carrier.calls.is_empty() && !matches!(carrier.entry, Entry::Handler(_) | Entry::Closure { .. }) {
            return Ok(false);
        }
    }
    Ok(work.handle.outside.iter().all(|outside| outside.direct))
}

/// Whether a place belongs to a function directly, or to an asynchronous one within it.
fn stands_in_waiting(work: &Work<'_>, site: &Site, function: Node<'_>) -> Result<bool, Refused> {
    let (script, node) = work.scripts.expression(site)?;
    Ok(enclosing_function(node).is_some_and(|around| around == function || is_async(script, around)))
}

fn can_be_async(script: &Script, function: Node<'_>) -> bool {
    if is_async(script, function) {
        return true;
    }
    match function.kind() {
        "generator_function" | "generator_function_declaration" => false,
        "method_definition" => {
            let name = function.child_by_field_name("name").map(|name| script.of(name)).unwrap_or_default();
            let head = &script.of(function)
                [..function.child_by_field_name("name").map_or(0, |name| name.start_byte() - function.start_byte())];
            name != "constructor"
                && !is_promised(function)
                && !head.split_whitespace().any(|word| matches!(word, "get" | "set"))
                && !head.contains('*')
        }
        _ => true,
    }
}

/// Whether an interface says what a method answers.
fn is_promised(method: Node<'_>) -> bool {
    let class = method.parent().and_then(|body| body.parent()).map(children).unwrap_or_default();
    let heritage = class.into_iter().filter(|part| part.kind() == "class_heritage").flat_map(children);
    heritage.into_iter().any(|clause| clause.kind() == "implements_clause")
}

/// Whether a function is asynchronous.
pub fn is_async(script: &Script, function: Node<'_>) -> bool {
    let stop = ["parameters", "parameter", "body", "name"]
        .iter()
        .filter_map(|field| function.child_by_field_name(field))
        .map(|node| node.start_byte())
        .min()
        .unwrap_or(function.end_byte());
    script.text()[function.start_byte()..stop].split(|char: char| !char.is_alphanumeric()).any(|word| word == "async")
}

/// Makes the functions that carry the handle asynchronous.
pub fn make_async(work: &mut Work<'_>) -> Result<(), Refused> {
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        if !work.waits[index] {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        asynchronous(&mut work.edits, script, function);
    }
    Ok(())
}

/// Makes a function asynchronous, if it is not.
pub fn asynchronous(edits: &mut Edits, script: &Script, function: Node<'_>) {
    if is_async(script, function) {
        return;
    }
    let at = match function.kind() {
        "method_definition" => {
            function.child_by_field_name("name").map_or(function.start_byte(), |name| name.start_byte())
        }
        _ => function.start_byte(),
    };
    match function.child(0).filter(|first| script.of(*first) == "function") {
        Some(keyword) => edits.replace(script, span(keyword), "async function"),
        None => edits.insert(script, at, "async "),
    }
    if let Some(ret) = function.child_by_field_name("return_type") {
        let ty = script.of(ret).trim_start_matches(':').trim_start();
        if !ty.starts_with("Promise<") {
            let start = ret.end_byte() - ty.len();
            edits.insert(script, start, "Promise<");
            edits.insert(script, ret.end_byte(), ">");
        }
    }
}
