//! What is left of the session id in functions that carry the handle now: checks that there is one, variables that held it, the
//! context that it came in.

use tree_sitter::Node;

use super::edits::Edits;
use super::keys::argument;
use super::shed;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::{Carries, Entry, Role};
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, is_function, span};
use crate::render::typescript::tools::{self, Context};

/// Takes it out.
pub fn clean(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        let (script, function) = work.function(carrier)?;
        if !carrier.shared {
            checks(&mut work.edits, script, function, carrier);
            variables(&mut work.edits, script, function, carrier);
        }
        deciding(&work.edits, script, function, carrier, &work.handle.stores)?;
    }
    Ok(())
}

/// Whether a node is an expression that means the session id.
fn is_id(script: &Script, carrier: &Carries, node: Node<'_>) -> bool {
    let at = span(node);
    carrier.ids.iter().any(|site| site.path == script.path && site.span == at)
}

/// `if (!sessionId) throw …`: with a handle there is nothing to check.
pub fn checks(edits: &mut Edits, script: &Script, function: Node<'_>, carrier: &Carries) {
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        if node.kind() == "if_statement"
            && node.child_by_field_name("alternative").is_none()
            && let (Some(condition), Some(then)) =
                (node.child_by_field_name("condition"), node.child_by_field_name("consequence"))
            && only_ids(script, carrier, condition)
            && leaves(then)
        {
            edits.cut(script, script.removal(node));
            continue;
        }
        stack.extend(children(node));
    }
}

/// Whether a condition asks for nothing but the id.
fn only_ids(script: &Script, carrier: &Carries, condition: Node<'_>) -> bool {
    if is_id(script, carrier, condition) {
        return true;
    }
    match condition.kind() {
        "parenthesized_expression" | "non_null_expression" | "as_expression" => {
            children(condition).first().is_some_and(|inner| only_ids(script, carrier, *inner))
        }
        "unary_expression" => {
            condition.child(0).is_some_and(|sign| matches!(script.of(sign), "!" | "typeof"))
                && condition.child_by_field_name("argument").is_some_and(|inner| only_ids(script, carrier, inner))
        }
        "binary_expression" => {
            let sides = [condition.child_by_field_name("left"), condition.child_by_field_name("right")];
            let constant = |node: &Node<'_>| {
                matches!(script.of(*node), "undefined" | "null" | "'string'" | "\"string\"" | "''" | "\"\"")
            };
            sides.iter().flatten().all(|side| constant(side) || only_ids(script, carrier, *side))
                && sides.iter().flatten().any(|side| !constant(side))
        }
        _ => false,
    }
}

fn leaves(then: Node<'_>) -> bool {
    let last = if then.kind() == "statement_block" { children(then).last().copied() } else { Some(then) };
    last.is_some_and(|last| matches!(last.kind(), "return_statement" | "throw_statement"))
}

/// Variables that held the id and that nothing uses any more.
pub fn variables(edits: &mut Edits, script: &Script, function: Node<'_>, carrier: &Carries) {
    for _ in 0..3 {
        let mut declarators = Vec::new();
        collect(function, &mut declarators);
        let mut changed = false;
        for declarator in declarators {
            let statement = declarator.parent().filter(|parent| children(*parent).len() == 1);
            let (Some(statement), Some(name), Some(value)) =
                (statement, declarator.child_by_field_name("name"), declarator.child_by_field_name("value"))
            else {
                continue;
            };
            if edits.covers(&script.path, span(statement)) || !holds_id(script, carrier, value) {
                continue;
            }
            match name.kind() {
                "identifier" if is_unused(edits, script, function, name) => {
                    edits.cut(script, script.removal(statement));
                    changed = true;
                }
                "object_pattern" => {
                    let entries = children(name);
                    let dead: Vec<Node<'_>> = entries
                        .iter()
                        .copied()
                        .filter(|entry| {
                            let bound = bound(*entry);
                            is_bound_id(script, carrier, *entry) && is_unused(edits, script, function, bound)
                        })
                        .collect();
                    if !dead.is_empty() && dead.len() == entries.len() {
                        edits.cut(script, script.removal(statement));
                        changed = true;
                    } else {
                        for entry in dead {
                            changed |= drop_entry(edits, script, &entries, entry);
                        }
                    }
                }
                _ => {}
            }
        }
        if !changed {
            break;
        }
    }
}

fn collect<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node.kind() == "variable_declarator" {
        out.push(node);
    }
    for child in children(node) {
        collect(child, out);
    }
}

fn holds_id(script: &Script, carrier: &Carries, value: Node<'_>) -> bool {
    carrier.ids.iter().any(|site| site.path == script.path && span(value).contains(site.span))
        || value.kind() == "identifier"
        || value.kind() == "member_expression"
        // What a context variable has, and nobody asks for any more.
        || (value.kind() == "call_expression" && script.of(value).ends_with(".getStore()"))
}

fn bound(entry: Node<'_>) -> Node<'_> {
    match entry.kind() {
        "pair_pattern" => entry.child_by_field_name("value").map_or(entry, bound),
        "object_assignment_pattern" | "assignment_pattern" => entry.child_by_field_name("left").unwrap_or(entry),
        _ => entry,
    }
}

pub fn is_bound_id(script: &Script, carrier: &Carries, entry: Node<'_>) -> bool {
    carrier
        .ids
        .iter()
        .any(|site| site.path == script.path && (site.span == span(entry) || site.span == span(bound(entry))))
}

fn drop_entry(edits: &mut Edits, script: &Script, entries: &[Node<'_>], entry: Node<'_>) -> bool {
    let Some(at) = entries.iter().position(|known| *known == entry) else { return false };
    let cut = match entries.get(at + 1) {
        Some(next) => Span::new(entry.start_byte(), next.start_byte()),
        None => Span::new(entries[at - 1].end_byte(), entry.end_byte()),
    };
    let fresh = !edits.covers(&script.path, span(entry));
    if fresh {
        edits.cut(script, cut);
    }
    fresh
}

/// Whether all uses of a name in a function, but for its declaration, are gone.
fn is_unused(edits: &Edits, script: &Script, function: Node<'_>, name: Node<'_>) -> bool {
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && script.of(node) == script.of(name)
            && span(node) != span(name)
            && !edits.covers(&script.path, span(node))
        {
            return false;
        }
        stack.extend(children(node));
    }
    true
}

/// A session id that still decides something would decide it the same way for ever.
///
/// `stores`: the containers that are keyed by the handle. What is there under it is asked as before.
pub fn deciding(
    edits: &Edits,
    script: &Script,
    function: Node<'_>,
    carrier: &Carries,
    stores: &[String],
) -> Result<(), Refused> {
    if carrier.shared {
        return Ok(());
    }
    for id in carrier.ids.iter().filter(|site| site.path == script.path) {
        if edits.covers(&id.path, id.span) {
            continue;
        }
        let Some(node) = script.around(id.span) else { continue };
        let mut inner = node;
        while let Some(parent) = inner.parent().filter(|_| inner != function) {
            let decides = match parent.kind() {
                "if_statement" | "ternary_expression" | "while_statement" => {
                    parent.child_by_field_name("condition") == Some(inner)
                }
                "binary_expression" => {
                    parent.child_by_field_name("operator").is_some_and(|operator| script.of(operator) == "&&")
                }
                _ => false,
            };
            if decides && !edits.covers(&script.path, span(parent)) {
                return Err(script.refuse(
                    parent,
                    "whether there is a session decides something here",
                    "say what is to happen without one, and run again",
                ));
            }
            if is_function(parent) || looks_up(script, parent, stores) {
                break;
            }
            inner = parent;
        }
    }
    Ok(())
}

/// Whether a list of arguments is the key of a look into one of some containers: `baskets.has(id)`.
fn looks_up(script: &Script, list: Node<'_>, stores: &[String]) -> bool {
    let callee =
        list.parent().filter(|_| list.kind() == "arguments").and_then(|call| call.child_by_field_name("function"));
    let part = |field| callee.and_then(|callee| callee.child_by_field_name(field)).map(|node| script.of(node));
    let own = part("object").and_then(|object| object.rsplit('.').next());
    matches!(part("property"), Some("has" | "get")) && own.is_some_and(|own| stores.iter().any(|store| store == own))
}

/// Gives the tools the handle as an argument, and takes the context away where nothing uses it any more.
pub fn arguments(work: &mut Work<'_>) -> Result<(), Refused> {
    for carrier in &work.handle.carriers {
        let Entry::Handler(tools) = &carrier.entry else { continue };
        let (script, function) = work.function(carrier)?;
        let context = Context { owner: work.handle.owner, gone: gone(&work.edits, script, function) };
        let creates = work.creates(carrier);
        let argument = argument(work);
        for (position, tool) in tools.iter().enumerate() {
            let tool = &work.handle.tools[*tool];
            if !creates && (tool.role != Role::Creates || work.handle.lazy) {
                let added = tools::add_argument(work.scripts, tool, &argument, &context)?;
                work.edits.extend(added.changes);
            }
            if (tool.entry.is_some() && tool.body.is_none() && position == 0) || creates {
                work.edits.extend(tools::add_context(work.scripts, tool, &context)?.0);
            }
        }
        let mut served = tools.iter().map(|tool| &work.handle.tools[*tool]);
        if served.any(|tool| tool.body.as_ref().is_some_and(|body| body.dispatches)) {
            let list = function.child_by_field_name("parameters").map(children).unwrap_or_default();
            let names = list.iter().map(|own| own.child_by_field_name("pattern").unwrap_or(*own));
            let names: Vec<Node<'_>> =
                names.filter(|name| context.gone.iter().any(|gone| gone == script.of(*name))).collect();
            names.into_iter().for_each(|name| shed::drop_parameter(&mut work.edits, script, name));
        }
        if let Some(tool) = tools.iter().map(|tool| &work.handle.tools[*tool]).find(|tool| tool.entry.is_some()) {
            let wrapped = tools::answering(work.scripts, tool)?;
            work.features.answers |= !wrapped.is_empty();
            work.edits.extend(wrapped);
            work.features.low_level = true;
        }
    }
    Ok(())
}

/// Names that a handler's parameters bind and that nothing in it uses any more, though something did.
pub fn gone(edits: &Edits, script: &Script, function: Node<'_>) -> Vec<String> {
    let Some(parameters) =
        function.child_by_field_name("parameters").or_else(|| function.child_by_field_name("parameter"))
    else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut stack = vec![parameters];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern") {
            names.push(node);
        }
        if node.kind() != "type_annotation" {
            stack.extend(children(node));
        }
    }
    names
        .into_iter()
        .filter(|name| was_used(script, function, *name, parameters) && is_unused(edits, script, function, *name))
        .map(|name| script.of(name).to_owned())
        .collect()
}

fn was_used(script: &Script, function: Node<'_>, name: Node<'_>, parameters: Node<'_>) -> bool {
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        let used = matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && script.of(node) == script.of(name)
            && !span(parameters).contains(span(node));
        if used {
            return true;
        }
        stack.extend(children(node));
    }
    false
}
