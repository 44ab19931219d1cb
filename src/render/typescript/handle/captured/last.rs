//! What is done to the state as the process ends is done to all values of the store.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::ends;
use super::record::Record;
use crate::model::facts::Span;
use crate::plan::handle::handed::Handed;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, is_statement, span, statement};

/// Puts the end of all values in the place of the end of each session's.
pub fn take_out(record: &Record<'_>, handed: &Handed, edits: &mut Edits) -> Result<(), Refused> {
    let mut seen: Vec<(String, Span)> = Vec::new();
    for site in &handed.last {
        let (script, node) = record.scripts.expression(site)?;
        let refused = || {
            script.refuse(
                node,
                "what is done with it as the process ends is not what the end of its session does",
                "let both call one method of it, without arguments, in a statement of its own",
            )
        };
        let closes = record.close.as_deref().is_some_and(|close| ends::same(script, node, &record.name, close));
        let function = enclosing_function(node).filter(|_| closes).ok_or_else(refused)?;
        let own = statement(node);
        let outer = around(own);
        let whole = gone(script, node, own, outer).ok_or_else(refused)?;
        if !seen.contains(&(script.path.clone(), span(outer))) {
            seen.push((script.path.clone(), span(outer)));
            let home = enclosing_function(outer).unwrap_or(function);
            let waits = home.child(0).is_some_and(|first| script.of(first) == "async");
            let end = if script.style.semicolons { ";" } else { "" };
            let word = if waits { "await" } else { "void" };
            let indent = script.indentation(outer);
            let (call, newline) = (format!("{word} {}.closeAll(){end}", record.store), script.style.newline);
            if whole == outer {
                edits.insert(script, outer.start_byte(), format!("{call}{newline}{indent}"));
            } else {
                // A loop that ends sessions besides lets requests be answered first: they may use a value still.
                edits.insert(script, outer.end_byte(), format!("{newline}{indent}{call}"));
            }
        }
        if whole == outer {
            // What stands in its place begins where it began.
            edits.cut(script, Span::new(outer.start_byte(), script.removal(outer).end as usize));
        } else {
            edits.cut(script, script.removal(whole));
        }
    }
    Ok(())
}

/// The loop that a statement is repeated by.
fn around<'t>(own: Node<'t>) -> Node<'t> {
    std::iter::successors(Some(own), Node::parent)
        .take_while(|node| !crate::render::typescript::script::is_function(*node))
        .filter(|node| matches!(node.kind(), "for_in_statement" | "for_statement" | "while_statement"))
        .last()
        .unwrap_or(own)
}

/// What goes with a call that ends a value: its statement, or the loop that does nothing else.
fn gone<'t>(script: &Script, node: Node<'t>, own: Node<'t>, outer: Node<'t>) -> Option<Node<'t>> {
    let call = ends::outer(script, node)?;
    let parent = call.parent()?;
    let direct = parent == own && own.kind() == "expression_statement";
    if own == outer {
        let callback = parent.kind() == "arrow_function" && is_statement(own);
        return (direct || callback).then_some(own);
    }
    let block = own.parent().filter(|_| direct)?;
    let only = block == outer
        || block.kind() == "statement_block" && block.parent() == Some(outer) && children(block).len() == 1;
    Some(if only { outer } else { own })
}
