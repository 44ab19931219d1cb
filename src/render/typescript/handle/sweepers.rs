//! A function that only drops what is old, for a timer to call: the store does so by itself, so the function, its calls and the timer
//! go.

use tree_sitter::Node;

use super::outside::{foreign_call, idle_limit};
use super::work::Work;
use crate::plan::Site;
use crate::plan::handle::Called;
use crate::render::Refused;
use crate::render::typescript::classes;
use crate::render::typescript::declared;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::typescript::scripts::{Code, declaration};

/// Takes the function around a use of the store out, where it is such a one. Answers whether it is.
pub fn take(work: &mut Work<'_>, script: &Script, node: Node<'_>) -> Result<bool, Refused> {
    let handle = work.handle;
    let named = |node: &Node<'_>| is_function(*node) && node.parent().is_none_or(|parent| parent.kind() != "arguments");
    for function in std::iter::successors(Some(node), Node::parent).filter(named) {
        let known = handle.outside.iter().find(|outside| {
            outside.direct
                && outside.at.path == script.path
                && span(function).contains(outside.at.span)
                && !(outside.calls.is_empty() && outside.handed.is_empty())
        });
        let Some(known) = known else { continue };
        if work.edits.covers(&script.path, span(function)) {
            return Ok(true);
        }
        let Some(idle) = limit(work, script, function) else { return Ok(false) };
        let mut gone = Vec::new();
        for site in known.calls.iter().chain(&known.handed) {
            match around_call(work, site)? {
                Some(nodes) => gone.push(nodes),
                None => return Ok(false),
            }
        }
        work.idle = work.idle.take().or(Some(idle));
        for (script, nodes) in &gone {
            cut(work, script, nodes);
        }
        for (script, nodes) in &gone {
            hollow(work, script, nodes)?;
        }
        declared::take_out(&mut work.edits, script, function)?;
        return Ok(true);
    }
    Ok(false)
}

/// How long values live, in a function that does nothing but to drop those which nobody used for longer, and answers nothing.
fn limit(work: &Work<'_>, script: &Script, function: Node<'_>) -> Option<String> {
    let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block")?;
    if foreign_call(script, body, &work.handle.store.name).is_some() || does_more(script, function, body) {
        return None;
    }
    idle_limit(work, script, body)
}

/// Whether code answers something, or changes what is not its own.
fn does_more(script: &Script, function: Node<'_>, body: Node<'_>) -> bool {
    let mut stack = vec![body];
    while let Some(node) = stack.pop() {
        let target = match node.kind() {
            "return_statement" if !children(node).is_empty() => return true,
            "new_expression" | "throw_statement" => return true,
            "assignment_expression" | "augmented_assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => node.child_by_field_name("argument"),
            _ => None,
        };
        let own = |target: Node<'_>| {
            target.kind() == "identifier"
                && declaration(Code { script, node: target }, script.of(target)).is_some_and(|found| {
                    function.start_byte() <= found.node.start_byte() && found.node.end_byte() <= function.end_byte()
                })
        };
        if target.is_some_and(|target| !own(target)) {
            return true;
        }
        stack.extend(children(node));
    }
    false
}

/// What goes with a call: its statement, or the timer that it is all of.
fn around_call<'w>(work: &Work<'w>, site: &Site) -> Result<Option<(&'w Script, Vec<Node<'w>>)>, Refused> {
    let (script, call) = work.scripts.expression(site)?;
    let mut inner = call;
    while let Some(parent) = inner.parent() {
        let alone = match parent.kind() {
            "expression_statement" | "parenthesized_expression" => true,
            "unary_expression" => script.of(parent).starts_with("void"),
            "statement_block" => children(parent).len() == 1 && parent.parent().is_some_and(is_function),
            "arrow_function" | "function_expression" => parent.child_by_field_name("body") == Some(inner),
            _ => false,
        };
        if !alone {
            break;
        }
        inner = parent;
    }
    if is_interval(script, call) {
        return Ok(timer(script, call).ok().map(|nodes| (script, nodes)));
    }
    let outer = is_function(inner).then(|| inner.parent()).flatten().and_then(|list| list.parent());
    if let Some(interval) = outer.filter(|outer| is_interval(script, *outer)) {
        return Ok(timer(script, interval).ok().map(|nodes| (script, nodes)));
    }
    let own = call.parent().filter(|parent| parent.kind() == "expression_statement" && statement(*parent) == *parent);
    Ok(own.map(|own| (script, vec![own])))
}

/// Takes statements out. Those that follow one another go together, so that no blank line of theirs is left.
pub(super) fn cut(work: &mut Work<'_>, script: &Script, nodes: &[Node<'_>]) {
    for run in nodes.chunk_by(|a, b| a.next_named_sibling() == Some(*b)) {
        if !work.edits.covers(&script.path, span(run[0])) {
            work.edits.cut(script, script.removal_of_run(run[0], run[run.len() - 1]));
        }
    }
}

fn is_interval(script: &Script, call: Node<'_>) -> bool {
    let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression");
    callee.is_some_and(|callee| matches!(script.of(callee), "setInterval" | "globalThis.setInterval"))
}

/// The statements of a timer: the one that starts it, and those that let the process end or stop it. Else the code that does more with
/// it.
pub(super) fn timer<'t>(script: &'t Script, interval: Node<'t>) -> Result<Vec<Node<'t>>, Node<'t>> {
    let own = statement(interval);
    let mut out = vec![own];
    let mut value = interval;
    while let Some(parent) = value.parent().filter(|parent| {
        matches!(parent.kind(), "member_expression" | "as_expression" | "parenthesized_expression")
            || parent.kind() == "call_expression" && parent.child_by_field_name("function") == Some(value)
    }) {
        value = parent;
    }
    if let Some(field) = held_by_field(value) {
        return of_field(script, value, field);
    }
    let holder =
        value.parent().filter(|parent| matches!(parent.kind(), "expression_statement" | "variable_declarator"));
    let holder = holder.ok_or(value)?;
    if holder.kind() == "expression_statement" {
        return Ok(out);
    }
    let name = holder.child_by_field_name("name").filter(|name| name.kind() == "identifier").ok_or(holder)?;
    if children(own).len() != 1 || own.parent().is_some_and(|outer| outer.kind() == "export_statement") {
        return Err(own);
    }
    let mut answered = None;
    for used in scope::uses(script, name) {
        let answers = used.parent().filter(|parent| parent.kind() == "return_statement");
        answered = answered.or(answers.map(|_| used));
        out.push(answers.or_else(|| ends(script, used)).ok_or(used)?);
    }
    // What starts a timer may answer it, where it does nothing else.
    let body = enclosing_function(own).and_then(|function| function.child_by_field_name("body")).map(children);
    let alone = body.unwrap_or_default().iter().all(|statement| out.contains(statement));
    match answered.filter(|_| !alone) {
        Some(used) => Err(used),
        None => Ok(out),
    }
}

/// `timer.unref();`, `clearInterval(timer);`.
fn ends<'t>(script: &Script, used: Node<'t>) -> Option<Node<'t>> {
    let parent = used.parent()?;
    let call = match parent.kind() {
        "member_expression" => {
            let name = script.of(parent.child_by_field_name("property")?);
            parent.parent().filter(|call| matches!(name, "unref" | "ref") && call.kind() == "call_expression")?
        }
        "arguments" => parent.parent().filter(|call| {
            let callee = call.child_by_field_name("function").map(|callee| script.of(callee));
            callee == Some("clearInterval") && children(parent).len() == 1
        })?,
        _ => return None,
    };
    let own =
        call.parent().filter(|parent| parent.kind() == "expression_statement" && statement(*parent) == *parent)?;
    // `if (timer) clearInterval(timer);` goes as a whole.
    let around = own.parent().filter(|block| block.kind() == "statement_block").and_then(|block| block.parent());
    let asks = around.filter(|around| {
        around.kind() == "if_statement"
            && around.child_by_field_name("alternative").is_none()
            && around
                .child_by_field_name("condition")
                .is_some_and(|condition| script.of(bare(condition)) == script.of(used))
            && around.child_by_field_name("consequence").is_some_and(|then| children(then).len() == 1)
    });
    Some(asks.unwrap_or(own))
}

/// The name of the field that a timer is put into: `this.timer = setInterval(…)`, `#timer = setInterval(…).unref()`.
fn held_by_field(value: Node<'_>) -> Option<Node<'_>> {
    let parent = value.parent()?;
    if parent.kind().ends_with("field_definition") {
        return parent.child_by_field_name("name").or_else(|| parent.child_by_field_name("property"));
    }
    let left = parent.child_by_field_name("left").filter(|_| parent.kind() == "assignment_expression")?;
    let own = left.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
    left.child_by_field_name("property").filter(|_| own)
}

/// The statements of a timer in a field, and the field.
fn of_field<'t>(script: &'t Script, timer: Node<'t>, name: Node<'t>) -> Result<Vec<Node<'t>>, Node<'t>> {
    let mut out: Vec<Node<'t>> = Vec::new();
    let mut asked = Vec::new();
    for used in classes::uses(script, timer, script.of(name)) {
        let parent = used.parent().ok_or(used)?;
        let set = parent.child_by_field_name("left") == Some(used) && parent.kind() == "assignment_expression";
        let right = parent.child_by_field_name("right").filter(|_| set);
        let nothing = |right: Node<'t>| matches!(right.kind(), "null" | "undefined");
        if right.is_some_and(|right| span(right).contains(span(timer)) || nothing(right)) {
            out.push(parent.parent().filter(|whole| whole.kind() == "expression_statement").ok_or(used)?);
        } else if parent.kind() == "parenthesized_expression"
            && let Some(around) = parent.parent().filter(|around| around.kind() == "if_statement")
        {
            asked.push(around);
        } else {
            out.push(ends(script, used).ok_or(used)?);
        }
    }
    for around in asked {
        let then = around.child_by_field_name("consequence").ok_or(around)?;
        let inner = if then.kind() == "statement_block" { children(then) } else { vec![then] };
        let all = inner.iter().all(|node| out.contains(node)) && around.child_by_field_name("alternative").is_none();
        if !all && !out.contains(&around) {
            return Err(around);
        }
        out.retain(|node| !span(around).contains(span(*node)));
        out.push(around);
    }
    out.extend(classes::field(script, timer, script.of(name)));
    out.sort_by_key(Node::start_byte);
    out.dedup();
    Ok(out)
}

/// `const timer = start();` with all that stops the timer, where nothing else is done with it.
fn held<'t>(script: &'t Script, call: Node<'t>) -> Option<Vec<Node<'t>>> {
    let holder = call.parent().filter(|holder| holder.kind() == "variable_declarator")?;
    let name = holder.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    let own = statement(holder);
    if children(own).len() != 1 || own.parent().is_some_and(|outer| outer.kind() == "export_statement") {
        return None;
    }
    let ended = scope::uses(script, name).into_iter().map(|used| ends(script, used));
    std::iter::once(Some(own)).chain(ended).collect()
}

/// Functions that did nothing but to start or stop a timer that is gone, go with their calls.
pub(super) fn hollow(work: &mut Work<'_>, script: &Script, gone: &[Node<'_>]) -> Result<(), Refused> {
    for node in gone {
        let Some(function) = enclosing_function(*node) else { continue };
        let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
        let statements = body.map(children).unwrap_or_default();
        let empty = statements.iter().all(|statement| work.edits.covers(&script.path, span(*statement)));
        if !empty || statements.is_empty() || work.edits.covers(&script.path, span(function)) {
            continue;
        }
        let own = |known: &&Called| known.function.path == script.path && known.function.span == span(function);
        let handle = work.handle;
        let known = handle.functions.iter().find(own);
        let refuse = |at: Node<'_>, script: &Script| {
            script.refuse(
                at,
                "it would be left with nothing to do: the store lets values expire by itself",
                "take it out with its calls, and run again",
            )
        };
        let known = known.ok_or_else(|| refuse(function, script))?;
        let mut calls = Vec::new();
        for site in &known.calls {
            let (home, call) = work.scripts.expression(site)?;
            let around = call.parent().filter(|parent| parent.kind() == "await_expression").unwrap_or(call);
            let whole =
                around.parent().filter(|whole| whole.kind() == "expression_statement" && statement(*whole) == *whole);
            match whole {
                Some(whole) => calls.push((home, whole)),
                None => {
                    let held = held(home, around).ok_or_else(|| refuse(call, home))?;
                    calls.extend(held.into_iter().map(|node| (home, node)));
                }
            }
        }
        for (home, whole) in calls {
            work.edits.cut(home, home.removal(whole));
        }
        declared::take_out(&mut work.edits, script, function)?;
    }
    Ok(())
}
