//! What closed the transport at shutdown waits for requests in flight, and turns new ones away meanwhile.

use tree_sitter::Node;

use super::routes::{Handled, Method, Route};
use super::types::types;
use super::{Code, insert_before, raise};
use crate::model::facts::Span;
use crate::plan::Level;
use crate::plan::web::Framework;
use crate::render::typescript::ends::ends_process;
use crate::render::typescript::entry::Entry;
use crate::render::typescript::imports;
use crate::render::typescript::in_flight::{InFlight, Names};
use crate::render::typescript::script::{children, span};
use crate::render::{Refused, Rendered};

/// Replaces the first statement that closed transport or server; the others go.
pub(super) fn drain<'t>(code: &Code<'t>, gone: &mut Vec<Node<'t>>, out: &mut Rendered) -> Result<(), Refused> {
    let script = code.script;
    let mut closed: Vec<Node<'t>> = code.build.closed.iter().filter_map(|closed| script.node(*closed)).collect();
    closed.extend(&code.made.closed);
    closed.sort_by_key(Node::start_byte);
    closed.dedup();
    let Some(first) = closed.first().copied() else { return Ok(()) };
    let waited = drained(code, first, out);
    if !waited {
        out.notes.push(
            "what closed the server at shutdown goes: each request closes its own, and shutdown does not wait for them"
                .to_owned(),
        );
        raise(out, Level::Review);
    }
    gone.extend(closed.into_iter().skip(usize::from(waited)).map(|closed| with_try(closed)));
    Ok(())
}

/// The statement, or the `try` that has nothing else in it.
fn with_try(closed: Node<'_>) -> Node<'_> {
    let body = closed.parent().filter(|body| body.kind() == "statement_block" && children(*body).len() == 1);
    let around = body.and_then(|body| body.parent()).filter(|around| around.kind() == "try_statement");
    around.filter(|around| around.child_by_field_name("finalizer").is_none()).unwrap_or(closed)
}

/// The statement of the file's top level around a node.
fn top_level(node: Node<'_>) -> Node<'_> {
    let mut around = std::iter::successors(Some(node), Node::parent);
    around.find(|node| node.parent().is_some_and(|parent| parent.kind() == "program")).unwrap_or(node)
}

/// Whether the statement now waits.
fn drained(code: &Code<'_>, first: Node<'_>, out: &mut Rendered) -> bool {
    let script = code.script;
    // Requests are refused from then on: that is right only where the process ends.
    let waits = script.of(first).contains("await ") && ends_process(&code.singleton.endings, script, first);
    let served: Vec<&Handled<'_>> = code.handled.iter().filter(|handled| handled.method() != Method::Gone).collect();
    let [handled] = served.as_slice() else { return false };
    let routes: Vec<&Route<'_>> = handled.routes.iter().filter(|route| route.method != Method::Gone).collect();
    let [route] = routes.as_slice() else { return false };
    let typed = if script.typed() { types(script, handled.framework) } else { None };
    // Where it is not seen from the function that registers, the set stands where both see it.
    let seen = route.statement.parent().is_some_and(|block| span(block).contains(span(first)));
    let home = if seen { route.statement } else { top_level(route.statement) };
    let whole = handled.framework == Framework::Express && !route.path.is_empty();
    if !waits || !whole || (script.typed() && typed.is_none()) {
        return false;
    }
    let annotated = typed.as_ref().map(|typed| (typed.request.as_str(), typed.response.as_str()));
    let entry = Entry { types: annotated, ..code.entry(handled) };
    let names = Names::free(&[script]);
    let next = typed.as_ref().map(|typed| typed.next.as_str());
    let in_flight =
        InFlight { entry: &entry, names: &names, drains: true, cap: None, modern: false, next, documented: None };
    let Some(declarations) = in_flight.declarations() else { return false };
    insert_before(script, home, &declarations, out);
    let at = route.argument.start_byte();
    out.changes.push(script.change(Span::new(at, at), format!("{}, ", in_flight.hook())));
    let indent = script.indentation(first);
    let drain = script.indented(&in_flight.drain(indent), indent);
    out.changes.push(script.change(span(first), drain));
    let mut wanted = in_flight.imports();
    wanted.extend(typed.map(|typed| typed.wanted(true)).unwrap_or_default());
    out.changes.extend(imports::add(script, &wanted));
    true
}
