//! Timers that values have for their own end: one that nobody used for a while is dropped. The handle store does that by itself, so
//! the timers go, and say how long it waits.

use tree_sitter::Node;

use super::outside::{is_constant, seconds};
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Kind;
use crate::render::Refused;
use crate::render::typescript::declared;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};

/// Takes such timers out.
pub fn of_values(work: &mut Work<'_>) -> Result<(), Refused> {
    let mut fields: Vec<String> = Vec::new();
    for (script, timer) in timers(work)? {
        let Some(field) = kept_in(script, timer) else { continue };
        let limit = timer.child_by_field_name("arguments").and_then(|list| children(list).get(1).copied());
        let limit = limit.filter(|limit| is_constant(work, script, *limit)).ok_or_else(|| {
            script.refuse(
                timer,
                "how long a value may go unused is not told by a number or a constant above the store",
                "write it as one, and run again",
            )
        })?;
        work.idle = Some(seconds(script.of(limit)));
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    let mut functions = Vec::new();
    for field in fields {
        without(work, &field, &mut functions)?;
    }
    emptied(work, &functions)
}

/// The calls of `setTimeout` that do nothing but to drop the value.
fn timers<'w>(work: &Work<'w>) -> Result<Vec<(&'w Script, Node<'w>)>, Refused> {
    let mut out = Vec::new();
    for site in drops(work) {
        let (script, node) = work.scripts.expression(site)?;
        out.extend(timer_of(script, node).map(|timer| (script, timer)));
    }
    Ok(out)
}

/// Where the value is dropped: accesses, and calls of functions that do so.
fn drops<'w>(work: &Work<'w>) -> Vec<&'w Site> {
    let handle = work.handle;
    let own = |index: usize| handle.touches.iter().filter(move |touch| touch.carrier == index && !touch.companion);
    let drops = |index: usize| {
        own(index).any(|touch| touch.kind == Kind::Delete)
            && !own(index).any(|touch| matches!(touch.kind, Kind::Write | Kind::GetOrCreate))
    };
    let calls = handle.carriers.iter().enumerate().filter(|(index, _)| drops(*index));
    let direct = handle.touches.iter().filter(|touch| touch.kind == Kind::Delete && !touch.companion);
    direct
        .map(|touch| &touch.at)
        .chain(calls.flat_map(|(_, carrier)| carrier.calls.iter().map(|call| &call.at)))
        .collect()
}

/// `setTimeout(() => drop(id), …)`, for what it does.
fn timer_of<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let mut inner = node;
    while let Some(parent) = inner.parent().filter(|parent| {
        matches!(parent.kind(), "expression_statement" | "await_expression" | "unary_expression")
            || parent.kind() == "statement_block" && children(*parent).len() == 1
    }) {
        inner = parent;
    }
    let callback = inner.parent().filter(|parent| {
        is_function(*parent)
            && parent.child_by_field_name("body") == Some(inner)
            && parent.child_by_field_name("parameters").is_none_or(|list| children(list).is_empty())
            && parent.child_by_field_name("parameter").is_none()
    })?;
    let call = callback.parent().filter(|list| list.kind() == "arguments").and_then(|list| list.parent())?;
    let first = call.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
    let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
    (script.of(callee) == "setTimeout" && first == Some(callback)).then_some(call)
}

/// The field of the value that a timer is put into by a statement of its own.
fn kept_in(script: &Script, timer: Node<'_>) -> Option<String> {
    let assignment = timer.parent().filter(|parent| parent.kind() == "assignment_expression")?;
    assignment.parent().filter(|parent| parent.kind() == "expression_statement")?;
    let left = assignment.child_by_field_name("left").filter(|left| left.kind() == "member_expression")?;
    Some(script.of(left.child_by_field_name("property")?).to_owned())
}

/// Takes out all that is done with the field that held the timers, and adds the functions that did it.
fn without(work: &mut Work<'_>, field: &str, functions: &mut Vec<(String, Span)>) -> Result<(), Refused> {
    let handle = work.handle;
    let mut paths: Vec<&str> = handle.carriers.iter().map(|carrier| carrier.function.path.as_str()).collect();
    paths.extend(handle.outside.iter().map(|outside| outside.at.path.as_str()));
    paths.push(&handle.store.declared.path);
    paths.sort_unstable();
    paths.dedup();
    let ours: Vec<(String, usize)> =
        timers(work)?.into_iter().map(|(script, timer)| (script.path.clone(), timer.id())).collect();
    for path in paths {
        let script = work.scripts.open(path)?;
        for name in named(script, script.tree.root_node(), field) {
            let own = |timer: Node<'_>| ours.contains(&(script.path.clone(), timer.id()));
            let whole = part(script, name, &own).ok_or_else(|| {
                script.refuse(
                    name,
                    "the timer that drops the value is used here as well",
                    "a store lets values expire by itself: take the timer out, and run again",
                )
            })?;
            work.edits.cut(script, script.removal(whole));
            functions.extend(enclosing_function(whole).map(|function| (script.path.clone(), span(function))));
        }
    }
    Ok(())
}

/// Where the name of a field stands.
fn named<'t>(script: &Script, root: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let (mut out, mut stack) = (Vec::new(), vec![root]);
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "property_identifier" | "shorthand_property_identifier_pattern")
            && script.of(node) == field
        {
            out.push(node);
        }
        stack.extend(children(node));
    }
    out
}

/// What has to go with a mention of the field: a member of the type, or a statement that sets, stops or unties the timer.
fn part<'t>(script: &Script, name: Node<'t>, own: &dyn Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let member = name.parent()?;
    match member.kind() {
        "property_signature" | "public_field_definition" | "field_definition" => return Some(member),
        "member_expression" => {}
        _ => return None,
    }
    let outer = bare_parent(member);
    let parent = outer.parent()?;
    let done = match parent.kind() {
        "assignment_expression" if parent.child_by_field_name("left") == Some(outer) => {
            let right = bare(parent.child_by_field_name("right")?);
            (own(right) || script.of(right) == "undefined").then_some(parent)?
        }
        "arguments" => {
            let call = parent.parent()?;
            let callee = script.of(call.child_by_field_name("function")?);
            (callee == "clearTimeout" && children(parent).len() == 1).then_some(call)?
        }
        "member_expression" => {
            let unties = script.of(parent.child_by_field_name("property")?) == "unref";
            parent.parent().filter(|call| unties && call.kind() == "call_expression")?
        }
        // `if (value.timer) clearTimeout(value.timer);`
        "if_statement" => {
            let then = parent.child_by_field_name("consequence")?;
            let inner = if then.kind() == "statement_block" { children(then) } else { vec![then] };
            let plain = inner.iter().all(|node| script.of(*node).starts_with("clearTimeout("));
            return (plain && parent.child_by_field_name("alternative").is_none()).then_some(parent);
        }
        _ => return None,
    };
    let whole = done.parent().filter(|whole| whole.kind() == "expression_statement")?;
    // The only statement of an `if` goes with the condition, which names the field too.
    Some(
        std::iter::successors(whole.parent(), Node::parent)
            .take(2)
            .find(|around| around.kind() == "if_statement" && names(script, *around, name))
            .unwrap_or(whole),
    )
}

fn names(script: &Script, branch: Node<'_>, name: Node<'_>) -> bool {
    let condition = branch.child_by_field_name("condition");
    condition.is_some_and(|condition| !named(script, condition, script.of(name)).is_empty())
}

/// The outermost of the parentheses and marks around a node.
fn bare_parent(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) =
        outer.parent().filter(|parent| matches!(parent.kind(), "parenthesized_expression" | "non_null_expression"))
    {
        outer = parent;
    }
    outer
}

/// A helper that did nothing else goes, with its calls.
fn emptied(work: &mut Work<'_>, functions: &[(String, Span)]) -> Result<(), Refused> {
    for carrier in &work.handle.carriers {
        let (script, function) = work.function(carrier)?;
        if !functions.contains(&(script.path.clone(), span(function))) {
            continue;
        }
        let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
        let statements = body.map(children).unwrap_or_default();
        let gone = statements.iter().all(|node| work.edits.covers(&script.path, span(*node)));
        if !gone || statements.is_empty() {
            continue;
        }
        for call in &carrier.calls {
            let (script, node) = work.scripts.expression(&call.at)?;
            let own = statement(node);
            if own.kind() != "expression_statement" || bare(children(own)[0]) != node {
                return Err(script.refuse(node, "what this answers is used", "call it in a statement of its own"));
            }
            if enclosing_function(node) != Some(function) {
                work.edits.cut(script, script.removal(own));
            }
        }
        declared::take_out(&mut work.edits, script, function)?;
    }
    Ok(())
}
