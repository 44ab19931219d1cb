//! Code for the case that there is no value yet: it creates one, or it leaves. Neither is needed where a look-up fails by itself.

use tree_sitter::Node;

use super::work::{Alongside, Work};
use super::{bounds, found};
use crate::model::facts::Span;
use crate::plan::handle::Kind;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span};

/// What a condition asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// Whether the value is missing.
    Missing,
    /// Whether it is there.
    There,
}

/// Takes such code out of all functions that carry the handle.
pub fn take_out(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        let (script, function) = work.function(carrier)?;
        let Some(body) = function.child_by_field_name("body") else { continue };
        let mut branches = Vec::new();
        collect(body, &mut branches);
        for branch in branches {
            let creates = work.creates_at(index, span(branch));
            match branch.kind() {
                _ if work.edits.covers(&script.path, span(branch)) => {}
                "ternary_expression" => one_of_two(work, script, branch, index, creates),
                _ => one(work, script, branch, index, creates)?,
            }
        }
    }
    Ok(())
}

fn collect<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if matches!(node.kind(), "if_statement" | "ternary_expression") {
        out.push(node);
    }
    for child in children(node) {
        collect(child, out);
    }
}

/// `return game ? board(game) : NO_GAME`: what is answered where there is a value.
fn one_of_two(work: &mut Work<'_>, script: &Script, whole: Node<'_>, carrier: usize, creates: bool) {
    let part = |field| whole.child_by_field_name(field);
    let (Some(condition), Some(then), Some(otherwise)) = (part("condition"), part("consequence"), part("alternative"))
    else {
        return;
    };
    let Some((asks, looked)) = asks(work, script, bare(condition), carrier) else { return };
    let answered =
        whole.parent().is_some_and(|parent| parent.kind() == "return_statement" || parent.kind() == "arrow_function");
    if looked.variable.is_none() || creates || !answered || work.handle.plain && !looked.sure {
        return;
    }
    let kept = if asks == Asks::There { then } else { otherwise };
    let gone = if asks == Asks::There { otherwise } else { then };
    let touches =
        work.handle.touches.iter().any(|touch| touch.at.path == script.path && span(gone).contains(touch.at.span));
    if !touches {
        work.edits.cut(script, Span::new(whole.start_byte(), kept.start_byte()));
        work.edits.cut(script, Span::new(kept.end_byte(), whole.end_byte()));
    }
}

fn one(work: &mut Work<'_>, script: &Script, branch: Node<'_>, carrier: usize, creates: bool) -> Result<(), Refused> {
    let (Some(condition), Some(then)) =
        (branch.child_by_field_name("condition"), branch.child_by_field_name("consequence"))
    else {
        return Ok(());
    };
    let Some((asks, looked)) = asks(work, script, bare(condition), carrier) else {
        both(work, script, branch, bare(condition), carrier, creates);
        return Ok(());
    };
    let otherwise = branch.child_by_field_name("alternative");
    let writes = work.touches(carrier).any(|touch| {
        matches!(touch.kind, Kind::Write | Kind::GetOrCreate)
            && touch.at.path == script.path
            && span(then).contains(touch.at.span)
    });
    match asks {
        // How a value comes into being is not told by what finds it.
        _ if looked.helped && (writes || creates) => Ok(()),
        Asks::Missing if writes && otherwise.is_none() => creation(work, script, branch, then, carrier, looked),
        Asks::Missing if leaves(then) && otherwise.is_none() && (!work.handle.plain || looked.sure) => {
            if let Some((read, whole)) = ends_with_look_up(script, branch, looked) {
                return answer_look_up(work, script, read, carrier, whole);
            }
            work.edits.cut(script, script.removal(branch));
            settle_variable(work, script, looked.variable);
            Ok(())
        }
        Asks::There if creates && leaves(then) && otherwise.is_none() => {
            work.edits.cut(script, script.removal(branch));
            if let Some(variable) = looked.variable {
                work.edits.cut(script, script.removal(variable));
            }
            Ok(())
        }
        Asks::There if leaves(then) && otherwise.is_none() => {
            returned_early(work, script, branch, then, carrier, looked)
        }
        _ => Ok(()),
    }
}

/// `if (!games.has(id) && games.size >= MAX_GAMES)`: under a handle that was just made there is nothing yet, and where something is
/// looked up there is room for it.
fn both(
    work: &mut Work<'_>,
    script: &Script,
    branch: Node<'_>,
    condition: Node<'_>,
    carrier: usize,
    creates: bool,
) -> Option<()> {
    let (left, right) = (condition.child_by_field_name("left")?, condition.child_by_field_name("right")?);
    let sign = script.of(condition.child_by_field_name("operator")?);
    let idle = match sign {
        "&&" => Asks::Missing,
        "||" => Asks::There,
        _ => return None,
    };
    let asked = |side: Node<'_>| {
        let found = asks(work, script, bare(side), carrier);
        found.is_some_and(|(asks, looked)| asks == idle && looked.variable.is_none())
    };
    let early = || {
        let mut writes = work.touches(carrier).filter(|touch| touch.kind == Kind::Write);
        writes.all(|write| write.at.path != script.path || branch.end_byte() <= write.at.span.start as usize)
    };
    let cut = if asked(left) {
        Span::new(left.start_byte(), right.start_byte())
    } else if asked(right) {
        Span::new(left.end_byte(), right.end_byte())
    } else {
        return None;
    };
    let other = if asked(left) { right } else { left };
    if creates && early() {
        work.edits.cut(script, cut);
    } else if !creates && sign == "&&" && bounds::is_bound(work, script, bare(other)) && bounds::is_exit(branch) {
        work.edits.cut(script, script.removal(branch));
    }
    Some(())
}

/// What a condition looked at.
#[derive(Clone, Copy)]
pub(super) struct Looked<'t> {
    /// The declaration of the variable that holds what was looked up.
    variable: Option<Node<'t>>,
    /// It can only be missing, and not empty.
    sure: bool,
    /// It was looked up by a helper.
    helped: bool,
}

pub(super) fn asks<'t>(
    work: &Work<'_>,
    script: &'t Script,
    condition: Node<'t>,
    carrier: usize,
) -> Option<(Asks, Looked<'t>)> {
    let flip = |asks| match asks {
        Asks::Missing => Asks::There,
        Asks::There => Asks::Missing,
    };
    match condition.kind() {
        "unary_expression" if script.of(condition.child(0)?) == "!" => {
            let (inner, looked) = asks(work, script, bare(condition.child_by_field_name("argument")?), carrier)?;
            Some((flip(inner), looked))
        }
        "binary_expression" => {
            let operator = script.of(condition.child_by_field_name("operator")?);
            let (left, right) = (condition.child_by_field_name("left")?, condition.child_by_field_name("right")?);
            if operator == "in" {
                return touched(work, script, condition, carrier, &[Kind::Test])
                    .then_some((Asks::There, Looked { variable: None, sure: true, helped: false }));
            }
            if !matches!(script.of(right), "undefined" | "null") {
                return None;
            }
            let (_, looked) = asks(work, script, bare(left), carrier)?;
            let looked = Looked { sure: true, ..looked };
            match operator {
                "===" | "==" => Some((Asks::Missing, looked)),
                "!==" | "!=" => Some((Asks::There, looked)),
                _ => None,
            }
        }
        "identifier" => {
            let (variable, helped) = looked_up(work, script, condition, carrier)?;
            Some((Asks::There, Looked { variable: Some(variable), sure: false, helped }))
        }
        "call_expression" | "subscript_expression" => {
            let has = touched(work, script, condition, carrier, &[Kind::Test]);
            let get = touched(work, script, condition, carrier, &[Kind::Read]);
            let helped = !has && !get && found::is_look_up(work, script, condition, carrier);
            (has || get || helped).then_some((Asks::There, Looked { variable: None, sure: has, helped }))
        }
        _ => None,
    }
}

pub(super) fn touched(work: &Work<'_>, script: &Script, node: Node<'_>, carrier: usize, kinds: &[Kind]) -> bool {
    work.touches(carrier)
        .any(|touch| kinds.contains(&touch.kind) && touch.at.path == script.path && touch.at.span == span(node))
}

/// The declaration of a variable that was given what a key leads to, and nothing else; and whether a helper looked that up.
pub(super) fn looked_up<'t>(
    work: &Work<'_>,
    script: &'t Script,
    name: Node<'t>,
    carrier: usize,
) -> Option<(Node<'t>, bool)> {
    let function = enclosing_function(name)?;
    let declarator = declarator(script, function, script.of(name), name.start_byte())?;
    let value = unconditional(bare(declarator.child_by_field_name("value")?), script);
    let reads = [Kind::Read, Kind::GetOrCreate];
    let own = touched(work, script, value, carrier, &reads);
    let found = own || found::is_look_up(work, script, value, carrier);
    found.then(|| (declarator.parent().unwrap_or(declarator), !own))
}

/// `id ? read : undefined`, `id && read`: the read.
pub(super) fn unconditional<'t>(value: Node<'t>, script: &Script) -> Node<'t> {
    match value.kind() {
        "ternary_expression" => {
            let (then, otherwise) =
                (value.child_by_field_name("consequence"), value.child_by_field_name("alternative"));
            match (then, otherwise) {
                (Some(then), Some(otherwise)) if matches!(script.of(otherwise), "undefined" | "null") => bare(then),
                (Some(then), Some(otherwise)) if matches!(script.of(then), "undefined" | "null") => bare(otherwise),
                _ => value,
            }
        }
        "binary_expression" if value.child_by_field_name("operator").is_some_and(|sign| script.of(sign) == "&&") => {
            value.child_by_field_name("right").map_or(value, bare)
        }
        _ => value,
    }
}

/// The last declaration of a name before an offset within a function.
pub fn declarator<'t>(script: &Script, function: Node<'t>, name: &str, before: usize) -> Option<Node<'t>> {
    let mut found = None;
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        if node.kind() == "variable_declarator"
            && node.end_byte() <= before
            && node.child_by_field_name("name").is_some_and(|found| script.of(found) == name)
            && found.is_none_or(|known: Node<'_>| known.start_byte() < node.start_byte())
        {
            found = Some(node);
        }
        stack.extend(children(node));
    }
    found
}

/// Whether a branch does nothing but leave, after a word in the log perhaps.
pub(super) fn leaves(then: Node<'_>) -> bool {
    let statements = if then.kind() == "statement_block" { children(then) } else { vec![then] };
    let (Some(last), rest) = (statements.last(), &statements[..statements.len().saturating_sub(1)]) else {
        return false;
    };
    matches!(last.kind(), "return_statement" | "throw_statement")
        && rest.iter().all(|statement| matches!(statement.kind(), "expression_statement" | "lexical_declaration"))
}

/// `if (missing) { create it; }`: the initial value is taken note of, and the branch goes.
fn creation(
    work: &mut Work<'_>,
    script: &Script,
    branch: Node<'_>,
    then: Node<'_>,
    carrier: usize,
    looked: Looked<'_>,
) -> Result<(), Refused> {
    let variable = looked.variable.and_then(|statement| children(statement).first().copied());
    let variable = variable.and_then(|declarator| declarator.child_by_field_name("name")).map(|name| script.of(name));
    let (value, beside) = created(work, script, then, carrier, variable)?;
    work.initial(script, value, true);
    work.alongside(beside);
    if let Some((read, whole)) = ends_with_look_up(script, branch, looked) {
        return answer_look_up(work, script, read, carrier, whole);
    }
    work.edits.cut(script, script.removal(branch));
    settle_variable(work, script, looked.variable);
    Ok(())
}

/// The initial value that a block creates, and what it puts beside it under the same key. Anything else that the block does stops the
/// rendering.
fn created<'t>(
    work: &Work<'_>,
    script: &Script,
    block: Node<'t>,
    carrier: usize,
    variable: Option<&str>,
) -> Result<(Node<'t>, Vec<Alongside>), Refused> {
    let mut beside = Vec::new();
    let statements = if block.kind() == "statement_block" { children(block) } else { vec![block] };
    let mut values: Vec<(&str, Node<'t>)> = Vec::new();
    let mut found: Option<Node<'t>> = None;
    for statement in statements {
        let inner = children(statement).first().copied().map(bare).unwrap_or(statement);
        match (statement.kind(), inner.kind()) {
            ("lexical_declaration", "variable_declarator") => {
                let (name, value) = (inner.child_by_field_name("name"), inner.child_by_field_name("value"));
                match (name, value) {
                    (Some(name), Some(value)) => values.push((script.of(name), bare(value))),
                    _ => return Err(more(script, statement)),
                }
            }
            ("expression_statement", "assignment_expression" | "augmented_assignment_expression") => {
                let (left, right) = (inner.child_by_field_name("left"), inner.child_by_field_name("right"));
                let (Some(left), Some(mut right)) = (left.map(bare), right.map(bare)) else {
                    return Err(more(script, statement));
                };
                while right.kind() == "assignment_expression" {
                    right = right.child_by_field_name("right").map_or(right, bare);
                }
                if written(work, script, left, carrier).is_some() {
                    found = Some(right);
                } else if let Some(more) = filled(work, script, left, Some(right)) {
                    beside.push(more);
                } else if left.kind() == "identifier" && variable.is_none_or(|name| name == script.of(left)) {
                    values.push((script.of(left), right));
                } else {
                    return Err(more(script, statement));
                }
            }
            ("expression_statement", "call_expression") => match written(work, script, inner, carrier) {
                Some(()) => {
                    let arguments = inner.child_by_field_name("arguments").map(children).unwrap_or_default();
                    found = arguments.get(1).copied().map(bare);
                }
                None if script.of(inner).starts_with("console.") || script.of(inner).starts_with("log") => {}
                None => {
                    let arguments = inner.child_by_field_name("arguments").map(children).unwrap_or_default();
                    let more = filled(work, script, inner, arguments.get(1).copied())
                        .ok_or_else(|| more(script, statement))?;
                    beside.push(more);
                }
            },
            ("return_statement", "identifier") => {}
            _ if bounds::is_check(work, script, statement) => {}
            _ => return Err(more(script, statement)),
        }
    }
    let mut value = found.ok_or_else(|| more(script, block))?;
    for _ in 0..3 {
        match values.iter().find(|(name, _)| value.kind() == "identifier" && *name == script.of(value)) {
            Some((_, given)) => value = *given,
            None => break,
        }
    }
    Ok((value, beside))
}

/// What another container that is keyed alike gets by an access.
fn filled(work: &Work<'_>, script: &Script, node: Node<'_>, value: Option<Node<'_>>) -> Option<Alongside> {
    let touch = work.handle.touches.iter().find(|touch| {
        touch.companion
            && matches!(touch.kind, Kind::Write | Kind::AddId)
            && touch.at.path == script.path
            && touch.at.span == span(node)
    })?;
    let name = script.slice(touch.receiver.span);
    let companion = work.handle.companions.iter().find(|companion| companion.name == name)?;
    let value = value.map(|value| (script.path.clone(), span(value)));
    Some(Alongside { name: name.to_owned(), container: companion.container, value })
}

fn written(work: &Work<'_>, script: &Script, node: Node<'_>, carrier: usize) -> Option<()> {
    touched(work, script, node, carrier, &[Kind::Write, Kind::GetOrCreate]).then_some(())
}

fn more(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "more happens here than the creation of the first value",
        "move it to where it belongs without a session, so that only the creation is left here",
    )
}

/// A variable that is given its value once is a constant.
fn settle_variable(work: &mut Work<'_>, script: &Script, statement: Option<Node<'_>>) {
    let Some(statement) = statement.filter(|statement| statement.kind() == "lexical_declaration") else { return };
    let declarators = children(statement);
    let ([declarator], Some(keyword)) = (declarators.as_slice(), statement.child(0)) else { return };
    let (Some(name), Some(function)) = (declarator.child_by_field_name("name"), enclosing_function(statement)) else {
        return;
    };
    if script.of(keyword) != "let" || is_assigned(work, script, function, script.of(name)) {
        return;
    }
    work.edits.replace(script, span(keyword), "const");
}

fn is_assigned(work: &Work<'_>, script: &Script, node: Node<'_>, name: &str) -> bool {
    let assigns = match node.kind() {
        "assignment_expression" | "augmented_assignment_expression" => {
            node.child_by_field_name("left").is_some_and(|left| script.of(left) == name)
        }
        "update_expression" => node.child_by_field_name("argument").is_some_and(|argument| script.of(argument) == name),
        _ => false,
    };
    (assigns && !work.edits.covers(&script.path, span(node)))
        || children(node).into_iter().any(|child| is_assigned(work, script, child, name))
}

/// `const known = read; if (known) return known; …create…; return fresh;`: the look-up is all that is left.
fn returned_early(
    work: &mut Work<'_>,
    script: &Script,
    branch: Node<'_>,
    then: Node<'_>,
    carrier: usize,
    looked: Looked<'_>,
) -> Result<(), Refused> {
    let Some(block) = branch.parent().filter(|block| block.kind() == "statement_block") else { return Ok(()) };
    if looked.helped || block.parent().is_none_or(|parent| !is_function(parent)) {
        return Ok(());
    }
    let rest: Vec<Node<'_>> =
        children(block).into_iter().filter(|statement| statement.start_byte() > branch.end_byte()).collect();
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return Ok(()) };
    let tail = Span::new(first.start_byte(), last.end_byte());
    let creates = work
        .touches(carrier)
        .any(|touch| touch.kind == Kind::Write && touch.at.path == script.path && tail.contains(touch.at.span));
    if !creates {
        return Ok(());
    }
    let returned = if then.kind() == "statement_block" { children(then).last().copied() } else { Some(then) };
    let returned = returned.and_then(|statement| children(statement).first().copied()).map(bare);
    let same = match (returned, looked.variable) {
        (Some(returned), Some(_)) => returned.kind() == "identifier",
        (Some(returned), None) => touched(work, script, returned, carrier, &[Kind::Read]),
        (None, _) => false,
    };
    if !same {
        return Ok(());
    }
    let (value, beside) = created_in(work, script, &rest, carrier)?;
    work.initial(script, value, true);
    work.alongside(beside);
    let read = match looked.variable {
        Some(variable) => children(variable).first().and_then(|declarator| declarator.child_by_field_name("value")),
        None => returned,
    };
    let read = read.map(|read| unconditional(bare(read), script)).ok_or_else(|| more(script, branch))?;
    let start = looked.variable.map_or(branch.start_byte(), |variable| variable.start_byte());
    answer_look_up(work, script, read, carrier, Span::new(start, last.end_byte()))
}

/// In the place of a stretch of code: the look-up, answered.
fn answer_look_up(
    work: &mut Work<'_>,
    script: &Script,
    read: Node<'_>,
    carrier: usize,
    whole: Span,
) -> Result<(), Refused> {
    let store = read
        .child_by_field_name("function")
        .and_then(|callee| callee.child_by_field_name("object"))
        .or_else(|| read.child_by_field_name("object"))
        .ok_or_else(|| more(script, read))?;
    let end = if script.style.semicolons { ";" } else { "" };
    let text = format!("return {}.get({}){end}", script.of(store), work.keys[carrier]);
    work.edits.replace(script, whole, text);
    Ok(())
}

/// `let x = read; if (!x) { … } return x;` at the end of a helper: the variable is of no use any more.
fn ends_with_look_up<'t>(script: &Script, branch: Node<'t>, looked: Looked<'t>) -> Option<(Node<'t>, Span)> {
    let variable = looked.variable.filter(|_| !looked.helped)?;
    let declarators = children(variable);
    let [declarator] = declarators.as_slice() else { return None };
    let block = branch.parent().filter(|block| block.parent().is_some_and(is_function))?;
    let statements = children(block);
    let at = statements.iter().position(|statement| *statement == variable)?;
    let [_, next, last] = statements.get(at..)? else { return None };
    let answered = children(*last).first().copied()?;
    let same = last.kind() == "return_statement"
        && *next == branch
        && Some(script.of(answered)) == declarator.child_by_field_name("name").map(|name| script.of(name));
    let read = unconditional(bare(declarator.child_by_field_name("value")?), script);
    same.then(|| (read, Span::new(variable.start_byte(), last.end_byte())))
}

fn created_in<'t>(
    work: &Work<'_>,
    script: &Script,
    statements: &[Node<'t>],
    carrier: usize,
) -> Result<(Node<'t>, Vec<Alongside>), Refused> {
    let mut beside = Vec::new();
    let mut values: Vec<(&str, Node<'t>)> = Vec::new();
    let mut found = None;
    for statement in statements {
        let inner = children(*statement).first().copied().map(bare).unwrap_or(*statement);
        match (statement.kind(), inner.kind()) {
            ("lexical_declaration", "variable_declarator") => {
                let (name, value) = (inner.child_by_field_name("name"), inner.child_by_field_name("value"));
                let (Some(name), Some(value)) = (name, value) else { return Err(more(script, *statement)) };
                values.push((script.of(name), bare(value)));
            }
            ("expression_statement", "call_expression") if written(work, script, inner, carrier).is_some() => {
                found =
                    inner.child_by_field_name("arguments").map(children).and_then(|all| all.get(1).copied()).map(bare);
            }
            ("expression_statement", "assignment_expression") => {
                let left = inner.child_by_field_name("left").map(bare);
                if let Some(more) = left.and_then(|left| filled(work, script, left, inner.child_by_field_name("right")))
                {
                    beside.push(more);
                    continue;
                }
                if left.and_then(|left| written(work, script, left, carrier)).is_none() {
                    return Err(more(script, *statement));
                }
                found = inner.child_by_field_name("right").map(bare);
            }
            ("expression_statement", "call_expression") if script.of(inner).starts_with("console.") => {}
            ("expression_statement", "call_expression") => {
                let arguments = inner.child_by_field_name("arguments").map(children).unwrap_or_default();
                beside.push(
                    filled(work, script, inner, arguments.get(1).copied()).ok_or_else(|| more(script, *statement))?,
                );
            }
            ("return_statement", _) => {}
            _ => return Err(more(script, *statement)),
        }
    }
    let value: Node<'t> = found.ok_or_else(|| more(script, statements[0]))?;
    let named = values.iter().find(|(name, _)| value.kind() == "identifier" && *name == script.of(value));
    Ok((named.map_or(value, |(_, value)| *value), beside))
}
