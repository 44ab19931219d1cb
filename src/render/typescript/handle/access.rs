//! Accesses one by one: an index or a call becomes a call of the handle store.

use tree_sitter::Node;

use super::absent::declarator;
use super::work::Work;
use super::{dropped, minted, resets};
use crate::model::facts::Span;
use crate::plan::handle::{Kind, Touch};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};

/// Rewrites all accesses that are still there.
pub fn rewrite(work: &mut Work<'_>) -> Result<(), Refused> {
    for touch in &work.handle.touches {
        if work.is_gone(&touch.at) {
            continue;
        }
        let (script, node) = work.scripts.expression(&touch.at)?;
        if touch.companion {
            beside(work, script, node, touch)?;
            continue;
        }
        if touch.kind == Kind::Write && writes_what_it_read(work, script, node, touch) {
            work.edits.cut(script, script.removal(statement(node)));
            continue;
        }
        let (_, key) = work.scripts.expression(&touch.key)?;
        if let Some(around) = asking_for_id(script, node, key).filter(|_| touch.kind == Kind::Read) {
            work.edits.cut(script, Span::new(around.start_byte(), node.start_byte()));
            work.edits.cut(script, Span::new(node.end_byte(), around.end_byte()));
        }
        match node.kind() {
            "call_expression" => call(work, script, node, touch)?,
            "subscript_expression" => index(work, script, node, touch)?,
            "binary_expression" => contains(work, script, node, touch)?,
            _ => return Err(unknown(script, node)),
        }
    }
    Ok(())
}

/// `id ? read : undefined`, `id && read` around a read: a handle is always there.
fn asking_for_id<'t>(script: &Script, read: Node<'t>, key: Node<'t>) -> Option<Node<'t>> {
    let around = std::iter::successors(read.parent(), Node::parent).find(|node| bare(*node) != read)?;
    let id = script.of(bare(key));
    let asks = |condition: Node<'_>| {
        let text = script.of(bare(condition));
        let absent = text.strip_prefix(id).map(str::trim_start);
        absent.is_some_and(|rest| matches!(rest, "" | "!== undefined" | "!= undefined" | "!= null"))
    };
    let is = |field: &str| around.child_by_field_name(field).filter(|node| bare(*node) == read).is_some();
    let found = match around.kind() {
        "ternary_expression" => {
            let otherwise = around.child_by_field_name("alternative")?;
            is("consequence")
                && matches!(script.of(otherwise), "undefined" | "null")
                && asks(around.child_by_field_name("condition")?)
        }
        "binary_expression" => {
            let operator = around.child_by_field_name("operator")?;
            is("right") && script.of(operator) == "&&" && asks(around.child_by_field_name("left")?)
        }
        _ => false,
    };
    (found && matches!(key.kind(), "identifier" | "member_expression")).then_some(around)
}

/// A container that is keyed alike goes on as it is, under the handle.
fn beside(work: &mut Work<'_>, script: &Script, node: Node<'_>, touch: &Touch) -> Result<(), Refused> {
    let carrier = &work.handle.carriers[touch.carrier];
    let creates = work.creates(carrier) || work.is_beginning(touch.carrier, touch.at.span);
    if creates && !minted::known_before(work, touch.carrier, touch.at.span) {
        return Err(script.refuse(
            node,
            "the tool that creates the value uses this container as well",
            "fill it where it is read first, or after the value was created",
        ));
    }
    let key = match node.kind() {
        "call_expression" => node.child_by_field_name("arguments").and_then(|list| children(list).first().copied()),
        "subscript_expression" => node.child_by_field_name("index"),
        _ => node.child_by_field_name("left"),
    };
    let key = key.ok_or_else(|| unknown(script, node))?;
    let name = work.name_at(touch.carrier, touch.at.span);
    work.edits.replace(script, span(key), name);
    Ok(())
}

/// `store.set(key, value)` of the value that was just looked up, and not touched since: a look-up creates nothing any more.
fn writes_what_it_read(work: &Work<'_>, script: &Script, node: Node<'_>, touch: &Touch) -> bool {
    let value = match node.kind() {
        "call_expression" => node.child_by_field_name("arguments").and_then(|list| children(list).get(1).copied()),
        _ => node.parent().and_then(|parent| parent.child_by_field_name("right")),
    };
    let (Some(value), Some(function)) = (value.filter(|value| value.kind() == "identifier"), enclosing_function(node))
    else {
        return false;
    };
    let own = statement(node);
    let alone = node.parent() == Some(own) || node.parent().and_then(|parent| parent.parent()) == Some(own);
    let name = script.of(value);
    let Some(declared) = declarator(script, function, name, node.start_byte()) else { return false };
    let between = Span::new(declared.end_byte(), own.start_byte());
    let read = work.touches(touch.carrier).any(|other| {
        matches!(other.kind, Kind::Read | Kind::GetOrCreate)
            && other.at.path == script.path
            && declared.child_by_field_name("value").is_some_and(|value| {
                span(value).contains(other.at.span)
                    && looked_up_value(value).is_some_and(|inner| span(inner) == other.at.span)
            })
    });
    let words = script.slice(between).split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$');
    alone
        && read
        && declared.parent().and_then(|parent| parent.parent()) == own.parent()
        && !words.into_iter().any(|word| word == name)
}

/// What is looked up in `read`, `read ?? initial`.
fn looked_up_value(value: Node<'_>) -> Option<Node<'_>> {
    let value = bare(value);
    match value.kind() {
        "binary_expression" => value.child_by_field_name("left").map(bare),
        _ => Some(value),
    }
}

fn unknown(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(node, "this way to use the store is not known", "call the handle store here by hand")
}

fn call(work: &mut Work<'_>, script: &Script, node: Node<'_>, touch: &Touch) -> Result<(), Refused> {
    let parts = || {
        let callee = node.child_by_field_name("function")?;
        let arguments = children(node.child_by_field_name("arguments")?);
        Some((callee.child_by_field_name("property")?, arguments))
    };
    let (method, arguments) = parts().ok_or_else(|| unknown(script, node))?;
    let key = *arguments.first().ok_or_else(|| unknown(script, node))?;
    let handle = work.key(touch);
    let (name, count) = match touch.kind {
        Kind::Read => ("get", 1),
        Kind::Test => ("has", 1),
        Kind::Delete if resets::is_reset(work, touch) => ("reset", 1),
        Kind::Delete => ("destroy", 1),
        Kind::Write if work.creates_at(touch.carrier, touch.at.span) => ("put", 2),
        Kind::Write => ("save", 2),
        Kind::GetOrCreate if work.handle.first.is_some() => ("get", 1),
        Kind::GetOrCreate => ("get", 2),
        Kind::AddId => return Err(unknown(script, node)),
    };
    if arguments.len() != count {
        return Err(unknown(script, node));
    }
    if script.of(method) != name {
        work.edits.replace(script, span(method), name);
    }
    match touch.kind {
        Kind::GetOrCreate if arguments.len() > 1 => {
            let whole = Span::new(key.start_byte(), arguments[1].end_byte());
            work.initial(script, made_by(arguments[1]), true);
            work.edits.replace(script, whole, handle);
        }
        _ => work.edits.replace(script, span(key), handle),
    }
    if name == "reset" {
        work.resets.push((script.path.clone(), key.end_byte()));
    }
    finish(work, script, node, touch)
}

/// What a function makes that is handed over to make an initial value.
fn made_by(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "arrow_function" => node.child_by_field_name("body").map_or(node, bare),
        _ => node,
    }
}

fn index(work: &mut Work<'_>, script: &Script, node: Node<'_>, touch: &Touch) -> Result<(), Refused> {
    let (object, key) = (node.child_by_field_name("object"), node.child_by_field_name("index"));
    let (Some(object), Some(key)) = (object, key) else { return Err(unknown(script, node)) };
    let handle = work.key(touch);
    let open = Span::new(object.end_byte(), key.start_byte());
    let close = Span::new(key.end_byte(), node.end_byte());
    let parent = node.parent().ok_or_else(|| unknown(script, node))?;
    match (touch.kind, parent.kind()) {
        (Kind::Read, "augmented_assignment_expression" | "update_expression")
        | (Kind::Write, "augmented_assignment_expression" | "update_expression")
            if is_target(parent, node) =>
        {
            return update(work, script, node, parent, touch);
        }
        (Kind::Write, "assignment_expression") if is_target(parent, node) => {
            let value = parent.child_by_field_name("right").ok_or_else(|| unknown(script, node))?;
            let put = if work.creates_at(touch.carrier, touch.at.span) { ".put(" } else { ".save(" };
            work.edits.replace(script, open, put);
            work.edits.replace(script, span(key), handle);
            work.edits.replace(script, Span::new(close.start as usize, value.start_byte()), ", ");
            work.edits.insert(script, value.end_byte(), ")");
            return finish(work, script, parent, touch);
        }
        (Kind::GetOrCreate, "augmented_assignment_expression") if is_target(parent, node) => {
            let value = parent.child_by_field_name("right").ok_or_else(|| unknown(script, node))?;
            work.initial(script, value, true);
            work.edits.replace(script, open, ".get(");
            work.edits.replace(script, span(key), handle);
            work.edits.replace(script, Span::new(key.end_byte(), value.end_byte()), ")");
            return finish(work, script, parent, touch);
        }
        (Kind::Delete, "unary_expression") => {
            work.edits.cut(script, Span::new(parent.start_byte(), node.start_byte()));
            let resets = resets::is_reset(work, touch);
            work.edits.replace(script, open, if resets { ".reset(" } else { ".destroy(" });
            if resets {
                work.resets.push((script.path.clone(), key.end_byte()));
            }
            work.edits.replace(script, span(key), handle);
            work.edits.replace(script, close, ")");
            return finish(work, script, parent, touch);
        }
        (Kind::Read, _) => {
            work.edits.replace(script, open, ".get(");
            work.edits.replace(script, span(key), handle);
            work.edits.replace(script, close, ")");
        }
        _ => return Err(unknown(script, node)),
    }
    finish(work, script, node, touch)
}

fn is_target(assignment: Node<'_>, node: Node<'_>) -> bool {
    let target = assignment.child_by_field_name("left").or_else(|| assignment.child_by_field_name("argument"));
    target == Some(node)
}

/// `store[key] += value`, `store[key]++`: the value is read and written back.
fn update(work: &mut Work<'_>, script: &Script, node: Node<'_>, whole: Node<'_>, touch: &Touch) -> Result<(), Refused> {
    if whole.parent().is_none_or(|parent| parent.kind() != "expression_statement") {
        return Err(unknown(script, whole));
    }
    let store = script.of(node.child_by_field_name("object").ok_or_else(|| unknown(script, node))?);
    let operator = whole.child_by_field_name("operator").map(|operator| script.of(operator)).unwrap_or_default();
    let value = match whole.child_by_field_name("right") {
        Some(value) => script.of(value).to_owned(),
        None => "1".to_owned(),
    };
    let sign = operator.get(..1).filter(|_| operator.len() == 2).ok_or_else(|| unknown(script, whole))?;
    let (key, wait) = (work.key(touch), if work.wait { "await " } else { "" });
    let read = if work.wait { format!("(await {store}.get({key}))") } else { format!("{store}.get({key})") };
    work.edits.replace(script, span(whole), format!("{wait}{store}.save({key}, {read} {sign} {value})"));
    work.features.save = true;
    Ok(())
}

fn contains(work: &mut Work<'_>, script: &Script, node: Node<'_>, touch: &Touch) -> Result<(), Refused> {
    let right = node.child_by_field_name("right").ok_or_else(|| unknown(script, node))?;
    let wait = if work.wait { "await " } else { "" };
    let text = format!("{wait}{}.has({})", script.of(right), work.key(touch));
    let negated =
        node.parent().and_then(|parent| parent.parent()).is_some_and(|parent| parent.kind() == "unary_expression");
    let whole = if negated { node.parent().unwrap_or(node) } else { node };
    let text = if negated && work.wait { format!("({text})") } else { text };
    work.edits.replace(script, span(whole), text);
    work.features.has = true;
    Ok(())
}

/// What is around a rewritten access: `!`, an alternative, `await`.
fn finish(work: &mut Work<'_>, script: &Script, node: Node<'_>, touch: &Touch) -> Result<(), Refused> {
    match touch.kind {
        Kind::Write if work.creates_at(touch.carrier, touch.at.span) => work.features.put = true,
        Kind::Write => work.features.save = true,
        Kind::Test => work.features.has = true,
        Kind::Delete if !is_statement_of(node) => {
            let wait = if work.wait { "await " } else { "" };
            return dropped::settle(work, script, node, wait);
        }
        _ => {}
    }
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| parent.kind() == "non_null_expression") {
        work.edits.cut(script, Span::new(outer.end_byte(), parent.end_byte()));
        outer = parent;
    }
    if matches!(touch.kind, Kind::Read | Kind::GetOrCreate) {
        outer = alternative(work, script, outer, touch);
    }
    let mut kept = false;
    if let Some(parent) = outer.parent().filter(|parent| parent.kind() == "parenthesized_expression") {
        kept = work.wait && parent.parent().is_some_and(|around| binds_tighter(around, parent));
        let of_statement = parent.parent().is_some_and(|around| {
            around.child_by_field_name("condition") == Some(parent)
                || matches!(around.kind(), "if_statement" | "while_statement" | "switch_statement")
        });
        if !kept && !of_statement && may_lose_parentheses(outer, node) {
            work.edits.cut(script, Span::new(parent.start_byte(), outer.start_byte()));
            work.edits.cut(script, Span::new(outer.end_byte(), parent.end_byte()));
        }
    }
    if work.wait && outer.parent().is_none_or(|parent| !is_waited_for(parent, outer)) {
        let tight = !kept && outer.parent().is_some_and(|parent| binds_tighter(parent, outer));
        work.edits.insert(script, node.start_byte(), if tight { "(await " } else { "await " });
        if tight {
            work.edits.insert(script, outer.end_byte(), ")");
        }
    }
    Ok(())
}

/// Whether parentheses around an access became needless: they held an alternative or an assignment that is gone.
fn may_lose_parentheses(outer: Node<'_>, node: Node<'_>) -> bool {
    outer != node || matches!(outer.kind(), "augmented_assignment_expression")
}

fn is_statement_of(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == "expression_statement"
            || parent.kind() == "await_expression" && is_statement_of(parent)
            || parent.kind() == "unary_expression"
                && parent.child(0).is_some_and(|sign| sign.kind() == "void")
                && is_statement_of(parent)
    })
}

/// Whether what is around an access waits for it, or hands the promise on.
pub fn is_waited_for(parent: Node<'_>, node: Node<'_>) -> bool {
    let in_try = || {
        std::iter::successors(Some(parent), Node::parent)
            .take_while(|node| !is_function(*node))
            .any(|node| node.kind() == "try_statement")
    };
    match parent.kind() {
        "await_expression" => true,
        "arrow_function" => parent.child_by_field_name("body") == Some(node),
        "return_statement" => !in_try(),
        _ => false,
    }
}

fn binds_tighter(parent: Node<'_>, node: Node<'_>) -> bool {
    match parent.kind() {
        "member_expression" | "subscript_expression" => parent.child_by_field_name("object") == Some(node),
        "call_expression" => parent.child_by_field_name("function") == Some(node),
        _ => false,
    }
}

/// `access ?? initial` loses the alternative, which is an initial value.
fn alternative<'t>(work: &mut Work<'_>, script: &Script, outer: Node<'t>, touch: &Touch) -> Node<'t> {
    let Some(either) = outer.parent().filter(|parent| parent.kind() == "binary_expression") else { return outer };
    let operator = either.child_by_field_name("operator").map(|operator| script.of(operator)).unwrap_or_default();
    let (left, right) = (either.child_by_field_name("left"), either.child_by_field_name("right"));
    let Some(right) = right.filter(|_| left == Some(outer) && matches!(operator, "??" | "||")) else { return outer };
    if matches!(script.of(right), "undefined" | "null") {
        return outer;
    }
    let writes = work
        .handle
        .touches
        .iter()
        .any(|other| other.carrier == touch.carrier && other.kind == Kind::Write && !other.companion);
    let value = bare(right);
    let shown = matches!(value.kind(), "string" | "template_string" | "number" | "true" | "false");
    if shown && !writes && !work.handle.lazy {
        return outer;
    }
    work.initial(script, value, writes);
    work.edits.cut(script, Span::new(outer.end_byte(), either.end_byte()));
    either
}
