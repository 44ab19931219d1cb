//! Code for the case that nothing is found under a key: it made up a first value, and says now that there is none.

use tree_sitter::Node;

use super::Work;
use crate::plan::Site;
use crate::plan::handle::{Entry, Kind};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, span};

/// Lets each read end in an error where there is nothing.
pub fn replace(work: &mut Work<'_>) -> Result<(), Refused> {
    let external = work.external;
    let touches = external.touches.iter().filter(|touch| touch.kind == Kind::Read);
    let mut reads: Vec<(&Site, usize)> = touches.map(|touch| (&touch.at, touch.carrier)).collect();
    let mut done: Vec<&Site> = Vec::new();
    while let Some((at, carrier)) = reads.pop() {
        if done.contains(&at) {
            continue;
        }
        done.push(at);
        let (script, node) = work.scripts.expression(at)?;
        let outer = outermost(node);
        let seen = one(work, script, outer, carrier)
            || held(outer).is_some_and(|name| of_variable(work, script, name, carrier));
        let calls = &external.carriers[carrier].calls;
        let passes = std::mem::take(&mut work.passes) || is_answered(outer);
        if !seen && passes && !calls.is_empty() {
            // Who calls it decides what happens where there is nothing.
            reads.extend(calls.iter().map(|call| (&call.at, call.within)));
        } else if !seen {
            // Nothing was said of the case: the value was taken as it came.
            let none = work.none(script, carrier);
            work.edits.insert(script, outer.start_byte(), "(");
            work.edits.insert(script, outer.end_byte(), format!(" ?? {none})"));
        }
    }
    Ok(())
}

/// Whether a function does nothing with a value but answer it.
fn is_answered(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == "return_statement"
            || parent.kind() == "arrow_function" && parent.child_by_field_name("body") == Some(node)
    })
}

/// Without what is transparent around a read.
fn outermost(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "await_expression" | "parenthesized_expression" | "non_null_expression")
            || parent.kind() == "as_expression" && children(*parent).first() == Some(&outer)
    }) {
        if matches!(parent.parent().map(|around| around.kind()), Some("if_statement")) {
            break;
        }
        outer = parent;
    }
    outer
}

/// The name of the variable that is given a value.
fn held(value: Node<'_>) -> Option<Node<'_>> {
    let declarator = value.parent().filter(|parent| parent.kind() == "variable_declarator")?;
    declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier")
}

fn of_variable(work: &mut Work<'_>, script: &Script, name: Node<'_>, carrier: usize) -> bool {
    let mut seen = false;
    for used in scope::uses(script, name) {
        if seen && work.edits.covers(&script.path, span(used)) {
            continue;
        }
        seen |= one(work, script, outermost(used), carrier);
    }
    seen
}

/// Settles what happens where a value is missing, at one place that has it.
fn one(work: &mut Work<'_>, script: &Script, node: Node<'_>, carrier: usize) -> bool {
    let Some(parent) = node.parent() else { return false };
    let operator = parent.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
    if parent.kind() == "binary_expression" && matches!(operator, "??" | "||") {
        let Some(other) = parent.child_by_field_name("right").filter(|right| *right != node) else { return false };
        let raw = is_parsed(script, parent);
        return put(work, script, other, carrier, raw);
    }
    let (root, there) = condition(script, node);
    let Some(around) = root.parent() else { return false };
    match around.kind() {
        "ternary_expression" if around.child_by_field_name("condition") == Some(root) => {
            let field = if there { "alternative" } else { "consequence" };
            around
                .child_by_field_name(field)
                .is_some_and(|other| put(work, script, other, carrier, is_parsed(script, around)))
        }
        "if_statement" if around.child_by_field_name("condition") == Some(root) => {
            branch(work, script, around, there, carrier)
        }
        _ => false,
    }
}

/// The condition that asks for a value, and whether it holds where there is one.
fn condition<'t>(script: &Script, node: Node<'t>) -> (Node<'t>, bool) {
    let (mut root, mut there) = (node, true);
    while let Some(parent) = root.parent() {
        let operator = parent.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
        let nothing =
            parent.child_by_field_name("right").is_some_and(|right| matches!(script.of(right), "null" | "undefined"));
        match (parent.kind(), operator) {
            ("parenthesized_expression", _) => {}
            ("unary_expression", "!") => there = !there,
            ("binary_expression", "===" | "==") if nothing => there = !there,
            ("binary_expression", "!==" | "!=") if nothing => {}
            _ => break,
        }
        root = parent;
    }
    (root, there)
}

/// `if (!raw) return first;`, and `if (raw) return parsed; return first;`.
fn branch(work: &mut Work<'_>, script: &Script, around: Node<'_>, there: bool, carrier: usize) -> bool {
    if around.child_by_field_name("alternative").is_some() {
        return false;
    }
    let Some(then) = around.child_by_field_name("consequence") else { return false };
    let statements = if then.kind() == "statement_block" { children(then) } else { vec![then] };
    let Some(last) = statements.last().copied() else { return false };
    let leaves = matches!(last.kind(), "return_statement" | "throw_statement");
    let missing = match there {
        false if leaves && statements.len() == 1 => Some(last),
        true if leaves => around.next_named_sibling().filter(|next| next.kind() == "return_statement"),
        _ => None,
    };
    let Some(missing) = missing else { return false };
    let value = children(missing).first().copied();
    match (missing.kind(), value) {
        ("return_statement", Some(value)) => put(work, script, value, carrier, false),
        _ => {
            let none = work.none(script, carrier);
            let end = if script.style.semicolons { ";" } else { "" };
            work.edits.replace(script, span(missing), format!("return {none}{end}"));
            true
        }
    }
}

/// Whether what an expression answers is parsed: then it is a text as it is stored.
fn is_parsed(script: &Script, node: Node<'_>) -> bool {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| parent.kind() == "parenthesized_expression") {
        outer = parent;
    }
    outer
        .parent()
        .filter(|list| list.kind() == "arguments")
        .and_then(|list| list.parent())
        .and_then(|call| call.child_by_field_name("function"))
        .is_some_and(|callee| script.of(callee).ends_with("parse"))
}

fn put(work: &mut Work<'_>, script: &Script, other: Node<'_>, carrier: usize, raw: bool) -> bool {
    if matches!(script.of(bare(other)), "null" | "undefined") && !work.external.carriers[carrier].calls.is_empty() {
        work.passes = true;
        return false;
    }
    // What a tool says where there is nothing is no value.
    let handles = matches!(work.external.carriers[carrier].entry, Entry::Handler(_));
    let answered = other.parent().is_some_and(|parent| parent.kind() == "return_statement");
    let shown = !raw && matches!(bare(other).kind(), "string" | "template_string");
    if !(handles && (answered || shown)) {
        work.initial(script, bare(other), raw);
    }
    let none = work.none(script, carrier);
    work.edits.replace(script, span(other), none);
    true
}
