//! Tools that use only what is kept beside the store: that the handle is a known one has to be asked for.

use tree_sitter::Node;

use super::create::store_expression;
use super::guarded;
use super::mode::is_async;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Entry, Touch};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, span};

/// Lets such tools look the handle up first.
pub fn known(work: &mut Work<'_>) -> Result<(), Refused> {
    if work.handle.companions.is_empty() && !work.handle.registry {
        return behind_another(work);
    }
    let looks = looking_first(work);
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        let Entry::Handler(tools) = &carrier.entry else { continue };
        if looks[index] || work.creates(carrier) {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        let inner = guarded::callback(script, function).filter(|inner| !work.wait || is_async(script, *inner));
        let function = inner.unwrap_or(function);
        let answer = function.child_by_field_name("body").filter(|body| body.kind() != "statement_block");
        if let (Some(answer), Some(tool)) = (answer, tools.first()) {
            let store = store_expression(work, script, &work.handle.tools[*tool])?;
            answering(work, script, answer, &store, index);
            continue;
        }
        let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
        let first = body.and_then(|body| Some((body, *children(body).first()?)));
        let (Some((body, first)), Some(tool)) = (first, tools.first().map(|tool| &work.handle.tools[*tool])) else {
            return Err(script.refuse(
                function,
                "the tool uses only what is kept beside the store, and has no place to look the handle up",
                "give the handler a body with braces",
            ));
        };
        if tool.entry.is_some() {
            return Err(script.refuse(
                function,
                "the tool uses only what is kept beside the store",
                "look the handle up here",
            ));
        }
        let store = store_expression(work, script, tool)?;
        look_first(work, script, (body, first), &store, index);
    }
    Ok(())
}

/// Looks the handle up where a body begins: behind its brace, since what stands first may go.
fn look_first(work: &mut Work<'_>, script: &Script, (body, first): (Node<'_>, Node<'_>), store: &str, index: usize) {
    let wait = if work.wait { "await " } else { "" };
    let end = if script.style.semicolons { ";" } else { "" };
    let (newline, indent) = (script.style.newline, script.indentation(first));
    let open = body.start_byte() + 1;
    let own_line = script.slice(Span::new(open, first.start_byte())).contains('\n');
    let gap = if own_line { format!("{newline}{indent}") } else { " ".to_owned() };
    let end = if own_line { end } else { ";" };
    work.edits.insert(script, open, format!("{gap}{wait}{store}.get({}){end}", work.keys[index]));
}

/// Tools that look another handle up before, and change what it names: a wrong handle of this store has to stop them at once.
fn behind_another(work: &mut Work<'_>) -> Result<(), Refused> {
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        let Entry::Handler(tools) = &carrier.entry else { continue };
        let Some(tool) = tools.first().map(|tool| &work.handle.tools[*tool]).filter(|tool| tool.entry.is_none()) else {
            continue;
        };
        let (script, function) = work.function(carrier)?;
        let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
        let Some((body, first)) = body.and_then(|body| Some((body, *children(body).first()?))) else { continue };
        let calls = work.handle.carriers.iter().flat_map(|other| &other.calls).filter(|call| call.within == index);
        let places = work.touches(index).map(|touch| &touch.at).chain(calls.map(|call| &call.at));
        let own = places.filter(|at| at.path == script.path && !work.is_gone(at)).map(|at| at.span.start).min();
        let Some(own) = own.filter(|own| *own >= first.end_byte() as u32 && !work.creates(carrier)) else { continue };
        if !looks_up_another(script, function, body, own) {
            continue;
        }
        let store = store_expression(work, script, tool)?;
        look_first(work, script, (body, first), &store, index);
    }
    Ok(())
}

/// Whether code before a place calls `get` with another argument of the tool that is named like a handle.
fn looks_up_another(script: &Script, function: Node<'_>, body: Node<'_>, before: u32) -> bool {
    let taken = function.child_by_field_name("parameters").and_then(|list| children(list).first().copied());
    let taken = taken.map_or("", |taken| script.of(taken));
    let mut stack = vec![body];
    while let Some(node) = stack.pop() {
        if node.start_byte() as u32 >= before {
            continue;
        }
        let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
        let gets = callee
            .and_then(|callee| callee.child_by_field_name("property"))
            .is_some_and(|name| script.of(name) == "get");
        let given = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let another = given.first().is_some_and(|given| {
            // One that may be left out for a time is asked for: `givenHandle(basket_id, …)`.
            let asked = given.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
            let given = asked.unwrap_or(*given);
            let name = script.of(given);
            given.kind() == "identifier"
                && (name.ends_with("_id") || name.ends_with("Id"))
                && taken.split(|char: char| !char.is_alphanumeric() && char != '_').any(|word| word == name)
        });
        if gets && another {
            return true;
        }
        stack.extend(children(node));
    }
    false
}

/// `() => answer` gets a body with braces, which looks the handle up first.
fn answering(work: &mut Work<'_>, script: &Script, answer: Node<'_>, store: &str, index: usize) {
    let wait = if work.wait { "await " } else { "" };
    let end = if script.style.semicolons { ";" } else { "" };
    // An answer on a line of its own stands where the body's lines do, and the brace goes to the arrow's line.
    let arrow = answer.prev_sibling().filter(|arrow| arrow.kind() == "=>");
    let broken = arrow.filter(|arrow| arrow.end_position().row < answer.start_position().row);
    let indent = script.indentation(broken.unwrap_or(answer)).to_owned();
    let (newline, unit) = (script.style.newline, script.style.indent.text());
    let look = format!("{wait}{store}.get({}){end}", work.keys[index]);
    let value = bare(answer);
    let (value, inner) = if answer.kind() == "parenthesized_expression" && value.kind() == "object" {
        (value, span(answer))
    } else {
        (answer, span(answer))
    };
    // What stands on lines of its own goes one further in, but for what a text goes on in.
    let mut at = value.start_byte();
    while let Some(next) = script.text()[at..value.end_byte()].find('\n') {
        at += next + 1;
        let within = value.named_descendant_for_byte_range(at, at);
        let in_text = std::iter::successors(within, Node::parent).any(|node| node.kind() == "template_string");
        if !in_text
            && broken.is_none()
            && !script.text()[at..].starts_with(['\n', '\r'])
            && !work.edits.covers(&script.path, Span::new(at, at + 1))
        {
            work.edits.insert(script, at, unit.clone());
        }
    }
    work.edits.replace(
        script,
        Span { start: broken.map_or(inner.start, |arrow| arrow.end_byte() as u32), end: value.start_byte() as u32 },
        format!(
            "{}{{{newline}{indent}{unit}{look}{newline}{indent}{unit}return ",
            if broken.is_some() { " " } else { "" }
        ),
    );
    work.edits.replace(
        script,
        Span { start: value.end_byte() as u32, end: inner.end },
        format!("{end}{newline}{indent}}}"),
    );
}

/// Refuses what a timer does with a handle later on: by then it may be gone, and nobody is there to be told.
pub fn no_timers(work: &Work<'_>) -> Result<(), Refused> {
    let calls = work.handle.carriers.iter().flat_map(|carrier| &carrier.calls).map(|call| &call.at);
    let touches = work.handle.touches.iter().map(|touch| &touch.at);
    for site in touches.chain(calls).filter(|site| !work.is_gone(site)) {
        let (script, node) = work.scripts.expression(site)?;
        let later = std::iter::successors(node.parent(), Node::parent).any(|around| {
            let callee = around.child_by_field_name("function").filter(|_| around.kind() == "call_expression");
            callee.is_some_and(|callee| matches!(script.of(callee), "setTimeout" | "setInterval" | "setImmediate"))
        });
        if later {
            return Err(script.refuse(
                node,
                "a timer uses the value later on, when its handle may be gone",
                "a store lets values expire by itself: leave that to it, and what is freed then to its clean-up",
            ));
        }
    }
    Ok(())
}

/// Which carriers look the handle up before they use what is kept beside the store.
fn looking_first(work: &Work<'_>) -> Vec<bool> {
    let first = |places: &mut dyn Iterator<Item = &Site>| places.map(|at| at.span.start).min();
    let beside = |index: usize| {
        let own = |touch: &&Touch| touch.carrier == index && touch.companion && !work.is_gone(&touch.at);
        first(&mut work.handle.touches.iter().filter(own).map(|touch| &touch.at))
    };
    let is_first = |index: usize, at: Option<u32>| at.is_some_and(|at| beside(index).is_none_or(|other| at < other));
    let mut out: Vec<bool> = (0..work.handle.carriers.len())
        .map(|index| is_first(index, first(&mut work.touches(index).map(|touch| &touch.at))))
        .collect();
    for _ in 0..work.handle.carriers.len() {
        for (index, carrier) in work.handle.carriers.iter().enumerate() {
            match &carrier.entry {
                Entry::Closure { within, .. } if out[index] => out[*within] = true,
                _ if out[index] => {
                    for call in &carrier.calls {
                        out[call.within] = out[call.within] || is_first(call.within, Some(call.at.span.start));
                    }
                }
                _ => {}
            }
        }
    }
    out
}

/// Which carriers look the handle up, themselves or through what they call.
pub fn looking(work: &Work<'_>) -> Vec<bool> {
    let mut out: Vec<bool> =
        (0..work.handle.carriers.len()).map(|index| work.touches(index).next().is_some()).collect();
    for _ in 0..work.handle.carriers.len() {
        for (index, carrier) in work.handle.carriers.iter().enumerate() {
            if out[index] {
                carrier.calls.iter().for_each(|call| out[call.within] = true);
            }
        }
    }
    out
}
