//! Where a value ends behind something that counts: both happened at once, and a wait between the two would let another call do the
//! first again. The value ends first, which fails for whoever comes too late.

use tree_sitter::Node;

use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Kind;
use crate::render::Refused;
use crate::render::typescript::pure::is_pure;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};
use crate::render::typescript::tools::applied;

/// Methods that put something into a list, a map or a set of the process: they do not fail.
const FILLING: &[&str] = &["push", "unshift", "set", "add"];

/// Moves the end of a value in front of what counts.
pub fn mend(work: &mut Work<'_>) -> Result<(), Refused> {
    // What frees a value must not run before its last use.
    if !work.wait || work.features.close {
        return Ok(());
    }
    for index in 0..work.handle.carriers.len() {
        let (script, function) = work.function(&work.handle.carriers[index])?;
        for site in endings(work, index, script) {
            let Some(node) = script.around(site.span) else { continue };
            let own = statement(node);
            let plain = own.kind() == "expression_statement" && enclosing_function(own) == Some(function);
            if plain
                && !work.edits.covers(&script.path, span(own))
                && let Some(first) = first_effect(work, script, own)
            {
                move_up(work, script, own, first);
            }
        }
    }
    Ok(())
}

/// Where a function ends the value: itself, or by a helper that does.
fn endings(work: &Work<'_>, index: usize, script: &Script) -> Vec<Site> {
    let own = work.touches(index).filter(|touch| touch.kind == Kind::Delete).map(|touch| touch.at.clone());
    let ending = (0..work.handle.carriers.len())
        .filter(|other| work.touches(*other).any(|touch| touch.kind == Kind::Delete))
        .flat_map(|other| &work.handle.carriers[other].calls)
        .filter(|call| call.within == index)
        .map(|call| call.at.clone());
    own.chain(ending).filter(|site| site.path == script.path).collect()
}

/// The first of the statements right before the end that change something which others see, where none of them can fail.
fn first_effect<'t>(work: &Work<'_>, script: &Script, own: Node<'t>) -> Option<Node<'t>> {
    let mut first = None;
    let mut before = own.prev_named_sibling();
    while let Some(node) = before {
        let used = |site: &Site| site.path == script.path && span(node).contains(site.span);
        let touched = work.handle.touches.iter().any(|touch| used(&touch.at))
            || work.handle.carriers.iter().flat_map(|carrier| &carrier.calls).any(|call| used(&call.at));
        match node.kind() {
            "comment" => {}
            _ if touched => break,
            "lexical_declaration" if is_still(script, node) => {}
            "expression_statement" if changes(script, node) => first = Some(node),
            _ => break,
        }
        before = node.prev_named_sibling();
    }
    first
}

fn is_still(script: &Script, declaration: Node<'_>) -> bool {
    children(declaration).iter().all(|one| one.child_by_field_name("value").is_none_or(|value| is_pure(script, value)))
}

/// `count += 1`, `orders.push(order)`: a change that can't fail.
fn changes(script: &Script, node: Node<'_>) -> bool {
    let Some(inner) = children(node).first().copied().map(bare) else { return false };
    match inner.kind() {
        "update_expression" => true,
        "assignment_expression" | "augmented_assignment_expression" => {
            inner.child_by_field_name("right").is_some_and(|right| is_pure(script, right))
        }
        "call_expression" => {
            let method =
                inner.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
            method.is_some_and(|method| FILLING.contains(&script.of(method)))
                && inner.child_by_field_name("arguments").is_some_and(|list| is_pure(script, list))
        }
        _ => false,
    }
}

fn move_up(work: &mut Work<'_>, script: &Script, own: Node<'_>, first: Node<'_>) {
    let within = Span::new(script.with_comments(own), own.end_byte());
    let inside = work.edits.of(&script.path).into_iter().filter(|one| within.contains(one.span)).collect();
    let text = applied(script, within, inside);
    let (newline, indent) = (script.style.newline, script.indentation(first));
    work.edits.cut(script, script.removal(own));
    work.edits.insert(script, script.with_comments(first), format!("{text}{newline}{indent}"));
}
