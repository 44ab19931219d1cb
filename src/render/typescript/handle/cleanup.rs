//! What a session's end did to a value before it was dropped is done when its handle ends: by a tool, or by itself.

use tree_sitter::Node;

use super::work::Work;
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::typescript::scripts::mentions;

/// `const game = games.get(id); if (!game) return; clearInterval(game.timer); …; games.delete(id);`, where a session ends: what stands
/// between becomes the store's own clean-up. Answers whether it is that.
pub fn take(work: &mut Work<'_>, script: &Script, read: Node<'_>) -> Result<bool, Refused> {
    let Some(declarator) = whole(read).parent().filter(|parent| parent.kind() == "variable_declarator") else {
        return Ok(false);
    };
    let own = statement(declarator);
    let (Some(name), Some(block)) = (declarator.child_by_field_name("name"), own.parent()) else { return Ok(false) };
    let in_function = block.kind() == "statement_block" && block.parent().is_some_and(is_function);
    if name.kind() != "identifier" || !in_function || children(own).len() != 1 || work.close.is_some() {
        return Ok(false);
    }
    let value = script.of(name);
    let mut rest = children(block).into_iter().skip_while(|node| *node != own).skip(1).peekable();
    let guard = rest.next_if(|node| is_guard(script, *node, value));
    let mut kept = Vec::new();
    for node in rest {
        if drops(work, script, node) || node.kind() == "return_statement" && children(node).is_empty() {
            continue;
        }
        // What has nothing to do with the value stays, where it was done whether there was one or not.
        if guard.is_none() && mentions(script, node, value).is_empty() {
            continue;
        }
        if !only_of(work, script, node, value) {
            return Ok(false);
        }
        kept.push(node);
    }
    let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return Ok(false) };
    if kept.windows(2).any(|pair| !script.text()[pair[0].end_byte()..pair[1].start_byte()].trim().is_empty()) {
        return Ok(false);
    }
    let waits = script.slice(Span::new(first.start_byte(), last.end_byte())).contains("await ");
    let lines: Vec<String> = kept.iter().map(|node| text(script, *node)).collect();
    let start = if waits { "async " } else { "" };
    work.close = Some(format!("{start}({value}) => {{\n\t\t{}\n\t}}", lines.join("\n").replace('\n', "\n\t\t")));
    work.features.close = true;
    work.edits.cut(script, script.removal(own));
    guard.into_iter().chain(kept).for_each(|node| work.edits.cut(script, script.removal(node)));
    Ok(true)
}

fn whole(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "await_expression" | "parenthesized_expression" | "non_null_expression")
    }) {
        outer = parent;
    }
    outer
}

/// `if (!value) return;`.
fn is_guard(script: &Script, node: Node<'_>, value: &str) -> bool {
    let condition = node.child_by_field_name("condition").map(bare);
    let asks = condition.is_some_and(|condition| {
        let asked = script.of(condition);
        asked == format!("!{value}") || asked == format!("{value} === undefined") || asked == format!("{value} == null")
    });
    let leaves = node.child_by_field_name("consequence").is_some_and(|then| {
        let last = if then.kind() == "statement_block" { children(then) } else { vec![then] };
        matches!(last.as_slice(), [only] if only.kind() == "return_statement" && children(*only).is_empty())
    });
    node.kind() == "if_statement" && asks && leaves && node.child_by_field_name("alternative").is_none()
}

/// Whether a statement is one of those that drop the entry, which go by themselves.
fn drops(work: &Work<'_>, script: &Script, node: Node<'_>) -> bool {
    node.kind() == "expression_statement"
        && work.handle.outside.iter().any(|outside| {
            outside.at.path == script.path
                && span(node).contains(outside.at.span)
                && outside.kind == crate::plan::handle::Kind::Delete
        })
}

/// Whether a statement uses the value, and of its function nothing else.
fn only_of(work: &Work<'_>, script: &Script, node: Node<'_>, value: &str) -> bool {
    let Some(function) = enclosing_function(node) else { return false };
    let parameters = function
        .child_by_field_name("parameters")
        .or_else(|| function.child_by_field_name("parameter"))
        .map(|list| script.of(list))
        .unwrap_or_default();
    let words = |text: &str, word: &str| {
        text.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$').any(|part| part == word)
    };
    let leaves = script.of(node).contains("return") || script.of(node).contains("this");
    let touches = work
        .handle
        .outside
        .iter()
        .any(|outside| outside.at.path == script.path && span(node).contains(outside.at.span));
    let foreign = parameters
        .split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$')
        .filter(|word| !word.is_empty() && *word != "string")
        .any(|parameter| words(script.of(node), parameter));
    matches!(node.kind(), "expression_statement" | "for_in_statement" | "if_statement")
        && !mentions(script, node, value).is_empty()
        && !leaves
        && !touches
        && !foreign
}

/// A statement without the indentation of its place.
fn text(script: &Script, node: Node<'_>) -> String {
    super::create::unindented(script, node, script.of(node)).join("\n")
}
