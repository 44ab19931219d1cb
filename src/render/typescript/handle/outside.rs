//! Where no tool is called: the session begins or ends, a timer sweeps, a health check counts.

use tree_sitter::Node;

use super::bounds;
use super::cleanup;
use super::mode::is_async;
use super::of_class;
use super::sweepers;
use super::whole;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::{Kind, Outside};
use crate::render::Refused;
use crate::render::typescript::declared;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};
use crate::render::typescript::scripts::{Code, declaration, mentions};
use crate::render::typescript::transport::edits::item;

/// Takes the accesses there away, or moves them.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    for outside in &work.handle.outside {
        one(work, outside)?;
    }
    for outside in &work.handle.outside {
        let (script, node) = work.scripts.expression(&outside.at)?;
        emptied(work, script, node);
        without_a_body(work, script, node, outside)?;
    }
    loose(work)
}

fn one(work: &mut Work<'_>, outside: &Outside) -> Result<(), Refused> {
    let (script, node) = work.scripts.expression(&outside.at)?;
    if work.is_gone(&outside.at) || sweeps(work, script, node)? {
        return Ok(());
    }
    match (outside.kind, outside.direct) {
        (kind, _) if outside.companion && kind != Kind::Delete => return Err(used(script, node)),
        (Kind::Delete, _) | (Kind::GetOrCreate, true) | (Kind::Write, true) => {}
        (Kind::Read, true) => return closes(work, script, node),
        _ => return Err(used(script, node)),
    }
    if let (Kind::Write | Kind::GetOrCreate, Some(value)) = (outside.kind, &outside.value) {
        let (_, value) = work.scripts.expression(value)?;
        let value = bare(value);
        if value.kind() == "identifier" {
            return Err(used(script, node));
        }
        work.initial(script, value, true);
    }
    drop_expression(work, script, node, !outside.calls.is_empty())
}

fn used(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "the state is used here, where no tool is called and no handle is at hand",
        "move it into a tool, or into the clean-up of the store",
    )
}

/// Takes an expression away that is a statement of its own, the whole body of an arrow, or all that a function answers whose calls are
/// known.
fn drop_expression(work: &mut Work<'_>, script: &Script, node: Node<'_>, called: bool) -> Result<(), Refused> {
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let through = match parent.kind() {
            "await_expression" | "parenthesized_expression" => true,
            "assignment_expression" | "augmented_assignment_expression" => {
                parent.child_by_field_name("left") == Some(outer)
            }
            "unary_expression" => parent.child(0).is_some_and(|sign| matches!(script.of(sign), "delete" | "void")),
            "binary_expression" => {
                parent.child_by_field_name("right") == Some(outer)
                    && parent.child_by_field_name("operator").is_some_and(|operator| script.of(operator) == "&&")
            }
            _ => false,
        };
        if !through {
            break;
        }
        outer = parent;
    }
    let parent = outer.parent().ok_or_else(|| used(script, node))?;
    if parent.kind() == "expression_statement" {
        let whole = if statement(parent) == parent { script.removal(parent) } else { span(parent) };
        // The only statement of an `if` without braces: the `if` goes with it.
        if statement(parent) != parent {
            let around = parent.parent().filter(|around| {
                around.kind() == "if_statement" && around.child_by_field_name("alternative").is_none()
            });
            let around = around.ok_or_else(|| used(script, node))?;
            work.edits.cut(script, script.removal(around));
            return Ok(());
        }
        work.edits.cut(script, whole);
        return Ok(());
    }
    if parent.kind() == "variable_declarator" && only_logged(work, script, parent) {
        return Ok(());
    }
    if let Some(option) = option_of(script, parent, outer) {
        work.edits.cut(script, item(script, option));
        return Ok(());
    }
    if parent.kind() == "arrow_function" && parent.child_by_field_name("body") == Some(outer) {
        work.edits.replace(script, span(outer), "{}");
        return Ok(());
    }
    // All that the function does: it goes as a whole, and a call whose answer counts stops that.
    let alone = |block: Node<'_>| block.kind() == "statement_block" && children(block).len() == 1;
    let body = parent.parent().filter(|block| alone(*block) && enclosing_function(node) == block.parent());
    if parent.kind() == "return_statement" && body.is_some() && called {
        work.edits.cut(script, script.removal(parent));
        return Ok(());
    }
    Err(used(script, node))
}

/// The transport's option for the end of a session, where a callback does nothing else.
fn option_of<'t>(script: &Script, arrow: Node<'t>, body: Node<'t>) -> Option<Node<'t>> {
    let own = arrow.kind() == "arrow_function" && arrow.child_by_field_name("body") == Some(body);
    let option = arrow.parent().filter(|parent| own && parent.kind() == "pair")?;
    let named = option.child_by_field_name("key").is_some_and(|key| script.of(key) == "onsessionclosed");
    let several = option.parent().is_some_and(|object| children(object).len() > 1);
    (named && several).then_some(option)
}

/// What the end of a session answers is only told to the log: that word goes as well.
fn only_logged(work: &mut Work<'_>, script: &Script, declarator: Node<'_>) -> bool {
    let own = statement(declarator);
    let (Some(name), Some(function)) = (declarator.child_by_field_name("name"), enclosing_function(declarator)) else {
        return false;
    };
    if name.kind() != "identifier" || children(own).len() != 1 {
        return false;
    }
    let mut words = Vec::new();
    for used in mentions(script, function, script.of(name)).into_iter().filter(|used| *used != name) {
        let around = statement(used);
        let call = children(around).first().copied().filter(|call| call.kind() == "call_expression");
        let callee = call.and_then(|call| call.child_by_field_name("function")).map(|callee| script.of(callee));
        let logs = callee.is_some_and(|callee| {
            ["console.", "log.", "logger.", "log"]
                .iter()
                .any(|known| callee == *known || known.ends_with('.') && callee.starts_with(known))
        });
        if around.kind() != "expression_statement" || !logs {
            return false;
        }
        words.push(around);
    }
    std::iter::once(own).chain(words).for_each(|node| work.edits.cut(script, script.removal(node)));
    true
}

/// `store.get(id)?.close()`: what is done to a value when its session ends is done when the value goes.
fn closes(work: &mut Work<'_>, script: &Script, node: Node<'_>) -> Result<(), Refused> {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "member_expression" | "non_null_expression" | "await_expression")
            || (parent.kind() == "call_expression" && parent.child_by_field_name("function") == Some(outer))
    }) {
        outer = parent;
    }
    let alone = outer.parent().is_some_and(|parent| parent.kind() == "expression_statement");
    if !alone && cleanup::take(work, script, node)? {
        return Ok(());
    }
    if !alone || outer == node || work.close.is_some() {
        return Err(used(script, node));
    }
    let rest = script.slice(Span::new(node.end_byte(), outer.end_byte())).trim_start_matches(['!', '?']);
    let noun = work.handle.names.noun.split(' ').next_back().unwrap_or("value").to_owned();
    work.close = Some(format!("({noun}) => {noun}{rest}"));
    work.features.close = true;
    let parent = outer.parent().unwrap_or(outer);
    work.edits.cut(script, script.removal(parent));
    Ok(())
}

/// An `if` around what went is of no use any more.
fn emptied(work: &mut Work<'_>, script: &Script, node: Node<'_>) {
    let mut inner = statement(node);
    while let Some(block) = inner.parent().filter(|parent| parent.kind() == "statement_block") {
        let Some(around) = block.parent().filter(|around| around.kind() == "if_statement") else { return };
        let empty = children(block).iter().all(|statement| work.edits.covers(&script.path, span(*statement)));
        if !empty || around.child_by_field_name("alternative").is_some() {
            return;
        }
        work.edits.cut(script, script.removal(around));
        inner = around;
    }
}

/// A function whose whole body went, goes with its calls.
fn without_a_body(work: &mut Work<'_>, script: &Script, node: Node<'_>, outside: &Outside) -> Result<(), Refused> {
    let Some(function) = enclosing_function(node).filter(|_| !outside.calls.is_empty()) else { return Ok(()) };
    let body = function.child_by_field_name("body").map(children).unwrap_or_default();
    let empty = body.iter().all(|statement| work.edits.covers(&script.path, span(*statement)));
    if !empty || work.edits.covers(&script.path, span(function)) {
        return Ok(());
    }
    for call in &outside.calls {
        let (script, node) = work.scripts.expression(call)?;
        drop_expression(work, script, node, false)?;
        emptied(work, script, node);
    }
    declared::take_out(&mut work.edits, script, function)
}

/// Other mentions of the container.
fn loose(work: &mut Work<'_>) -> Result<(), Refused> {
    for site in &work.handle.loose {
        let (script, node) = work.scripts.expression(site)?;
        if work.is_gone(site) || span(node) == work.handle.store.declared.span {
            continue;
        }
        let parent = node.parent().unwrap_or(node);
        if is_handed_out(script, parent) || sweeps(work, script, node)? || whole::take(work, script, node) {
            continue;
        }
        match bounds::count(script, node) {
            Some(count) => {
                work.features.size = true;
                let size = format!("{}.size()", script.of(node));
                let size = if work.wait { format!("(await {size})") } else { size };
                work.edits.replace(script, span(count), size);
            }
            None if asks_for_one(script, node) => {
                work.features.has = true;
                if work.wait {
                    work.edits.insert(script, parent.start_byte(), "(await ");
                    work.edits.insert(script, parent.parent().unwrap_or(parent).end_byte(), ")");
                }
            }
            None => {
                return Err(script.refuse(
                    parent,
                    "the container is used here as a whole",
                    "use the handle store here by hand, or take this code out",
                ));
            }
        }
    }
    Ok(())
}

/// `games.has(key)`, whatever the key is: the store answers that in the same way.
fn asks_for_one(script: &Script, container: Node<'_>) -> bool {
    let member = container.parent().filter(|member| member.child_by_field_name("object") == Some(container));
    let call = member.and_then(|member| member.parent().filter(|call| call.kind() == "call_expression"));
    let named = member.and_then(|member| member.child_by_field_name("property")).map(|name| script.of(name));
    named == Some("has") && call.is_some_and(|call| call.child_by_field_name("function") == member)
}

/// Whether a count of the values, or a question for one, stands where it can't be waited for.
pub fn counts_at_once(work: &Work<'_>) -> Result<bool, Refused> {
    for site in &work.handle.loose {
        let (script, node) = work.scripts.expression(site)?;
        if (bounds::count(script, node).is_some() || asks_for_one(script, node))
            && enclosing_function(node).is_some_and(|function| !is_async(script, function))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a mention only hands the container to other files.
fn is_handed_out(script: &Script, parent: Node<'_>) -> bool {
    matches!(parent.kind(), "export_specifier" | "export_clause")
        || std::iter::successors(Some(parent), Node::parent).take(3).any(|node| {
            node.kind() == "assignment_expression"
                && node.child_by_field_name("left").is_some_and(|left| {
                    let left = script.of(left);
                    left == "module.exports" || left.starts_with("exports.")
                })
        })
}

/// A timer that drops values which nobody used for a while: the store does so by itself.
fn sweeps(work: &mut Work<'_>, script: &Script, node: Node<'_>) -> Result<bool, Refused> {
    let mut timer = None;
    let mut inner = node;
    while let Some(parent) = inner.parent() {
        let called = parent.kind() == "call_expression"
            && parent.child_by_field_name("function").is_some_and(|callee| script.of(callee) == "setInterval");
        if called {
            timer = Some(parent);
            break;
        }
        inner = parent;
    }
    let Some(timer) = timer else { return sweepers::take(work, script, node) };
    let whole = statement(timer);
    if work.edits.covers(&script.path, span(whole)) {
        return Ok(true);
    }
    let store = work.handle.store.name.as_str();
    let arguments = timer.child_by_field_name("arguments").unwrap_or(timer);
    if let Some(more) = foreign_call(script, arguments, store) {
        // It sweeps sessions, whose state goes with them: the state has a lifetime of its own now.
        if only_dropped(work, script, timer) {
            work.idle = work.idle.take().or_else(|| idle_limit(work, script, timer));
            return Ok(false);
        }
        return Err(script.refuse(
            more,
            "the timer that sweeps the store does something else as well",
            "move that to a timer of its own, or into the clean-up of the store",
        ));
    }
    if work.idle.is_none() {
        work.idle = idle_limit(work, script, timer);
    }
    let named = std::iter::successors(timer.parent(), Node::parent)
        .take_while(|node| *node != whole)
        .any(|node| node.kind() == "variable_declarator");
    let gone = match sweepers::timer(script, timer) {
        Ok(gone) => gone,
        Err(_) if !named => vec![whole],
        Err(used) => {
            return Err(script.refuse(
                used,
                "the timer that sweeps the store is used for something else as well",
                "let it go its own way (`timer.unref()`), and run again",
            ));
        }
    };
    sweepers::cut(work, script, &gone);
    sweepers::hollow(work, script, &gone)?;
    Ok(true)
}

/// Whether all that a timer does to the store is to drop what it was told to by something else.
fn only_dropped(work: &Work<'_>, script: &Script, timer: Node<'_>) -> bool {
    let inside = |site: &crate::plan::Site| site.path == script.path && span(timer).contains(site.span);
    let mut outside = work.handle.outside.iter().filter(|outside| inside(&outside.at));
    outside.all(|outside| outside.kind == Kind::Delete) && !work.handle.loose.iter().any(inside)
}

/// The milliseconds after which a sweep drops what nobody used: `Date.now() - seen > LIMIT`, `seen < Date.now() - LIMIT`.
pub fn idle_limit(work: &Work<'_>, script: &Script, within: Node<'_>) -> Option<String> {
    let mut stack = vec![within];
    while let Some(node) = stack.pop() {
        stack.extend(children(node));
        if node.kind() != "binary_expression" {
            continue;
        }
        let operator = node.child_by_field_name("operator").map(|operator| script.of(operator)).unwrap_or_default();
        let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
        let [Some(left), Some(right)] = sides else { continue };
        let is_now = |node: Node<'_>| matches!(script.of(node), "Date.now()" | "now" | "performance.now()");
        let limit = match operator {
            "-" if is_now(left) && !compared(node) => Some(bare(right)),
            ">" | ">=" if difference(left).is_some_and(|(from, _)| is_now(from)) => Some(bare(right)),
            _ => None,
        };
        if let Some(limit) = limit.filter(|limit| is_constant(work, script, *limit)) {
            return Some(seconds(script.of(limit)));
        }
    }
    None
}

/// Milliseconds, as code, in seconds: reckoned out where they are numbers.
pub fn seconds(text: &str) -> String {
    let factors: Option<Vec<f64>> = text.split('*').map(|factor| factor.trim().replace('_', "").parse().ok()).collect();
    match factors {
        Some(factors) => (factors.iter().product::<f64>() / 1000.0).to_string(),
        None if text.contains(' ') => format!("({text}) / 1000"),
        None => format!("{text} / 1000"),
    }
}

/// Whether a value is a number, or a constant that is declared above the store.
pub fn is_constant(work: &Work<'_>, script: &Script, node: Node<'_>) -> bool {
    let (made, text) = (&work.handle.store.made, script.of(node));
    let number = text.chars().all(|char| char.is_ascii_digit() || matches!(char, '_' | ' ' | '*' | '.'));
    let constant = node.kind() == "identifier"
        && script.path == made.path
        && declaration(Code { script, node: script.tree.root_node() }, text)
            .is_some_and(|found| found.node.end_byte() <= made.span.start as usize);
    number || constant || of_class::known(work, script, node).is_some()
}

/// `a - b`.
fn difference(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let node = bare(node);
    let minus = node.kind() == "binary_expression" && node.child_by_field_name("operator")?.kind() == "-";
    minus.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Whether a difference is compared with something: then that is the limit, and not what is taken off.
fn compared(node: Node<'_>) -> bool {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| parent.kind() == "parenthesized_expression") {
        outer = parent;
    }
    outer.parent().is_some_and(|parent| {
        parent.kind() == "binary_expression"
            && parent.child_by_field_name("operator").is_some_and(|operator| matches!(operator.kind(), ">" | ">="))
            && parent.child_by_field_name("left") == Some(outer)
    })
}

/// A call in a sweep that does not only look for what is old and drop it.
pub fn foreign_call<'t>(script: &Script, within: Node<'t>, store: &str) -> Option<Node<'t>> {
    let mut stack = vec![within];
    while let Some(node) = stack.pop() {
        if node.kind() == "call_expression" {
            let callee = node.child_by_field_name("function").map(|callee| script.of(callee)).unwrap_or_default();
            let object = callee.rsplit_once('.').map_or(callee, |(object, _)| object);
            let own = object == store || object.ends_with(&format!(".{store}"));
            let plain =
                ["Date.now", "Object.entries", "Object.keys", "Math."].iter().any(|known| callee.starts_with(known));
            if !own && !plain && !callee.starts_with("console.") {
                return Some(node);
            }
        }
        stack.extend(children(node));
    }
    None
}
