//! From a registration to the handler that a plan names: given as it is, by name, through wrappers, or in an entry of a table that a
//! loop registers.

use tree_sitter::Node;

use super::handler::{is_used_whole, pattern};
use crate::render::Refused;
use crate::render::typescript::script::{bare, children, is_function};
use crate::render::typescript::scripts::{Code, Scripts, mentions};

/// How deep wrappers may be nested.
const DEPTH: usize = 4;

/// How a handler is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The registration is given the handler itself.
    Direct,
    /// Through wrappers that hand on all that they are given.
    Whole,
    /// Through wrappers of which that is not known.
    Wrapped,
    /// The wrapper answers it: one handler for all tools that are wrapped so.
    Answered,
}

/// How `callback` leads to `handler`; `None` where it does not.
pub fn reach<'s>(scripts: &'s Scripts<'_>, callback: Code<'s>, handler: Code<'s>) -> Option<Reach> {
    through(scripts, callback, handler, DEPTH)
}

fn through<'s>(scripts: &'s Scripts<'_>, callback: Code<'s>, handler: Code<'s>, depth: usize) -> Option<Reach> {
    let depth = depth.checked_sub(1)?;
    let code = callback.bare();
    if code.is(handler) || scripts.value(code).is_some_and(|value| value.is(handler)) {
        return Some(Reach::Direct);
    }
    if code.node.kind() == "identifier" {
        // A constant that a wrapper made.
        let value = scripts.value(code).filter(|value| value.node.kind() == "call_expression")?;
        return through(scripts, value, handler, depth);
    }
    if code.node.kind() != "call_expression" {
        return None;
    }
    let maker = scripts.value(code.to(code.node.child_by_field_name("function")?));
    if maker.is_some_and(|maker| answers(maker, handler)) {
        return Some(Reach::Answered);
    }
    let arguments = children(code.node.child_by_field_name("arguments")?);
    let (index, inner) = arguments
        .iter()
        .enumerate()
        .find_map(|(index, argument)| Some((index, through(scripts, code.to(*argument), handler, depth)?)))?;
    let whole = scripts
        .value(code.to(code.node.child_by_field_name("function")?))
        .is_some_and(|wrapper| hands_on_all(wrapper, index));
    let known = !matches!(inner, Reach::Wrapped | Reach::Answered);
    Some(if whole && known { Reach::Whole } else { Reach::Wrapped })
}

fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    function.child_by_field_name("parameters").map(children).unwrap_or_default()
}

/// Whether all that a function does is to answer another.
fn answers<'s>(maker: Code<'s>, inner: Code<'s>) -> bool {
    let Some(body) = maker.node.child_by_field_name("body").filter(|_| is_function(maker.node)) else { return false };
    let answered = match body.kind() {
        "statement_block" => match children(body).as_slice() {
            [only] if only.kind() == "return_statement" => children(*only).first().copied(),
            _ => None,
        },
        _ => Some(body),
    };
    answered.is_some_and(|node| maker.to(bare(node)).is(inner))
}

/// Whether a function that is handed to such a wrapper keeps the arguments as a whole: with the handle among them, it would keep that.
pub fn keeps_arguments(scripts: &Scripts<'_>, callback: Code<'_>, handler: Code<'_>) -> bool {
    let parts = || {
        let maker = scripts.value(callback.to(callback.node.child_by_field_name("function")?))?;
        let own = |node: &Node<'_>| maker.script.of(pattern(*node)).to_owned();
        let names: Vec<String> = parameters(maker.node).iter().map(own).collect();
        let arguments = maker.script.of(pattern(*parameters(handler.node).first()?)).to_owned();
        let given = callback.bare().node.child_by_field_name("arguments").map(children)?;
        let mut calls = Vec::new();
        for used in mentions(handler.script, handler.node, &arguments) {
            let list = used.parent()?;
            let call = list.parent().filter(|call| list.kind() == "arguments" && call.kind() == "call_expression");
            let Some(call) = call else { continue };
            let callee = handler.script.of(call.child_by_field_name("function")?);
            let index = children(list).iter().position(|node| *node == used)?;
            calls.push((names.iter().position(|name| name == callee)?, index));
        }
        let mut keeps = false;
        for (which, index) in calls {
            let code = callback.to(*given.get(which)?);
            let function = scripts.value(code).filter(|value| is_function(value.node))?;
            let Some(parameter) = parameters(function.node).get(index).copied() else { continue };
            let body = function.node.child_by_field_name("body")?;
            let pattern = pattern(parameter);
            keeps |= match pattern.kind() {
                "object_pattern" => children(pattern).iter().any(|entry| entry.kind() == "rest_pattern"),
                _ => is_used_whole(function.script, body, function.script.of(pattern)),
            };
        }
        Some(keeps)
    };
    parts().unwrap_or(true)
}

/// Whether a function returns one that calls its parameter number `index` with everything that it is given: `(...args) => f(...args)`.
fn hands_on_all(wrapper: Code<'_>, index: usize) -> bool {
    let script = wrapper.script;
    if !is_function(wrapper.node) {
        return false;
    }
    let Some(list) = wrapper.node.child_by_field_name("parameters").map(children) else { return false };
    let Some(own) = list.get(index).map(|own| own.child_by_field_name("pattern").unwrap_or(*own)) else { return false };
    if own.kind() != "identifier" {
        return false;
    }
    let own = script.of(own);
    let calls: Vec<Node<'_>> = mentions(script, wrapper.node, own)
        .into_iter()
        .filter_map(|node| {
            node.parent()
                .filter(|call| call.kind() == "call_expression" && call.child_by_field_name("function") == Some(node))
        })
        .collect();
    let spreads = |call: &Node<'_>| {
        let Some(inner) = std::iter::successors(call.parent(), Node::parent).find(|node| is_function(*node)) else {
            return false;
        };
        let parameters = inner.child_by_field_name("parameters").map(children).unwrap_or_default();
        let rest = match parameters.as_slice() {
            [only] => children(only.child_by_field_name("pattern").unwrap_or(*only)).first().copied(),
            _ => None,
        };
        let given = call.child_by_field_name("arguments").map(children).unwrap_or_default();
        inner != wrapper.node
            && matches!((rest, given.as_slice()), (Some(rest), [only])
                if only.kind() == "spread_element" && script.of(*only).trim_start_matches("...") == script.of(rest))
    };
    !calls.is_empty() && calls.iter().all(spreads)
}

/// The object literal that has a handler among its properties, wrapped or not: an entry in a table of tools.
pub fn table_entry<'s>(handler: Code<'s>) -> Option<(Code<'s>, Node<'s>)> {
    let mut node = handler.node;
    if node.kind() == "method_definition" && node.parent()?.kind() == "object" {
        return Some((handler.to(node.parent()?), node));
    }
    for _ in 0..DEPTH * 2 {
        let parent = node.parent()?;
        match parent.kind() {
            "pair" => return Some((handler.to(parent.parent()?), parent)),
            "arguments" | "call_expression" | "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                node = parent;
            }
            _ => return None,
        }
    }
    None
}

/// A helper of the program that registers tools, and one call of it.
#[derive(Clone, Copy)]
pub struct Helped<'s> {
    /// The helper.
    helper: Code<'s>,
    /// The call that is given the tool's handler.
    pub call: Code<'s>,
}

impl<'s> Helped<'s> {
    /// The call that a handler stands in, where that calls the function around the registration.
    pub fn of(scripts: &'s Scripts<'_>, registration: Code<'s>, handler: Code<'s>) -> Option<Self> {
        let list = handler.node.parent().filter(|parent| parent.kind() == "arguments")?;
        let call = handler.to(list.parent().filter(|call| call.kind() == "call_expression")?);
        let callee = scripts.value(call.to(call.node.child_by_field_name("function")?))?;
        let around = std::iter::successors(registration.node.parent(), Node::parent);
        let helper = around.filter(|node| is_function(*node)).find(|node| registration.to(*node).is(callee))?;
        Some(Self { helper: registration.to(helper), call })
    }

    /// The position of the parameter that an expression names.
    pub fn parameter(self, code: Code<'s>) -> Option<usize> {
        let code = code.bare();
        if code.node.kind() != "identifier" {
            return None;
        }
        let parameters = children(self.helper.node.child_by_field_name("parameters")?);
        parameters.into_iter().position(|parameter| {
            let own = parameter.child_by_field_name("pattern").unwrap_or(parameter);
            self.helper.script.of(own) == code.text()
        })
    }

    /// The argument of the call at a position.
    pub fn argument(self, index: usize) -> Option<Code<'s>> {
        let arguments = children(self.call.node.child_by_field_name("arguments")?);
        arguments.get(index).map(|argument| self.call.to(*argument))
    }
}

/// Whether a function gets the types of its parameters from where it stands: from a call that it is an argument of, or from the
/// type of what it is assigned to.
pub fn is_typed_by_place(function: Code<'_>) -> bool {
    let script = function.script;
    if !matches!(function.node.kind(), "arrow_function" | "function_expression" | "method_definition") {
        return false;
    }
    let outer = std::iter::successors(function.node.parent(), Node::parent)
        .find(|node| !matches!(node.kind(), "parenthesized_expression"));
    let parameters = function.node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let annotated = parameters.iter().any(|parameter| parameter.child_by_field_name("type").is_some());
    match outer {
        Some(outer) if outer.kind() == "arguments" => true,
        Some(outer) if outer.kind() == "variable_declarator" || outer.kind() == "public_field_definition" => {
            outer.child_by_field_name("type").is_some()
        }
        Some(outer) if matches!(outer.kind(), "pair" | "object") => {
            !annotated && (!parameters.is_empty() || !script.typed())
        }
        _ => false,
    }
}

/// A refusal where the way to the handler is not known.
pub fn lost(callback: Code<'_>) -> Refused {
    callback.refuse(
        "how this leads to the tool's handler can't be followed",
        "register the handler itself, or give the tool the handle by hand",
    )
}

/// An expression that a loop takes out of the entry of a table: the name of the property.
pub fn property_of_entry<'s>(code: Code<'s>) -> Option<&'s str> {
    let node = bare(code.node);
    if node.kind() != "member_expression" || node.child_by_field_name("object")?.kind() != "identifier" {
        return None;
    }
    Some(code.script.of(node.child_by_field_name("property")?))
}
