//! What a deletion answered: whether there was something. With a handle there always is, or the call fails by itself, so code that
//! asks goes the way of a value that was there.

use tree_sitter::Node;

use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, is_function};

/// Lets a deletion (or a call of a function that answers one) be a statement of its own. `wait` is what it is waited for with, where
/// nobody else puts that in.
pub fn settle(work: &mut Work<'_>, script: &Script, node: Node<'_>, wait: &str) -> Result<(), Refused> {
    let outer = around(node);
    let Some(parent) = outer.parent() else { return Err(asked(script, node)) };
    match parent.kind() {
        "expression_statement" => Ok(()),
        "unary_expression" if script.of(parent).starts_with("void") => Ok(()),
        "ternary_expression" if parent.child_by_field_name("condition") == Some(outer) => {
            one_of_two(work, script, outer, parent, wait)
        }
        "unary_expression" if script.of(parent).starts_with('!') => {
            refused_if_missing(work, script, node, parent, wait)
        }
        "return_statement" => answered(work, script, node, Span::new(parent.start_byte(), outer.start_byte()), wait),
        "arrow_function" => answered(work, script, node, Span::new(outer.start_byte(), outer.start_byte()), ""),
        _ => Err(asked(script, node)),
    }
}

fn around(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) =
        outer.parent().filter(|parent| matches!(parent.kind(), "parenthesized_expression" | "await_expression"))
    {
        outer = parent;
    }
    outer
}

fn asked(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "what the deletion answers is used, and a handle that is gone is an error now",
        "delete it in a statement of its own",
    )
}

/// What is answered with an expression in it: the whole answer, and the code in front of the expression, which does nothing that
/// could be noticed after the deletion.
fn answer_around<'t>(script: &'t Script, ternary: Node<'t>) -> Option<(Node<'t>, &'t str)> {
    let mut whole = around(ternary);
    while let Some(parent) = whole.parent() {
        let known = match parent.kind() {
            "return_statement" | "arrow_function" => break,
            "arguments"
            | "object"
            | "array"
            | "pair"
            | "template_string"
            | "template_substitution"
            | "call_expression" => true,
            "parenthesized_expression" => true,
            _ => false,
        };
        let before = children(parent).into_iter().take_while(|child| child.end_byte() <= whole.start_byte());
        let calls = parent.kind() == "call_expression";
        if !known || !before.into_iter().all(|node| is_still(node) || calls && is_named(node)) {
            return None;
        }
        whole = parent;
    }
    Some((whole, &script.text()[whole.start_byte()..around(ternary).start_byte()]))
}

/// Whether it does not matter when an expression is evaluated.
fn is_still(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "property_identifier" | "string" | "number" | "true" | "false" | "null" | "string_fragment" => {
            true
        }
        "pair" | "object" | "array" | "as_expression" | "type_arguments" => children(node).into_iter().all(is_still),
        "predefined_type" | "type_identifier" | "escape_sequence" => true,
        _ => false,
    }
}

/// Whether a function is called by names alone: `content(…)`, `replies.text(…)`.
fn is_named(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "property_identifier" => true,
        "member_expression" => children(node).into_iter().all(is_named),
        _ => false,
    }
}

/// `deleted ? one : other`, answered as it is or within more: the deletion, then the answer with the one.
fn one_of_two(
    work: &mut Work<'_>,
    script: &Script,
    condition: Node<'_>,
    ternary: Node<'_>,
    wait: &str,
) -> Result<(), Refused> {
    let then = ternary.child_by_field_name("consequence").ok_or_else(|| asked(script, ternary))?;
    let (whole, before) = answer_around(script, ternary).ok_or_else(|| asked(script, ternary))?;
    let parent = whole.parent().ok_or_else(|| asked(script, ternary))?;
    let end = if script.style.semicolons { ";" } else { "" };
    let newline = script.style.newline;
    match parent.kind() {
        "return_statement" => {
            let indent = script.indentation(parent);
            work.edits.replace(script, Span::new(parent.start_byte(), condition.start_byte()), wait);
            let between = Span::new(condition.end_byte(), then.start_byte());
            work.edits.replace(script, between, format!("{end}{newline}{indent}return {before}"));
            work.edits.cut(script, Span::new(then.end_byte(), around(ternary).end_byte()));
        }
        "arrow_function" => {
            let (indent, unit) = (script.indentation(parent), script.style.indent.text());
            let inner = format!("{newline}{indent}{unit}");
            let arrow = (0..parent.child_count()).filter_map(|index| parent.child(index));
            let arrow = arrow.into_iter().find(|child| child.kind() == "=>").ok_or_else(|| asked(script, ternary))?;
            let open = Span::new(arrow.end_byte(), condition.start_byte());
            work.edits.replace(script, open, format!(" {{{inner}{wait}"));
            let between = Span::new(condition.end_byte(), then.start_byte());
            work.edits.replace(script, between, format!("{end}{inner}return {before}"));
            work.edits.cut(script, Span::new(then.end_byte(), around(ternary).end_byte()));
            work.edits.insert(script, whole.end_byte(), format!("{end}{newline}{indent}}}"));
        }
        _ => return Err(asked(script, ternary)),
    }
    Ok(())
}

/// `if (!deleted) return …`: the deletion alone.
fn refused_if_missing(
    work: &mut Work<'_>,
    script: &Script,
    node: Node<'_>,
    not: Node<'_>,
    wait: &str,
) -> Result<(), Refused> {
    let condition = around(not);
    let branch = condition.parent().filter(|parent| parent.kind() == "if_statement");
    let branch = branch.filter(|branch| branch.child_by_field_name("alternative").is_none());
    let (Some(branch), Some(then)) = (branch, branch.and_then(|branch| branch.child_by_field_name("consequence")))
    else {
        return Err(asked(script, node));
    };
    let last = if then.kind() == "statement_block" { children(then).last().copied() } else { Some(then) };
    if !last.is_some_and(|last| matches!(last.kind(), "return_statement" | "throw_statement")) {
        return Err(asked(script, node));
    }
    let end = if script.style.semicolons { ";" } else { "" };
    work.edits.replace(script, Span::new(branch.start_byte(), node.start_byte()), wait);
    work.edits.replace(script, Span::new(node.end_byte(), branch.end_byte()), end);
    Ok(())
}

/// A function that answers the deletion answers nothing any more, if that is all that it does.
fn answered(work: &mut Work<'_>, script: &Script, node: Node<'_>, keyword: Span, wait: &str) -> Result<(), Refused> {
    let function = enclosing_function(node).ok_or_else(|| asked(script, node))?;
    let index = work.handle.carriers.iter().position(|carrier| {
        work.function(carrier).is_ok_and(|(own, found)| own.path == script.path && found == function)
    });
    let Some(index) =
        index.filter(|index| !matches!(work.handle.carriers[*index].entry, Entry::Handler(_) | Entry::Closure { .. }))
    else {
        return Err(asked(script, node));
    };
    let mut returns = Vec::new();
    collect(function, function, &mut returns);
    if returns.len() > 1 {
        return Err(asked(script, node));
    }
    let outside: Vec<_> =
        work.handle.outside.iter().filter(|outside| !outside.direct).map(|outside| &outside.at).collect();
    for call in work.handle.carriers[index].calls.iter().map(|call| &call.at) {
        let (script, node) = work.scripts.expression(call)?;
        settle(work, script, node, "")?;
    }
    for call in outside {
        let (script, node) = work.scripts.expression(call)?;
        if !matches!(around(node).parent().map(|parent| parent.kind()), Some("expression_statement" | "arrow_function"))
        {
            return Err(asked(script, node));
        }
    }
    if keyword.start != keyword.end {
        work.edits.replace(script, keyword, wait);
    }
    if let Some(ret) = function.child_by_field_name("return_type") {
        let ty = script.of(ret).trim_start_matches(':').trim_start();
        let start = ret.end_byte() - ty.len();
        let promised = if ty.starts_with("Promise<") { "Promise<void>" } else { "void" };
        work.edits.replace(script, Span::new(start, ret.end_byte()), promised);
    }
    Ok(())
}

fn collect<'t>(node: Node<'t>, function: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node != function && is_function(node) {
        return;
    }
    if node.kind() == "return_statement" {
        out.push(node);
    }
    children(node).into_iter().for_each(|child| collect(child, function, out));
}
