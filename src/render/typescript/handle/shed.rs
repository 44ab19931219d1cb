//! Calls that handed the session id to a callback or to a tool's own function: nothing takes it there any more, so they stop, and
//! with them goes what only led to the id.

use tree_sitter::Node;

use super::edits::Edits;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Shed;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration, mentions};

/// How many types may name one another.
const DEPTH: usize = 4;

/// Takes the id out of all such calls.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    for shed in &work.handle.sheds {
        one(work, shed)?;
    }
    Ok(())
}

fn one(work: &mut Work<'_>, shed: &Shed) -> Result<(), Refused> {
    let (script, call) = work.scripts.expression(&shed.call)?;
    let lost = || script.refuse(call, "the call that hands the id on is not what the scan saw", "run again");
    let callee = call.child_by_field_name("function").ok_or_else(lost)?;
    let list = call.child_by_field_name("arguments").ok_or_else(lost)?;
    drop_item(&mut work.edits, script, list, shed.index);
    retype(work, script, callee, shed.index)?;
    retype_table(work, script, callee, shed.index)?;
    for unused in &shed.unused {
        let (script, node) = work.scripts.expression(unused)?;
        drop_parameter(&mut work.edits, script, node);
    }
    let (script, function) = work.scripts.expression(&shed.function)?;
    let Some(function) = super::work::function_in(function) else { return Ok(()) };
    let (of_argument, argument) = work.scripts.expression(&shed.argument)?;
    checks(&mut work.edits, script, function, of_argument.of(argument).trim_end_matches('!'));
    leftovers(work, script, function);
    let position = last_unused(work, script, function);
    let Some((position, parameter)) = position else { return Ok(()) };
    drop_parameter(&mut work.edits, script, parameter);
    for caller in &shed.callers {
        drop_argument(work, caller, position)?;
    }
    Ok(())
}

/// Takes an element out of a list, with the comma that it leaves.
pub fn drop_item(edits: &mut Edits, script: &Script, list: Node<'_>, index: usize) {
    let items = children(list);
    let Some(item) = items.get(index) else { return };
    let cut = match (items.get(index + 1), index.checked_sub(1).and_then(|before| items.get(before))) {
        (Some(next), _) => Span::new(item.start_byte(), next.start_byte()),
        (None, Some(before)) => Span::new(before.end_byte(), item.end_byte()),
        (None, None) => Span::new(list.start_byte() + 1, list.end_byte() - 1),
    };
    edits.cut(script, cut);
}

/// Takes a parameter out of its function, found by its name.
pub fn drop_parameter(edits: &mut Edits, script: &Script, name: Node<'_>) {
    let mut outer = name;
    while let Some(parent) = outer.parent() {
        if parent.kind() == "formal_parameters" {
            let index = children(parent).iter().position(|item| *item == outer);
            index.into_iter().for_each(|index| drop_item(edits, script, parent, index));
            return;
        }
        if is_function(parent) {
            // `id => …`.
            edits.replace(script, span(outer), "()");
            return;
        }
        outer = parent;
    }
}

/// The written type of what is called loses the parameter as well, in the file of the call or in those of the tools.
pub fn retype(work: &mut Work<'_>, script: &Script, callee: Node<'_>, index: usize) -> Result<(), Refused> {
    if callee.kind() == "identifier" {
        let name = script.of(callee);
        let function = std::iter::successors(callee.parent(), Node::parent).filter(|node| is_function(*node));
        let parameters = function.filter_map(|function| function.child_by_field_name("parameters"));
        let mut all = parameters.flat_map(children);
        let own = all.find(|own| own.child_by_field_name("pattern").is_some_and(|pattern| script.of(pattern) == name));
        if let Some(own) = own {
            let list = own.child_by_field_name("type").and_then(function_type);
            list.into_iter().for_each(|list| drop_item(&mut work.edits, script, list, index));
            return Ok(());
        }
    }
    let name = match callee.kind() {
        "member_expression" => callee.child_by_field_name("property").map(|name| script.of(name)),
        "identifier" => property_behind(script, callee),
        _ => None,
    };
    let Some(name) = name else { return Ok(()) };
    let mut paths: Vec<&str> = vec![&script.path];
    paths.extend(work.handle.tools.iter().map(|tool| tool.handler.path.as_str()));
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let other = work.scripts.open(path)?;
        for list in signatures(other, other.tree.root_node(), name) {
            if children(list).len() > index {
                drop_item(&mut work.edits, other, list, index);
            }
        }
    }
    Ok(())
}

/// The type of a function that was looked up in a table by its name loses the parameter where the table says its type: `Handler` in
/// `const HANDLERS: Record<string, Handler>`.
fn retype_table(work: &mut Work<'_>, script: &Script, callee: Node<'_>, index: usize) -> Result<(), Refused> {
    let code = |node| Code { script, node };
    let looked_up = match callee.kind() {
        "identifier" => {
            declaration(code(callee), script.of(callee)).and_then(|own| own.node.child_by_field_name("value")).map(bare)
        }
        _ => Some(callee),
    };
    let table = looked_up.filter(|value| value.kind() == "subscript_expression");
    let table = table.and_then(|value| value.child_by_field_name("object")).filter(|node| node.kind() == "identifier");
    let Some(made) = table.and_then(|table| work.scripts.value(code(table))) else { return Ok(()) };
    let declarator =
        std::iter::successors(Some(made.node), Node::parent).find(|node| node.kind() == "variable_declarator");
    let annotation = declarator.and_then(|own| own.child_by_field_name("type"));
    let mut pending: Vec<Code<'_>> = annotation.map(|node| made.to(node)).into_iter().collect();
    for _ in 0..DEPTH {
        let mut named = Vec::new();
        for written in std::mem::take(&mut pending) {
            if let Some(list) = function_type(written.node) {
                drop_item(&mut work.edits, written.script, list, index);
                return Ok(());
            }
            let mut stack = vec![written.node];
            while let Some(node) = stack.pop() {
                if node.kind() == "type_identifier" {
                    named.extend(type_named(work.scripts, written.to(node)));
                }
                stack.extend(children(node));
            }
        }
        pending = named;
    }
    Ok(())
}

/// The declaration of a type of the program's own.
pub fn type_named<'s>(scripts: &'s Scripts<'_>, name: Code<'s>) -> Option<Code<'s>> {
    let (path, name) = scripts.source(name.script, name.text())?;
    let script = scripts.open(&path).ok()?;
    let found = declaration(Code { script, node: script.tree.root_node() }, &name)?;
    matches!(found.node.kind(), "type_alias_declaration" | "interface_declaration").then_some(found)
}

/// The property that a name was taken out of a pattern by: `for (const { handler } of tools)`.
fn property_behind<'s>(script: &'s Script, name: Node<'s>) -> Option<&'s str> {
    let declared = scope::declaration(script, name, script.of(name))?;
    let parent = declared.parent()?;
    match (declared.kind(), parent.kind()) {
        ("shorthand_property_identifier_pattern", _) => Some(script.of(declared)),
        (_, "pair_pattern") => parent.child_by_field_name("key").map(|key| script.of(key)),
        _ => None,
    }
}

/// The parameters of a function type within an annotation.
fn function_type(annotation: Node<'_>) -> Option<Node<'_>> {
    if annotation.kind() == "function_type" {
        return annotation.child_by_field_name("parameters");
    }
    children(annotation).into_iter().find_map(function_type)
}

/// The parameters of the members of types that have a name: `run: (args) => …`, `run(args): …`.
pub fn signatures<'t>(script: &Script, node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let own = matches!(node.kind(), "property_signature" | "method_signature")
        && node.child_by_field_name("name").is_some_and(|found| script.of(found) == name);
    if own {
        let list = node.child_by_field_name("parameters");
        return list.or_else(|| node.child_by_field_name("type").and_then(function_type)).into_iter().collect();
    }
    children(node).into_iter().flat_map(|child| signatures(script, child, name)).collect()
}

/// Takes away what asks for nothing but the id, and leaves where there is none: `if (!extra.sessionId) throw …`.
fn checks(edits: &mut Edits, script: &Script, function: Node<'_>, id: &str) {
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        stack.extend(children(node));
        if node.kind() != "if_statement" || node.child_by_field_name("alternative").is_some() {
            continue;
        }
        let condition = node.child_by_field_name("condition").map(|condition| script.of(bare(condition)));
        let asked = condition.and_then(|condition| {
            let rest = condition.strip_prefix('!').filter(|rest| *rest == id).map(|_| "");
            rest.or_else(|| condition.strip_prefix(id).map(str::trim))
        });
        let asks = matches!(asked, Some("" | "=== undefined" | "== undefined" | "=== null" | "== null"))
            && condition.is_some_and(|condition| condition != id);
        let leaves = node.child_by_field_name("consequence").is_some_and(|then| {
            let last = if then.kind() == "statement_block" { children(then).last().copied() } else { Some(then) };
            last.is_some_and(|last| matches!(last.kind(), "return_statement" | "throw_statement"))
        });
        if asks && leaves && !edits.covers(&script.path, span(node)) {
            edits.cut(script, script.removal(node));
        }
    }
}

/// Takes away what a function has only to lead to the id.
pub fn leftovers(work: &mut Work<'_>, script: &Script, function: Node<'_>) {
    locals(&mut work.edits, script, function);
    taken_apart(work, script, function);
}

/// Takes away variables of a function that only held the id.
fn locals(edits: &mut Edits, script: &Script, function: Node<'_>) {
    let Some(body) = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block") else {
        return;
    };
    for own in children(body).into_iter().filter(|own| own.kind() == "lexical_declaration") {
        let declarators = children(own);
        let [declarator] = declarators.as_slice() else { continue };
        let Some(name) = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier") else {
            continue;
        };
        if is_left_unused(edits, script, function, name) && !edits.covers(&script.path, span(own)) {
            edits.cut(script, script.removal(own));
        }
    }
}

/// Whether a name was used in a function, and every use of it goes.
fn is_left_unused(edits: &Edits, script: &Script, function: Node<'_>, name: Node<'_>) -> bool {
    let mut uses = mentions(script, function, script.of(name));
    uses.retain(|used| *used != name);
    !uses.is_empty() && uses.iter().all(|used| edits.covers(&script.path, span(*used)))
}

/// The parameter that a function does not need any more, and its position. Of those that stand before others only one that all
/// callers name by position can go.
pub fn last_unused<'t>(work: &Work<'_>, script: &'t Script, function: Node<'t>) -> Option<(usize, Node<'t>)> {
    let Some(list) = function.child_by_field_name("parameters") else {
        let only = function.child_by_field_name("parameter")?;
        return is_left_unused(&work.edits, script, function, only).then_some((0, only));
    };
    let all = children(list);
    let named = |node: &Node<'t>| {
        Some(node.child_by_field_name("pattern").unwrap_or(*node)).filter(|own| own.kind() == "identifier")
    };
    let found = all.iter().enumerate().find_map(|(index, parameter)| {
        let name = named(parameter)?;
        is_left_unused(&work.edits, script, function, name).then_some((index, name))
    });
    let is_named = matches!(function.kind(), "function_declaration" | "method_definition") || is_variable(function);
    found.filter(|(index, _)| is_named || index + 1 == all.len())
}

/// Takes what only led to the id out of the patterns of a function's parameters: `async (request, { sessionId }) => …`.
fn taken_apart(work: &mut Work<'_>, script: &Script, function: Node<'_>) {
    let parameters = function.child_by_field_name("parameters").map(children).unwrap_or_default();
    for (index, parameter) in parameters.iter().enumerate() {
        let pattern = parameter.child_by_field_name("pattern").unwrap_or(*parameter);
        if pattern.kind() != "object_pattern" || parameter.child_by_field_name("type").is_some() {
            continue;
        }
        let entries = children(pattern);
        let unused = |entry: &Node<'_>| {
            let name = match entry.kind() {
                "shorthand_property_identifier_pattern" => Some(*entry),
                "pair_pattern" => entry.child_by_field_name("value").filter(|value| value.kind() == "identifier"),
                _ => None,
            };
            name.is_some_and(|name| is_left_unused(&work.edits, script, function, name))
        };
        let gone: Vec<usize> = (0..entries.len()).filter(|index| unused(&entries[*index])).collect();
        if gone.len() == entries.len() && index + 1 == parameters.len() {
            drop_parameter(&mut work.edits, script, pattern);
        } else if gone.len() < entries.len() {
            gone.into_iter().for_each(|index| drop_item(&mut work.edits, script, pattern, index));
        }
    }
}

fn is_variable(function: Node<'_>) -> bool {
    function.parent().is_some_and(|parent| parent.kind() == "variable_declarator")
}

/// An argument of a call, and the parameter that only led there.
fn drop_argument(work: &mut Work<'_>, caller: &Site, position: usize) -> Result<(), Refused> {
    let (script, call) = work.scripts.expression(caller)?;
    let Some(list) = call.child_by_field_name("arguments") else { return Ok(()) };
    let given = children(list).get(position).copied();
    drop_item(&mut work.edits, script, list, position);
    let around = given.filter(|given| given.kind() == "identifier").and_then(enclosing_function);
    let Some((given, function)) = given.zip(around) else { return Ok(()) };
    let carries = work
        .handle
        .carriers
        .iter()
        .any(|carrier| carrier.function.path == script.path && carrier.function.span.contains(span(function)));
    if carries {
        return Ok(());
    }
    if let Some((_, name)) =
        last_unused(work, script, function).filter(|(_, name)| script.of(*name) == script.of(given))
    {
        drop_parameter(&mut work.edits, script, name);
    }
    Ok(())
}
