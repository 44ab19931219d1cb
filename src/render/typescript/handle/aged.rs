//! Code that looks at a value's age where it is read, and drops it: the handle store does that, and one lifetime rules.

use tree_sitter::Node;

use super::outside::{is_constant, seconds};
use super::work::Work;
use crate::plan::handle::Kind;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};

/// Takes such code out. What it says of the lifetime is what the store is told.
pub fn take_out(work: &mut Work<'_>) -> Result<(), Refused> {
    let mut found: Option<(String, bool)> = None;
    let mut gone = Vec::new();
    let reads = work.handle.touches.iter().filter(|touch| touch.kind == Kind::Read && !touch.companion);
    for touch in reads {
        let (script, read) = work.scripts.expression(&touch.at)?;
        let Some(name) = held(read) else { continue };
        let Some(function) = enclosing_function(read) else { continue };
        for branch in branches(function) {
            let Some(age) = age(work, script, branch, script.of(name)) else { continue };
            if work.edits.covers(&script.path, span(branch)) || !only_drops(work, script, branch) {
                continue;
            }
            let aged = !is_renewed(work, &age.field);
            match &found {
                Some(known) if *known != (age.seconds.clone(), aged) => return Ok(()),
                _ => found = Some((age.seconds, aged)),
            }
            gone.push((script, branch));
        }
    }
    let Some((seconds, aged)) = found else { return Ok(()) };
    // A value that is written anew lives on from then.
    let writes = |kind: Kind| matches!(kind, Kind::Write | Kind::GetOrCreate);
    let rewrites = work.handle.touches.iter().any(|touch| {
        let made = work.is_gone(&touch.at) || work.creates_at(touch.carrier, touch.at.span);
        writes(touch.kind) && !touch.companion && !made
    });
    for (script, branch) in gone {
        if script.of(branch).contains("console.") {
            let noun = &work.handle.names.noun;
            work.notes.push(format!("a {noun} that is too old expires by itself: no log line says so any more"));
        }
        work.edits.cut(script, script.removal(branch));
    }
    work.idle = Some(seconds);
    work.aged = aged && !rewrites && work.handle.shared.is_none();
    work.features.aged |= work.aged;
    Ok(())
}

/// The variable that is given what is read.
fn held(read: Node<'_>) -> Option<Node<'_>> {
    let mut outer = read;
    while let Some(parent) = outer.parent().filter(|parent| bare(*parent) == bare(outer)) {
        outer = parent;
    }
    let declarator = outer.parent().filter(|parent| parent.kind() == "variable_declarator")?;
    declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier")
}

fn branches(function: Node<'_>) -> Vec<Node<'_>> {
    let (mut out, mut stack) = (Vec::new(), vec![function]);
    while let Some(node) = stack.pop() {
        if node.kind() == "if_statement" && node.child_by_field_name("alternative").is_none() {
            out.push(node);
        }
        stack.extend(children(node));
    }
    out.sort_by_key(Node::start_byte);
    out
}

/// What a condition says of the age of a value.
struct Age {
    /// The field that has the time.
    field: String,
    /// How long a value lives, as code.
    seconds: String,
}

/// `Date.now() - entry.storedAt > TTL`, with a look whether there is one before it.
fn age(work: &Work<'_>, script: &Script, branch: Node<'_>, value: &str) -> Option<Age> {
    let mut condition = bare(branch.child_by_field_name("condition")?);
    let operator =
        |node: Node<'_>| node.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
    if condition.kind() == "binary_expression" && operator(condition) == "&&" {
        let first = bare(condition.child_by_field_name("left")?);
        condition =
            (script.of(first) == value).then(|| bare(condition.child_by_field_name("right").unwrap_or(first)))?;
    }
    if condition.kind() != "binary_expression" || !matches!(operator(condition), ">" | ">=") {
        return None;
    }
    let (difference, limit) =
        (bare(condition.child_by_field_name("left")?), bare(condition.child_by_field_name("right")?));
    if difference.kind() != "binary_expression" || operator(difference) != "-" {
        return None;
    }
    let (now, time) = (bare(difference.child_by_field_name("left")?), bare(difference.child_by_field_name("right")?));
    let object = time.child_by_field_name("object").map(|object| script.of(object));
    let field = time.child_by_field_name("property").map(|field| script.of(field))?;
    (script.of(now) == "Date.now()" && object == Some(value) && is_constant(work, script, limit))
        .then(|| Age { field: field.to_owned(), seconds: seconds(script.of(limit)) })
}

/// Whether a branch does nothing but to drop the value, and leaves.
fn only_drops(work: &Work<'_>, script: &Script, branch: Node<'_>) -> bool {
    let Some(then) = branch.child_by_field_name("consequence") else { return false };
    let statements = if then.kind() == "statement_block" { children(then) } else { vec![then] };
    let Some((last, rest)) = statements.split_last() else { return false };
    let drops = |node: &Node<'_>| {
        work.handle.touches.iter().any(|touch| {
            touch.kind == Kind::Delete && touch.at.path == script.path && {
                let inner = script.around(touch.at.span).map(statement);
                inner == Some(*node)
            }
        })
    };
    let leaves = last.kind() == "throw_statement"
        || last.kind() == "return_statement"
            && children(*last).first().is_none_or(|value| matches!(script.of(*value), "null" | "undefined" | "false"));
    leaves && rest.iter().all(|node| drops(node) || is_log(script, *node))
}

/// `console.warn(…)`: that it was too old is said of a handle that has expired, too.
fn is_log(script: &Script, node: Node<'_>) -> bool {
    let call = children(node).first().copied().filter(|call| call.kind() == "call_expression");
    let callee = call.and_then(|call| call.child_by_field_name("function")).map(|callee| script.of(callee));
    callee.is_some_and(|callee| callee.starts_with("console."))
}

/// Whether the time of a value is set again while it lives.
fn is_renewed(work: &Work<'_>, field: &str) -> bool {
    let mut paths: Vec<&str> = work.handle.carriers.iter().map(|carrier| carrier.function.path.as_str()).collect();
    paths.push(&work.handle.store.declared.path);
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().filter_map(|path| work.scripts.by_path(path)).any(|script| {
        let mut stack = vec![script.tree.root_node()];
        while let Some(node) = stack.pop() {
            let target = (node.kind() == "assignment_expression").then(|| node.child_by_field_name("left")).flatten();
            let property = target.and_then(|target| target.child_by_field_name("property"));
            if property.is_some_and(|property| script.of(property) == field) {
                return true;
            }
            stack.extend(children(node));
        }
        false
    })
}
