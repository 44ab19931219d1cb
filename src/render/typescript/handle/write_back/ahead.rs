//! A change within a statement that leaves, or that asks what it answers: it becomes a statement of its own before that one, so that the
//! value can be written back between the two.

use tree_sitter::Node;

use super::super::edits::Edits;
use crate::model::facts::Span;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::typescript::scripts::mentions;
use crate::render::typescript::tools::applied;

const RETURN: &str = "return ";

/// Makes a change before the statement that it stands in, and writes the value back behind it. Answers whether that can be done.
pub fn change(script: &Script, edits: &mut Edits, function: Node<'_>, change: Node<'_>, save: &str) -> bool {
    let answer = function.child_by_field_name("body").filter(|body| body.kind() != "statement_block");
    let Some(own) = answer.or_else(|| place(change)) else { return false };
    if enclosing_function(change) != Some(function) || !is_free(script, own, change) {
        return false;
    }
    let name = free_name(script, &[&called(script, change), "result"]);
    let within = span(change);
    let inside = edits.of(&script.path).into_iter().filter(|one| within.contains(one.span)).collect();
    let text = applied(script, within, inside);
    let newline = script.style.newline;
    let end = if script.style.semicolons { ";" } else { "" };
    let lines = |indent: &str| format!("const {name} = {text}{end}{newline}{indent}{save}{end}{newline}{indent}");
    if answer.is_some() {
        // The answer of an arrow function, which has a body by now.
        let inner = format!("{}{}", script.indentation(function), script.style.indent.text());
        let head = Span::new(function.start_byte(), bare(own).start_byte());
        if edits.with_text(&script.path, head, RETURN).is_empty() {
            return false;
        }
        edits.rewrite(&script.path, head, RETURN, &format!("{}{RETURN}", lines(&inner)));
    } else {
        edits.insert(script, own.start_byte(), lines(script.indentation(own)));
    }
    edits.replace(script, within, name);
    true
}

/// The statement before which a change can be made: it leaves, or asks for what the change answers.
fn place<'t>(change: Node<'t>) -> Option<Node<'t>> {
    let own = statement(change);
    let asked = own.child_by_field_name("condition").is_some_and(|condition| span(condition).contains(span(change)));
    let fits = matches!(own.kind(), "return_statement" | "throw_statement") || own.kind() == "if_statement" && asked;
    fits.then_some(own)
}

/// Whether a change happens in any case, and nothing before it in the same code can tell the difference.
fn is_free(script: &Script, own: Node<'_>, change: Node<'_>) -> bool {
    let always = std::iter::successors(Some(change), Node::parent).take_while(|node| *node != own).all(|node| {
        let Some(parent) = node.parent() else { return false };
        match parent.kind() {
            "binary_expression" => {
                let sign = parent.child_by_field_name("operator").map_or("", |sign| script.of(sign));
                !matches!(sign, "&&" | "||" | "??") || parent.child_by_field_name("left") == Some(node)
            }
            "ternary_expression" => parent.child_by_field_name("condition") == Some(node),
            _ => !is_function(parent),
        }
    });
    own != change && always && still_before(own, change) && !mentions_own(script, own, change)
}

/// Whether nothing is called, or waited for, in a statement before the change.
fn still_before(node: Node<'_>, change: Node<'_>) -> bool {
    if node.start_byte() >= change.start_byte() {
        return true;
    }
    if node.end_byte() <= change.start_byte() {
        return !runs(node);
    }
    children(node).into_iter().all(|child| still_before(child, change))
}

fn runs(node: Node<'_>) -> bool {
    matches!(node.kind(), "call_expression" | "new_expression" | "await_expression" | "update_expression")
        || node.kind().ends_with("assignment_expression")
        || !is_function(node) && children(node).into_iter().any(runs)
}

/// Whether a statement reads what is changed before the change.
fn mentions_own(script: &Script, own: Node<'_>, change: Node<'_>) -> bool {
    let Some(root) = root(change) else { return true };
    let name = script.of(root);
    mentions(script, own, name).into_iter().any(|used| used.start_byte() < change.start_byte())
}

/// The variable that a change begins with: `basket` of `basket.lines.push(line)`.
fn root(change: Node<'_>) -> Option<Node<'_>> {
    let mut node = ["left", "argument", "function"].into_iter().find_map(|field| change.child_by_field_name(field))?;
    loop {
        node = bare(node);
        match node.child_by_field_name("object") {
            Some(object) => node = object,
            None => return (node.kind() == "identifier").then_some(node),
        }
    }
}

/// What the result of a change is called.
fn called(script: &Script, change: Node<'_>) -> String {
    let property =
        |field| change.child_by_field_name(field).and_then(|access: Node<'_>| access.child_by_field_name("property"));
    let name = match property("function").map(|name| script.of(name)) {
        Some("push" | "unshift") => "count",
        Some("delete") => "deleted",
        Some("pop" | "shift" | "splice") => "removed",
        Some(_) => "result",
        None => property("argument").or_else(|| property("left")).map_or("result", |name| script.of(name)),
    };
    name.trim_start_matches('#').to_owned()
}
