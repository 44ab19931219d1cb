//! Code that asks whether a choice was made: with an argument there always is one.

use tree_sitter::Node;

use super::Work;
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, span};

/// What becomes of a place that has the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'t> {
    /// The argument takes the place of this node.
    Value(Node<'t>),
    /// It is gone.
    Gone,
}

/// Without what is transparent around a place, and without a guess behind it.
pub fn outermost<'t>(script: &Script, node: Node<'t>, is_id: &dyn Fn(Node<'_>) -> bool) -> Node<'t> {
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let left = parent.child_by_field_name("left") == Some(outer);
        let operator = parent.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
        let through = match parent.kind() {
            "non_null_expression" | "parenthesized_expression" | "await_expression" => !matches!(
                parent.parent().map(|around| around.kind()),
                Some("if_statement" | "while_statement" | "switch_statement")
            ),
            "as_expression" => children(parent).first() == Some(&outer),
            "binary_expression" => {
                (left && matches!(operator, "??" | "||") && !is_asked(script, parent))
                    || (!left
                        && matches!(operator, "&&" | "??" | "||")
                        && parent.child_by_field_name("left").is_some_and(|left| is_id(bare(left))))
            }
            "augmented_assignment_expression" => left && matches!(operator, "??=" | "||="),
            "ternary_expression" => {
                let asks = parent.child_by_field_name("condition").is_some_and(|condition| is_id(bare(condition)));
                let other = parent.child_by_field_name("alternative").map(|other| script.of(other));
                asks && parent.child_by_field_name("consequence") == Some(outer)
                    && matches!(other, Some("undefined" | "null"))
            }
            _ => false,
        };
        if !through {
            break;
        }
        outer = parent;
    }
    outer
}

/// Whether an expression stands where a condition does.
fn is_asked(script: &Script, node: Node<'_>) -> bool {
    let (root, asked) = root(script, node);
    asked && root.start_byte() <= node.start_byte()
}

/// Whether a place only asks whether there is a choice.
pub fn asks(script: &Script, node: Node<'_>) -> bool {
    root(script, node).1
}

/// The whole condition that an expression is a part of, and whether it is one.
fn root<'t>(script: &Script, node: Node<'t>) -> (Node<'t>, bool) {
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let operator = parent.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
        let through = match parent.kind() {
            "parenthesized_expression" => true,
            "unary_expression" => matches!(operator, "!" | "typeof"),
            "binary_expression" => match operator {
                "&&" | "||" => true,
                "===" | "!==" | "==" | "!=" => {
                    [parent.child_by_field_name("left"), parent.child_by_field_name("right")]
                        .into_iter()
                        .flatten()
                        .any(|side| is_nothing(script, side) || matches!(script.of(side), "'string'" | "\"string\""))
                }
                _ => false,
            },
            _ => false,
        };
        if !through {
            break;
        }
        outer = parent;
    }
    let asked = outer.parent().is_some_and(|parent| match parent.kind() {
        "if_statement" | "ternary_expression" | "while_statement" => {
            parent.child_by_field_name("condition") == Some(outer)
        }
        _ => false,
    });
    (outer, asked)
}

fn is_nothing(script: &Script, node: Node<'_>) -> bool {
    matches!(script.of(node), "undefined" | "null" | "''" | "\"\"")
}

/// Whether a condition holds, given that there is a choice; `None` where more decides.
fn truth(script: &Script, node: Node<'_>, given: &dyn Fn(Node<'_>) -> bool) -> Option<bool> {
    let node = bare(node);
    if given(node) {
        return Some(true);
    }
    let operator = node.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
    match node.kind() {
        "unary_expression" if operator == "!" => {
            truth(script, node.child_by_field_name("argument")?, given).map(|is| !is)
        }
        "unary_expression" if operator == "typeof" => truth(script, node.child_by_field_name("argument")?, given),
        "binary_expression" => {
            let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
            match operator {
                "===" | "==" | "!==" | "!=" => {
                    let same = matches!(operator, "===" | "==");
                    let of_type = matches!(script.of(right), "'string'" | "\"string\"");
                    if !is_nothing(script, right) && !of_type {
                        return None;
                    }
                    truth(script, left, given).map(|is| is == (same == of_type))
                }
                "&&" => match (truth(script, left, given), truth(script, right, given)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
                "||" => match (truth(script, left, given), truth(script, right, given)) {
                    (Some(false), Some(false)) => Some(false),
                    (Some(true), _) => Some(true),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// Settles a place where it is only asked whether there is a choice; else it is a value.
pub fn place<'t>(
    work: &mut Work<'_>,
    script: &Script,
    node: Node<'t>,
    given: &dyn Fn(Node<'_>) -> bool,
) -> Result<Place<'t>, Refused> {
    let (root, asked) = root(script, node);
    if root == node && !asked {
        return Ok(Place::Value(node));
    }
    if work.edits.covers(&script.path, span(root)) {
        return Ok(Place::Gone);
    }
    let decides = |at: Node<'_>| {
        script.refuse(
            at,
            "whether a choice was made decides something here",
            "say what is to happen where it is always given, and run again",
        )
    };
    // `current && other` as a condition: the choice is always there, the rest decides.
    let is = truth(script, root, given).filter(|_| asked).ok_or_else(|| decides(root))?;
    let around = root.parent().ok_or_else(|| decides(root))?;
    branch(work, script, around, is).then_some(Place::Gone).ok_or_else(|| decides(around))
}

/// Makes a branch what it is where its condition always has one value.
pub fn branch(work: &mut Work<'_>, script: &Script, around: Node<'_>, is: bool) -> bool {
    match around.kind() {
        "if_statement" if !is && around.child_by_field_name("alternative").is_none() => {
            work.edits.cut(script, script.removal(around));
            true
        }
        "ternary_expression" => {
            let field = if is { "consequence" } else { "alternative" };
            let Some(chosen) = around.child_by_field_name(field) else { return false };
            work.edits.cut(script, Span::new(around.start_byte(), chosen.start_byte()));
            if chosen.end_byte() < around.end_byte() {
                work.edits.cut(script, Span::new(chosen.end_byte(), around.end_byte()));
            }
            true
        }
        _ => false,
    }
}

/// A comparison with the choice that only marks an item of a list: nothing is marked any more.
pub fn unmark(work: &mut Work<'_>, script: &Script, node: Node<'_>) -> Result<(), Refused> {
    let refuse = || {
        script.refuse(
            node,
            "the choice is compared here in a way that is not known",
            "take the mark out, and run again",
        )
    };
    let compared = node.parent().filter(|parent| parent.kind() == "binary_expression").ok_or_else(refuse)?;
    let operator = compared.child_by_field_name("operator").map(|sign| script.of(sign)).unwrap_or_default();
    let is = matches!(operator, "!==" | "!=");
    let mut root = compared;
    while let Some(parent) = root.parent().filter(|parent| parent.kind() == "parenthesized_expression") {
        root = parent;
    }
    let around = root.parent().ok_or_else(refuse)?;
    let shown = around.child_by_field_name(if is { "consequence" } else { "alternative" });
    let in_text = around.parent().filter(|parent| parent.kind() == "template_substitution");
    if let (Some(shown), Some(hole)) = (shown.filter(|shown| shown.kind() == "string"), in_text) {
        let text = script.of(shown);
        work.edits.replace(script, span(hole), text[1..text.len() - 1].to_owned());
        return Ok(());
    }
    branch(work, script, around, is).then_some(()).ok_or_else(refuse)
}
