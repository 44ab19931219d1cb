//! The container as a whole: what emptied it, or freed all that it held, does so with the store.

use tree_sitter::Node;

use super::mode::is_async;
use super::work::Work;
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};

/// Takes a use over that is one of those. Answers whether it is.
pub fn take(work: &mut Work<'_>, script: &Script, node: Node<'_>) -> bool {
    if let Some(emptied) = emptying(script, node) {
        empty(work, script, node, emptied);
        return true;
    }
    let Some(freeing) = freeing(script, node) else { return false };
    let close = format!("({}) => {}{}", noun(work), noun(work), freeing.rest);
    if work.close.as_ref().is_some_and(|known| tail(known) != Some(freeing.rest)) {
        return false;
    }
    if work.close.is_none() {
        work.close = Some(close);
        work.features.close = true;
    }
    work.features.end = true;
    let waits = script.of(freeing.whole).contains("await ");
    let text = call(work, script, node, freeing.whole, "closeAll", waits);
    work.edits.replace(script, span(freeing.whole), text);
    // What empties it behind that has nothing to do any more.
    let store = script.of(node);
    let next = freeing.whole.next_named_sibling().filter(|next| {
        next.kind() == "expression_statement" && script.of(*next).trim_end_matches(';') == format!("{store}.clear()")
    });
    if let Some(next) = next {
        work.edits.cut(script, script.removal(next));
    }
    true
}

/// `store.clear();`
fn emptying<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let member = node.parent().filter(|member| member.child_by_field_name("object") == Some(node))?;
    let call = member.parent().filter(|call| call.child_by_field_name("function") == Some(member))?;
    let alone = call.parent().filter(|whole| whole.kind() == "expression_statement" && statement(*whole) == *whole)?;
    let named = member.child_by_field_name("property").is_some_and(|name| script.of(name) == "clear");
    named.then_some(alone)
}

fn empty(work: &mut Work<'_>, script: &Script, node: Node<'_>, whole: Node<'_>) {
    if work.edits.covers(&script.path, span(whole)) {
        return;
    }
    let frees = work.close.is_some() || work.features.close;
    let method = if frees { "closeAll" } else { "clear" };
    work.features.end |= frees;
    work.features.clear |= !frees;
    let text = call(work, script, node, whole, method, false);
    work.edits.replace(script, span(whole), text);
}

/// The call of the store's method as a statement, waited for where that is possible or was done.
fn call(work: &Work<'_>, script: &Script, node: Node<'_>, whole: Node<'_>, method: &str, waited: bool) -> String {
    let promise = method == "closeAll" || work.wait;
    let function = enclosing_function(whole);
    let word = match promise {
        false => "",
        true if waited || function.is_some_and(|function| is_async(script, function)) => "await ",
        true => "void ",
    };
    let end = if script.of(whole).ends_with(';') || script.style.semicolons { ";" } else { "" };
    format!("{word}{}.{method}(){end}", script.of(node))
}

/// A statement that frees every value.
struct Freeing<'t> {
    whole: Node<'t>,
    /// What is behind the value's name: `.close()`.
    rest: &'t str,
}

/// `for (const value of store.values()) await value.close();`, `for (const [, value] of store) { value.stop(); }`.
fn freeing<'t>(script: &'t Script, node: Node<'t>) -> Option<Freeing<'t>> {
    let whole =
        std::iter::successors(node.parent(), Node::parent).find(|around| around.kind() == "for_in_statement")?;
    let right = whole.child_by_field_name("right")?;
    let body = whole.child_by_field_name("body")?;
    let over = script.of(right).replace(script.of(node), "@");
    let pairs = match over.as_str() {
        "@.values()" | "[...@.values()]" | "Array.from(@.values())" => false,
        "@" | "@.entries()" | "[...@]" | "[...@.entries()]" | "Array.from(@)" => true,
        _ => return None,
    };
    let mut left = whole.child_by_field_name("left")?;
    if pairs {
        let parts = children(left);
        left = (left.kind() == "array_pattern").then(|| parts.last().copied()).flatten()?;
    }
    let only = match (body.kind(), children(body).as_slice()) {
        ("statement_block", [only]) => *only,
        ("expression_statement", _) => body,
        _ => return None,
    };
    let value = bare(*children(only).first()?);
    let name = script.of(left);
    let called =
        (only.kind() == "expression_statement" && left.kind() == "identifier" && value.kind() == "call_expression")
            .then(|| script.of(value).strip_prefix(name))??;
    let plain = called.starts_with(['.', '?']) && called.ends_with("()") && called.matches('(').count() == 1;
    let alone = statement(whole) == whole && span(right).contains(Span::new(node.start_byte(), node.end_byte()));
    (plain && alone).then_some(Freeing { whole, rest: called.trim_start_matches('?') })
}

fn noun<'w>(work: &Work<'w>) -> &'w str {
    work.handle.names.noun.split(' ').next_back().unwrap_or("value")
}

/// What a function that frees a value does with it: `.close()` of `(tank) => tank.close()`.
fn tail(close: &str) -> Option<&str> {
    let (name, body) = close.split_once(" => ")?;
    body.strip_prefix(name.trim_start_matches('(').trim_end_matches(')'))
}
