//! What changes a value in place writes it back. In memory that is the same object; a shared store in the place of that hands out
//! copies, and would lose the change.

pub mod ahead;
mod changed;
mod place;

use tree_sitter::Node;

use super::create::store_expression;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Container, Entry, Kind, Place, Role, Touch};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, is_function, span, statement};
use changed::may_change;
pub use changed::{changes, changes_of};
pub use place::{after, insertion, last_of_each};

/// How many functions may hand a value on, one to the other.
const HELPERS: usize = 3;

/// Writes values back where functions that carry the handle change them.
pub fn write_back(work: &mut Work<'_>) -> Result<(), Refused> {
    // A store that answers at once is replaced by none outside of the process.
    if !work.wait || work.handle.plain {
        return Ok(());
    }
    for index in 0..work.handle.carriers.len() {
        if work.waits[index] && !ends_it(work, index) {
            of_function(work, index)?;
        }
    }
    Ok(())
}

/// Whether a tool creates, ends or replaces the value itself.
fn ends_it(work: &Work<'_>, index: usize) -> bool {
    let carrier = &work.handle.carriers[index];
    let ends = |role: Role| matches!(role, Role::Consumes | Role::Destroys);
    match &carrier.entry {
        Entry::Handler(tools) => work.creates(carrier) || tools.iter().all(|tool| ends(work.handle.tools[*tool].role)),
        _ => work.touches(index).any(|touch| touch.kind == Kind::Delete),
    }
}

fn of_function(work: &mut Work<'_>, index: usize) -> Result<(), Refused> {
    let (script, function) = work.function(&work.handle.carriers[index])?;
    let deletes = deletes(work, index, script);
    let mut places: Vec<(Node<'_>, String)> = Vec::new();
    for value in values(work, index, script, function)? {
        let all = changes(script, function, value.name, false);
        if all.is_empty() {
            continue;
        }
        let store = store_of(work, index, script, &value)?;
        for change in all {
            let place = after(script, function, change, value.declared);
            let gone = work.edits.covers(&script.path, span(change));
            if let (None, Some(store), false) = (place, &store, gone) {
                let save = format!("await {store}.save({}, {})", work.keys[index], script.of(value.name));
                if ahead::change(script, &mut work.edits, function, change, &save) {
                    work.features.save = true;
                    continue;
                }
            }
            let (Some(place), Some(store)) = (place, &store) else {
                lost(work, script, change)?;
                continue;
            };
            let list = place.parent().map(span);
            let gone = work.edits.covers(&script.path, span(place)) || work.edits.covers(&script.path, span(change));
            let gone = gone || is_written(work, index, script, place, script.of(value.name))?;
            if gone || deletes.iter().any(|delete| list.is_some_and(|list| list.contains(*delete))) {
                continue;
            }
            let text = format!("await {store}.save({}, {})", work.keys[index], script.of(value.name));
            if !places.iter().any(|(known, other)| *known == place && *other == text) {
                places.push((place, text));
            }
        }
    }
    for (place, text) in last_of_each(places) {
        let (at, text) = insertion(script, place, &text);
        work.edits.insert(script, at, text);
        work.features.save = true;
    }
    Ok(())
}

/// Whether the code itself writes the value back in a statement behind, which no way leads past.
fn is_written(work: &Work<'_>, index: usize, script: &Script, place: Node<'_>, value: &str) -> Result<bool, Refused> {
    for touch in work.touches(index).filter(|touch| touch.kind == Kind::Write && !work.done.contains(&touch.at)) {
        let (file, node) = work.scripts.expression(&touch.at)?;
        let written = touch.value.as_ref().is_some_and(|at| file.slice(at.span) == value);
        let own = statement(node);
        let plain = own.kind() == "expression_statement" && !work.edits.covers(&file.path, span(own));
        let mut between = std::iter::successors(place.next_named_sibling(), Node::next_named_sibling);
        let behind = file.path == script.path && between.clone().any(|next| next == own);
        if written && plain && behind && between.all(|next| next.start_byte() >= own.start_byte() || stays(next)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a statement is one that goes on to the next.
fn stays(statement: Node<'_>) -> bool {
    matches!(statement.kind(), "expression_statement" | "lexical_declaration" | "comment")
}

/// A change that can't be written back: in memory nothing is lost by that.
fn lost(work: &Work<'_>, script: &Script, change: Node<'_>) -> Result<(), Refused> {
    match work.handle.shared {
        None => Ok(()),
        Some(_) => Err(script.refuse(
            change,
            "the value is changed here, where it can't be written back to a store that hands out copies",
            "change it in a statement of its own, in the function that looks it up, and run again",
        )),
    }
}

/// Where values end within a function.
fn deletes(work: &Work<'_>, index: usize, script: &Script) -> Vec<Span> {
    let here = |site: &Site| (site.path == script.path).then_some(site.span);
    let own = work.touches(index).filter(|touch| touch.kind == Kind::Delete).filter_map(|touch| here(&touch.at));
    let carriers = work.handle.carriers.iter().enumerate();
    let deleting = carriers.filter(|(other, _)| work.touches(*other).any(|touch| touch.kind == Kind::Delete));
    let calls = deleting.flat_map(|(_, carrier)| &carrier.calls).filter(|call| call.within == index);
    own.chain(calls.filter_map(|call| here(&call.at))).collect()
}

/// A variable that a value was looked up into.
struct Value<'t> {
    name: Node<'t>,
    declared: Node<'t>,
    /// What the store is called there, where the function looks it up itself.
    store: Option<String>,
}

/// The variables of a function that values were looked up into: by itself, or through a function that answers the value.
fn values<'t>(
    work: &Work<'_>,
    index: usize,
    script: &'t Script,
    function: Node<'t>,
) -> Result<Vec<Value<'t>>, Refused> {
    let mut out = Vec::new();
    let mut passing = Vec::new();
    let mut add = |site: &Site, store: Option<String>| {
        let Some(node) = script.around(site.span).filter(|_| site.path == script.path) else { return };
        match variable(node).filter(|(name, _)| span(function).contains(span(*name))) {
            Some((name, declared)) => out.push(Value { name, declared, store }),
            None => passing.push(node),
        }
    };
    for touch in work.touches(index).filter(|touch| matches!(touch.kind, Kind::Read | Kind::GetOrCreate)) {
        let store = work.scripts.of(&touch.receiver)?.slice(touch.receiver.span).to_owned();
        add(&touch.at, Some(store));
    }
    for (other, carrier) in work.handle.carriers.iter().enumerate() {
        if !answers_the_value(work, other, HELPERS)? {
            continue;
        }
        for call in carrier.calls.iter().filter(|call| call.within == index) {
            add(&call.at, None);
        }
    }
    for node in passing.into_iter().filter(|node| may_change(script, function, *node)) {
        lost(work, script, node)?;
    }
    Ok(out)
}

/// The variable that an expression is the value of.
fn variable(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let mut value = node;
    while let Some(parent) = value.parent() {
        match parent.kind() {
            "await_expression" | "parenthesized_expression" | "non_null_expression" | "as_expression" => value = parent,
            "binary_expression" | "augmented_assignment_expression"
                if parent.child_by_field_name("left") == Some(value) =>
            {
                value = parent;
            }
            "variable_declarator" if parent.child_by_field_name("value") == Some(value) => {
                let name = parent.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
                return Some((name, parent));
            }
            _ => return None,
        }
    }
    None
}

/// Whether all that a function answers is the value that it looked up, by itself or through such a function.
fn answers_the_value(work: &Work<'_>, index: usize, helpers: usize) -> Result<bool, Refused> {
    let carrier = &work.handle.carriers[index];
    if matches!(carrier.entry, Entry::Handler(_)) {
        return Ok(false);
    }
    let (script, function) = work.function(carrier)?;
    let looks_up = |touch: &&Touch| matches!(touch.kind, Kind::Read | Kind::GetOrCreate);
    let mut read: Vec<Span> = work
        .touches(index)
        .filter(looks_up)
        .map(|touch| &touch.at)
        .filter(|at| at.path == script.path)
        .map(|at| at.span)
        .collect();
    for (other, carrier) in work.handle.carriers.iter().enumerate().filter(|(other, _)| helpers > 0 && *other != index)
    {
        let calls: Vec<Span> =
            carrier.calls.iter().filter(|call| call.within == index).map(|call| call.at.span).collect();
        if !calls.is_empty() && answers_the_value(work, other, helpers - 1)? {
            read.extend(calls);
        }
    }
    let reads = |node: Node<'_>| read.iter().any(|at| span(node).contains(*at));
    let looked_up: Vec<&str> =
        read.iter().filter_map(|at| variable(script.around(*at)?)).map(|(name, _)| script.of(name)).collect();
    let is_value = |node: Node<'_>| {
        let node = without_types(node);
        match node.kind() {
            "identifier" => looked_up.contains(&script.of(node)),
            "call_expression" | "subscript_expression" | "augmented_assignment_expression" => {
                reads(node) && !node.child_by_field_name("function").is_some_and(&reads)
            }
            _ => false,
        }
    };
    let Some(body) = function.child_by_field_name("body") else { return Ok(false) };
    if body.kind() != "statement_block" {
        return Ok(is_value(body));
    }
    let mut answers = Vec::new();
    answered(body, &mut answers);
    Ok(!answers.is_empty() && answers.into_iter().all(is_value))
}

fn without_types(node: Node<'_>) -> Node<'_> {
    let node = bare(node);
    match node.kind() {
        "non_null_expression" | "as_expression" | "await_expression" => {
            children(node).first().copied().map_or(node, without_types)
        }
        _ => node,
    }
}

fn answered<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node.kind() == "return_statement" {
        out.extend(children(node).first());
        return;
    }
    for child in children(node).into_iter().filter(|child| !is_function(*child)) {
        answered(child, out);
    }
}

/// What a function calls the store; `None` where it has no name for it.
fn store_of(work: &mut Work<'_>, index: usize, script: &Script, value: &Value<'_>) -> Result<Option<String>, Refused> {
    if value.store.is_some() {
        return Ok(value.store.clone());
    }
    let handle = work.handle;
    if handle.store.place != Place::Field && handle.store.declared.path == script.path {
        return Ok(Some(handle.store.name.clone()));
    }
    let Entry::Handler(tools) = &handle.carriers[index].entry else { return Ok(None) };
    match tools.first().map(|tool| &handle.tools[*tool]) {
        Some(tool) if handle.store.container == Container::Map || handle.store.place == Place::Module => {
            store_expression(work, script, tool).map(Some)
        }
        _ => Ok(None),
    }
}
