//! The way of the key, from the tools down to the table: where it was the session id it is the address.

use tree_sitter::Node;

use super::address::{Variable, see};
use super::{TODO, Work, function, told};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Carries, Entry};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, is_function, span};
use crate::render::typescript::scripts::mentions;
use crate::render::typescript::tools;

/// What a function's code was found to do with the key.
struct Way<'s> {
    script: &'s Script,
    function: Node<'s>,
    carrier: &'s Carries,
    /// Variables that hold the key: the identifier at the declaration, and the name that it gets.
    variables: Vec<(Node<'s>, String)>,
    /// Uses of them that are understood.
    seen: Vec<Span>,
    /// Texts of the expressions that were the session id.
    sources: Vec<String>,
    /// What they were taken from (`extra`).
    roots: Vec<String>,
}

/// Rewrites the way of the key in all functions.
pub fn rewrite(work: &mut Work<'_>, variable: &Variable) -> Result<(), Refused> {
    let mut ways = Vec::new();
    for (index, carrier) in work.plan.carriers.iter().enumerate() {
        if carrier.shared {
            let (script, function) = function(work, &carrier.function)?;
            return Err(script.refuse(function, "another store takes the session id in it as well", TODO));
        }
        ways.push(walk(work, index, carrier, variable)?);
    }
    for index in 0..ways.len() {
        idle_parameter(work, &mut ways, index)?;
    }
    ways.iter().try_for_each(|way| context(work, way))
}

/// The only parameter of a helper, which led to the session id and has no other use: it goes, and so do the arguments for it.
fn idle_parameter(work: &mut Work<'_>, ways: &mut [Way<'_>], index: usize) -> Result<(), Refused> {
    let way = &ways[index];
    let Entry::Parameter { at, whole: false, .. } = &way.carrier.entry else { return Ok(()) };
    let Some(list) = way.function.child_by_field_name("parameters") else { return Ok(()) };
    let Some(body) = way.function.child_by_field_name("body") else { return Ok(()) };
    let name = way.script.slice(at.span);
    let used = mentions(way.script, body, name);
    let idle = children(list).len() == 1
        && !used.is_empty()
        && used.iter().all(|node| work.edits.covers(&way.script.path, span(*node)));
    let calls = &way.carrier.calls;
    let mut lists = Vec::new();
    for call in calls {
        let (script, node) = work.scripts.expression(&call.at)?;
        let arguments = node.child_by_field_name("arguments").filter(|arguments| children(*arguments).len() == 1);
        lists.extend(arguments.map(|arguments| (script, arguments, call.within)));
    }
    if !idle || lists.is_empty() || lists.len() != calls.len() {
        return Ok(());
    }
    let inside = |list: Node<'_>| Span::new(list.start_byte() + 1, list.end_byte() - 1);
    work.edits.cut(way.script, inside(list));
    for (script, arguments, within) in lists {
        work.edits.cut(script, inside(arguments));
        let given =
            children(arguments).first().filter(|given| given.kind() == "identifier").map(|given| script.of(*given));
        ways[within].roots.extend(given.map(str::to_owned));
    }
    Ok(())
}

fn walk<'w>(work: &mut Work<'w>, index: usize, carrier: &'w Carries, variable: &Variable) -> Result<Way<'w>, Refused> {
    let (script, function) = function(work, &carrier.function)?;
    let mut way = Way {
        script,
        function,
        carrier,
        variables: Vec::new(),
        seen: Vec::new(),
        sources: Vec::new(),
        roots: Vec::new(),
    };
    if let Entry::Parameter { at, whole: true, .. } = &carrier.entry {
        parameter(work, &mut way, at)?;
    }
    let mut ends: Vec<Site> =
        work.plan.touches.iter().filter(|touch| touch.carrier == index).map(|touch| touch.key.clone()).collect();
    for other in &work.plan.carriers {
        let calls = other.calls.iter().filter(|call| call.within == index);
        // What leads to an id in the callee is handed over as before.
        let whole = !matches!(other.entry, Entry::Parameter { whole: false, .. });
        ends.extend(calls.filter(|_| whole).filter_map(|call| call.argument.clone()));
    }
    for end in ends {
        let code = work.scripts.at(&end)?;
        key(work, &mut way, code.node)?;
    }
    guards(work, &mut way)?;
    account(work, &way)?;
    if !way.sources.is_empty() {
        see(work, variable, script, function)?;
    }
    Ok(way)
}

/// A parameter that is the key.
fn parameter<'s>(work: &mut Work<'_>, way: &mut Way<'s>, at: &Site) -> Result<(), Refused> {
    let script = way.script;
    let stop = |node| script.refuse(node, "the parameter for the session id can't be changed", TODO);
    let name = script.around(at.span).filter(|node| node.kind() == "identifier").ok_or_else(|| stop(way.function))?;
    let mut outer = name;
    while let Some(parent) =
        outer.parent().filter(|parent| parent.kind() != "formal_parameters" && !is_function(*parent))
    {
        outer = parent;
    }
    let new = renamed(way, name)?;
    if outer != name {
        let plain = matches!(outer.kind(), "required_parameter" | "optional_parameter")
            && outer.child_by_field_name("pattern") == Some(name);
        if !plain {
            return Err(stop(outer));
        }
        let optional = if outer.kind() == "optional_parameter" { "?" } else { "" };
        let of_type = outer.child_by_field_name("type").map(|of| script.of(of));
        let of_type = match of_type {
            None => "",
            Some(": string") if optional == "?" => ": string",
            Some(": string" | ": string | undefined" | ": undefined | string") => ": string | undefined",
            Some(_) => return Err(stop(outer)),
        };
        work.edits.replace(script, span(outer), format!("{new}{optional}{of_type}"));
    } else if new != script.of(name) {
        work.edits.replace(script, span(name), new.clone());
    }
    way.variables.push((name, new));
    Ok(())
}

/// What a variable is called once it holds the address.
fn renamed(way: &Way<'_>, name: Node<'_>) -> Result<String, Refused> {
    let (script, old) = (way.script, way.script.of(name));
    let lower = old.to_lowercase();
    if !lower.contains("session") && !matches!(lower.as_str(), "sid" | "_sid" | "sess") {
        return Ok(old.to_owned());
    }
    let names = ["address", "clientAddress", "callerAddress"];
    let free = |name: &&&str| mentions(script, way.function, name).is_empty();
    let new = names.iter().find(free).map(|name| (*name).to_owned());
    new.ok_or_else(|| script.refuse(name, "no name for the address is free here", TODO))
}

/// An expression that is the key.
fn key<'s>(work: &mut Work<'_>, way: &mut Way<'s>, node: Node<'s>) -> Result<(), Refused> {
    let script = way.script;
    match node.kind() {
        "non_null_expression" | "as_expression" | "parenthesized_expression" | "satisfies_expression" => {
            let inner = children(node)[0];
            if node.kind() == "as_expression" && !script.of(node).ends_with(" as string") {
                return Err(unclear(script, node));
            }
            if node.kind() != "parenthesized_expression" {
                work.edits.cut(script, Span::new(inner.end_byte(), node.end_byte()));
            }
            key(work, way, inner)
        }
        "binary_expression" => {
            let left = node.child_by_field_name("left").ok_or_else(|| unclear(script, node))?;
            let right = node.child_by_field_name("right").filter(|right| right.kind() == "string");
            let operator = node.child_by_field_name("operator").map(|operator| script.of(operator));
            if right.is_none() || !matches!(operator, Some("??" | "||")) {
                return Err(unclear(script, node));
            }
            work.edits.cut(script, Span::new(left.end_byte(), node.end_byte()));
            key(work, way, left)
        }
        "identifier" => variable(work, way, node),
        "member_expression" | "call_expression" | "subscript_expression" => {
            if !way.carrier.ids.iter().any(|id| id.path == script.path && id.span == span(node)) {
                return Err(unclear(script, node));
            }
            let text = work.address.clone();
            work.edits.replace(script, span(node), text);
            source(way, node);
            Ok(())
        }
        _ => Err(unclear(script, node)),
    }
}

/// Keeps in mind where the session id was taken from.
fn source(way: &mut Way<'_>, node: Node<'_>) {
    way.sources.push(way.script.of(node).to_owned());
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if node.kind() == "identifier" {
            way.roots.push(way.script.of(node).to_owned());
        }
        stack.extend(children(node));
    }
}

fn unclear(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(node, "what the key is put together of is not plain here", TODO)
}

/// A use of a variable that is the key.
fn variable<'s>(work: &mut Work<'_>, way: &mut Way<'s>, node: Node<'s>) -> Result<(), Refused> {
    let script = way.script;
    let name = script.of(node);
    let declared = scope::declaration(script, node, name).ok_or_else(|| unclear(script, node))?;
    if !way.variables.iter().any(|(known, _)| *known == declared) {
        alias(work, way, declared, node)?;
    }
    use_of(work, way, declared, node);
    Ok(())
}

fn use_of(work: &mut Work<'_>, way: &mut Way<'_>, declared: Node<'_>, node: Node<'_>) {
    way.seen.push(span(node));
    let new = way.variables.iter().find(|(known, _)| *known == declared).map(|(_, new)| new.clone());
    if let Some(new) = new.filter(|new| *new != way.script.of(node)) {
        work.renames.push(way.script.change(span(node), new));
    }
}

/// A constant that holds the key. One that only had a fallback is the other variable now.
fn alias<'s>(work: &mut Work<'_>, way: &mut Way<'s>, declared: Node<'s>, used: Node<'s>) -> Result<(), Refused> {
    let script = way.script;
    let declarator = declared.parent().filter(|parent| {
        parent.kind() == "variable_declarator"
            && parent.child_by_field_name("name") == Some(declared)
            && span(way.function).contains(span(*parent))
    });
    let value = declarator.and_then(|declarator| declarator.child_by_field_name("value"));
    let statement = declarator.and_then(|declarator| declarator.parent());
    let constant = statement.filter(|list| script.of(*list).starts_with("const") && children(*list).len() == 1);
    let (Some(declarator), Some(value), Some(statement)) = (declarator, value, constant) else {
        return Err(unclear(script, used));
    };
    match declarator.child_by_field_name("type") {
        None => {}
        Some(of_type) if script.of(of_type) == ": string | undefined" => {}
        Some(of_type) if script.of(of_type) == ": string" => {
            work.edits.replace(script, span(of_type), ": string | undefined");
        }
        Some(of_type) => return Err(unclear(script, of_type)),
    }
    if let Some(inner) = plain_variable(value) {
        variable(work, way, inner)?;
        let of = scope::declaration(script, inner, script.of(inner));
        let new = way.variables.iter().find(|(known, _)| Some(*known) == of).map(|(_, new)| new.clone());
        let new = new.ok_or_else(|| unclear(script, inner))?;
        work.edits.cut(script, script.removal(statement));
        way.variables.push((declared, new));
        return Ok(());
    }
    let new = renamed(way, declared)?;
    if new != script.of(declared) {
        work.renames.push(script.change(span(declared), new.clone()));
    }
    way.variables.push((declared, new));
    key(work, way, value)
}

/// The variable that a value is without its fallback.
fn plain_variable(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "identifier" => Some(value),
        "binary_expression" => value.child_by_field_name("left").and_then(plain_variable),
        "non_null_expression" | "as_expression" | "parenthesized_expression" => {
            children(value).first().copied().and_then(plain_variable)
        }
        _ => None,
    }
}

/// `if (!sessionId) throw …`: an address is no reason to refuse a call. Where a call was let through instead, it still is.
fn guards(work: &mut Work<'_>, way: &mut Way<'_>) -> Result<(), Refused> {
    let script = way.script;
    let mut stack = vec![way.function];
    while let Some(node) = stack.pop() {
        stack.extend(children(node));
        if node.kind() != "if_statement" {
            continue;
        }
        let Some(asked) = node.child_by_field_name("condition").and_then(|condition| absent(script, condition)) else {
            continue;
        };
        let ours = match asked.kind() {
            "identifier" => {
                let declared = scope::declaration(script, asked, script.of(asked));
                way.variables.iter().any(|(known, _)| Some(*known) == declared)
            }
            _ => way.sources.iter().any(|source| source == script.of(asked)),
        };
        if !ours {
            continue;
        }
        if node.child_by_field_name("alternative").is_some() {
            return Err(script.refuse(node, "the call goes two ways by the session id", TODO));
        }
        way.seen.push(span(asked));
        let refuses = node.child_by_field_name("consequence").is_some_and(|then| refuses(script, then));
        if refuses {
            work.edits.cut(script, script.removal(node));
            continue;
        }
        match scope::declaration(script, asked, script.of(asked)).filter(|_| asked.kind() == "identifier") {
            Some(declared) => use_of(work, way, declared, asked),
            None => {
                let text = work.address.clone();
                work.edits.replace(script, span(asked), text);
            }
        }
    }
    Ok(())
}

/// What a condition asks to be absent: `!id`, `id === undefined`.
fn absent<'t>(script: &Script, condition: Node<'t>) -> Option<Node<'t>> {
    let inner = children(condition).first().copied()?;
    match inner.kind() {
        "unary_expression" if script.of(inner).starts_with('!') => inner.child_by_field_name("argument"),
        "binary_expression" => {
            let operator = script.of(inner.child_by_field_name("operator")?);
            let right = script.of(inner.child_by_field_name("right")?);
            (matches!(operator, "===" | "==") && matches!(right, "undefined" | "null"))
                .then(|| inner.child_by_field_name("left"))
                .flatten()
        }
        _ => None,
    }
}

/// Whether code throws, or answers an error.
fn refuses(script: &Script, then: Node<'_>) -> bool {
    let last = if then.kind() == "statement_block" { children(then).last().copied() } else { Some(then) };
    last.is_some_and(|last| match last.kind() {
        "throw_statement" => true,
        "return_statement" => script.of(last).contains("isError: true"),
        _ => false,
    })
}

/// Every use of a variable that was the session id has to be understood.
fn account(work: &mut Work<'_>, way: &Way<'_>) -> Result<(), Refused> {
    for (declared, new) in &way.variables {
        for used in scope::uses(way.script, *declared) {
            let within = |seen: &Span| seen.contains(span(used));
            let known = way.seen.iter().any(within) || work.edits.covers(&way.script.path, span(used));
            if !known && !told::renamed(work, way.script, used, new) {
                return Err(way.script.refuse(used, "the session id is used here as well", TODO));
            }
        }
    }
    Ok(())
}

/// The SDK's context goes from a handler's parameters, where nothing uses it any more.
fn context(work: &mut Work<'_>, way: &Way<'_>) -> Result<(), Refused> {
    let script = way.script;
    let at = span(way.function);
    let tool = work.plan.handlers.iter().find(|tool| tool.handler.path == script.path && tool.handler.span == at);
    let Some(tool) = tool.filter(|_| matches!(way.carrier.entry, Entry::Handler(_))) else { return Ok(()) };
    let Some(list) = way.function.child_by_field_name("parameters") else { return Ok(()) };
    let unused = |name: &&String| {
        let uses = mentions(script, way.function, name).into_iter();
        let mut uses = uses.filter(|node| !span(list).contains(span(*node)) && node.kind() != "type_identifier");
        uses.all(|node| work.edits.covers(&script.path, span(node)))
    };
    let mut gone: Vec<String> = way.roots.iter().filter(unused).cloned().collect();
    gone.extend(
        way.variables
            .iter()
            .filter(|(known, _)| span(list).contains(span(*known)))
            .map(|(known, _)| script.of(*known).to_owned()),
    );
    if gone.is_empty() {
        return Ok(());
    }
    let wish = tools::Context { owner: false, gone };
    let (changes, _) = tools::add_context(work.scripts, tool, &wish)?;
    work.edits.extend(changes);
    Ok(())
}
