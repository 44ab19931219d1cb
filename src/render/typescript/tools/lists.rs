//! The list, or the table by name, that names what describes a tool.

use tree_sitter::Node;

use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{bare, children, is_function};
use crate::render::typescript::scripts::{Code, Scripts, declaration};

/// How far the list of tools may be from where one is looked up or registered.
const HOPS: usize = 10;

/// What hands on a list, or what is in it, by the name of the method.
const OF_LISTS: [&str; 6] = ["map", "filter", "slice", "flat", "find", "concat"];

/// A tool in a list.
pub struct Listed<'s> {
    /// The list.
    pub list: Code<'s>,
    /// What names the tool there.
    pub item: Node<'s>,
}

/// The list that names what an object literal describes, by where its function is called, or else registered.
pub fn of<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse, entry: Code<'s>) -> Option<Listed<'s>> {
    let call = tool.body.as_ref().and_then(|body| body.calls.first()).filter(|_| tool.entry.is_some());
    let from = match call {
        Some(call) => {
            let (script, call) = scripts.expression(call).ok()?;
            Code { script, node: call.child_by_field_name("function")? }
        }
        None => looped(scripts.at(&tool.registration).ok()?)?,
    };
    find(scripts, from, entry, HOPS)
}

/// What the loop around a registration goes through.
fn looped(registration: Code<'_>) -> Option<Code<'_>> {
    std::iter::successors(registration.node.parent(), Node::parent).find_map(|around| {
        if around.kind() == "for_in_statement" {
            return around.child_by_field_name("right").map(|list| registration.to(list));
        }
        let call = around.parent().filter(|list| is_function(around) && list.kind() == "arguments")?.parent()?;
        let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression")?;
        let each = matches!(registration.script.of(callee.child_by_field_name("property")?), "forEach" | "map");
        let object = callee.child_by_field_name("object")?;
        each.then(|| registration.to(object))
    })
}

/// Follows a value to the list that has the entry in it.
fn find<'s>(scripts: &'s Scripts<'_>, code: Code<'s>, entry: Code<'s>, hops: usize) -> Option<Listed<'s>> {
    let hops = hops.checked_sub(1)?;
    let code = code.bare();
    let node = code.node;
    let next = match node.kind() {
        "array" | "object" => return within(scripts, code, entry, hops),
        "identifier" => {
            let own = declaration(code, code.text())?;
            match own.node.child_by_field_name("value") {
                Some(value) if own.node.kind() == "variable_declarator" => own.to(value),
                _ => scripts.value(code)?,
            }
        }
        "member_expression" | "subscript_expression" => code.to(node.child_by_field_name("object")?),
        "call_expression" => code.to(called(code)?),
        "new_expression" => code.to(*children(node.child_by_field_name("arguments")?).first()?),
        _ => return None,
    };
    find(scripts, next, entry, hops)
}

/// What a call has its elements from: `Object.values(tools)`, `tools.filter(…)`, `byName.get(…)`.
fn called<'s>(code: Code<'s>) -> Option<Node<'s>> {
    let callee = code.node.child_by_field_name("function")?;
    let object = callee.child_by_field_name("object")?;
    let method = code.script.of(callee.child_by_field_name("property")?);
    let first = || children(code.node.child_by_field_name("arguments")?).first().copied();
    match (code.script.of(object), method) {
        ("Object", "values" | "entries" | "keys" | "fromEntries") | ("Array", "from") => first(),
        (_, "get" | "has" | "entries" | "values") => Some(object),
        (_, method) => OF_LISTS.contains(&method).then_some(object),
    }
}

/// The element of a list that names the entry, in lists that are spread in it as well.
fn within<'s>(scripts: &'s Scripts<'_>, list: Code<'s>, entry: Code<'s>, hops: usize) -> Option<Listed<'s>> {
    children(list.node).into_iter().find_map(|item| match item.kind() {
        "spread_element" => find(scripts, list.to(*children(item).first()?), entry, hops),
        "pair" => names(scripts, list.to(item.child_by_field_name("value")?), entry).then_some(Listed { list, item }),
        _ => names(scripts, list.to(item), entry).then_some(Listed { list, item }),
    })
}

/// Whether a name stands for the entry, or for what a helper makes of it.
fn names<'s>(scripts: &'s Scripts<'_>, item: Code<'s>, entry: Code<'s>) -> bool {
    let named = matches!(item.node.kind(), "identifier" | "shorthand_property_identifier");
    let value = scripts.value(item).filter(|_| named);
    value.is_some_and(|value| {
        let given = || value.node.child_by_field_name("arguments").map(children).unwrap_or_default();
        value.is(entry) || given().into_iter().any(|argument| value.to(bare(argument)).is(entry))
    })
}
