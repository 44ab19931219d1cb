//! Helpers that find a value, or nothing: they always find one now, or fail, and what they are said to answer says so.

use tree_sitter::Node;

use super::absent::{self, Asks, asks, touched};
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::{Entry, Kind};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, is_function, span};

/// How many helpers may stand one behind the other.
const DEPTH: usize = 4;

/// Whether an expression calls a helper that finds a value of the store.
pub fn is_look_up(work: &Work<'_>, script: &Script, node: Node<'_>, carrier: usize) -> bool {
    calls_one(work, script, node, carrier, DEPTH)
}

fn calls_one(work: &Work<'_>, script: &Script, node: Node<'_>, carrier: usize, depth: usize) -> bool {
    depth > 0
        && node.kind() == "call_expression"
        && work.handle.carriers.iter().enumerate().any(|(index, helper)| {
            let called = helper
                .calls
                .iter()
                .any(|call| call.within == carrier && call.at.path == script.path && call.at.span == span(node));
            called && index != carrier && finds(work, index, depth - 1)
        })
}

/// Whether all that a helper answers is the value that it looked up, or nothing where there is none.
fn finds(work: &Work<'_>, index: usize, depth: usize) -> bool {
    let carrier = &work.handle.carriers[index];
    if matches!(carrier.entry, Entry::Handler(_) | Entry::Closure { .. }) || work.handle.plain || work.creating[index] {
        return false;
    }
    let Ok((script, function)) = work.function(carrier) else { return false };
    let ty = function.child_by_field_name("return_type").map_or("", |ty| script.of(ty));
    if says_otherwise(function) || !can_be_retyped(ty) {
        return false;
    }
    let answers = answers(function);
    let mut found = 0;
    for answer in &answers {
        let Some(value) = answer else { return false };
        let value = looked(script, *value);
        if is_nothing(script, value) {
            if !is_where_none_is(work, script, value, index) {
                return false;
            }
            continue;
        }
        let own = touched(work, script, value, index, &[Kind::Read, Kind::GetOrCreate])
            || value.kind() == "identifier" && absent::looked_up(work, script, value, index).is_some()
            || calls_one(work, script, value, index, depth);
        if !own {
            return false;
        }
        found += 1;
    }
    found > 0
}

/// What a method of an interface, or of a class above, answers is not its own to say.
fn says_otherwise(function: Node<'_>) -> bool {
    if function.kind() != "method_definition" {
        return false;
    }
    let class = function.parent().and_then(|body| body.parent()).filter(|class| class.kind().contains("class"));
    class.is_none_or(|class| children(class).iter().any(|part| part.kind() == "class_heritage"))
}

/// What a function answers, each place where it does.
fn answers(function: Node<'_>) -> Vec<Option<Node<'_>>> {
    let Some(body) = function.child_by_field_name("body") else { return Vec::new() };
    if body.kind() != "statement_block" {
        return vec![Some(body)];
    }
    let (mut out, mut stack) = (Vec::new(), vec![body]);
    while let Some(node) = stack.pop() {
        if node.kind() == "return_statement" {
            out.push(children(node).first().copied());
        }
        stack.extend(children(node).into_iter().filter(|child| !is_function(*child)));
    }
    out
}

/// `read ?? null`, `id ? read : undefined`: the read.
fn looked<'t>(script: &Script, answer: Node<'t>) -> Node<'t> {
    let value = bare(answer);
    match alternative(script, value) {
        Some(left) => bare(left),
        None => bare(absent::unconditional(value, script)),
    }
}

/// The left side of `read ?? null`.
fn alternative<'t>(script: &Script, value: Node<'t>) -> Option<Node<'t>> {
    let sign = value.child_by_field_name("operator").filter(|_| value.kind() == "binary_expression")?;
    let nothing = is_nothing(script, value.child_by_field_name("right")?);
    (matches!(script.of(sign), "??" | "||") && nothing).then(|| value.child_by_field_name("left")).flatten()
}

fn is_nothing(script: &Script, node: Node<'_>) -> bool {
    matches!(script.of(node), "undefined" | "null")
}

/// Whether `return null` stands where the value is missing, and goes with that.
fn is_where_none_is(work: &Work<'_>, script: &Script, node: Node<'_>, index: usize) -> bool {
    let branch = std::iter::successors(Some(node), Node::parent)
        .take_while(|around| !is_function(*around))
        .find(|around| around.kind() == "if_statement");
    branch.and_then(|branch| branch.child_by_field_name("condition")).is_some_and(|condition| {
        asks(work, script, bare(condition), index).is_some_and(|(asks, _)| asks == Asks::Missing)
    })
}

/// Takes `| undefined` out of what such helpers are said to answer, and the alternative out of what they do.
pub fn retype(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        if !finds(work, index, DEPTH) {
            continue;
        }
        let (script, function) = work.function(&work.handle.carriers[index])?;
        for answer in answers(function).into_iter().flatten() {
            if let Some(left) = alternative(script, bare(answer)) {
                work.edits.cut(script, Span::new(left.end_byte(), bare(answer).end_byte()));
            }
        }
        if let Some(ty) = function.child_by_field_name("return_type") {
            for nothing in nothings(script.of(ty)) {
                let at = ty.start_byte();
                work.edits.cut(script, Span::new(at + nothing.start, at + nothing.end));
            }
        }
    }
    Ok(())
}

/// Whether a written type says nothing else of what may be missing.
fn can_be_retyped(ty: &str) -> bool {
    let words: Vec<&str> = ty.split(|char: char| !char.is_alphanumeric() && char != '_').collect();
    let missing = words.iter().filter(|word| matches!(**word, "undefined" | "null")).count();
    let named = ["Maybe", "Option", "Optional", "Nullable"];
    missing == nothings(ty).len() && !words.iter().any(|word| named.contains(word))
}

/// Where a written type says that there may be nothing.
fn nothings(ty: &str) -> Vec<std::ops::Range<usize>> {
    if ty.contains(['(', '{']) {
        return Vec::new();
    }
    let words = [" | undefined", " | null", "undefined | ", "null | "];
    words.iter().filter_map(|word| ty.find(word).map(|at| at..at + word.len())).collect()
}
