//! Where a tool that is added is registered: where it runs once in each server, and whenever the tools that need it are registered.
//!
//! A registration in a loop, or in a helper that is called for several tools, runs more than once: the new one stands where that
//! begins. One in an `if` may not run at all: the new one stands in the innermost block that all of them stand in.

use tree_sitter::Node;

use super::reach::{Helped, reach};
use super::register::{handler_of, read};
use crate::plan::handle::ToolUse;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, is_function, statement};
use crate::render::typescript::scripts::{Code, Scripts, binds, declaration, mentions};

/// How many helpers may call one another.
const DEPTH: usize = 4;

/// Methods of lists that call a function for each element.
const EACH: [&str; 8] = ["forEach", "map", "flatMap", "filter", "reduce", "every", "some", "find"];

/// Where registrations of tools run once.
#[derive(Clone, Copy)]
struct Spot<'s> {
    /// The call, or the loop.
    code: Code<'s>,
    /// What tools are registered on there.
    receiver: Code<'s>,
}

/// A place for a new tool.
pub struct Home<'s> {
    /// The statement that it goes before, or behind.
    pub statement: Code<'s>,
    /// What it is registered on.
    pub receiver: String,
    /// It can't go behind: not all that stands there is run.
    pub before: bool,
}

/// The place for a tool that goes with `all`, before or behind them; `beside` is the one whose form it takes.
pub fn of<'s>(scripts: &'s Scripts<'_>, beside: &ToolUse, all: &[ToolUse], before: bool) -> Result<Home<'s>, Refused> {
    let registration = read(scripts, beside)?;
    let mut first = *spots(scripts, beside)?.first().ok_or_else(|| unknown(registration.call))?;
    let mut together = Vec::new();
    for tool in all.iter().filter(|tool| tool.entry.is_none()) {
        together.extend(spots(scripts, tool)?);
    }
    if let Some(outer) = outside(first, &together)? {
        (first, together) = outer;
    }
    let function = enclosing_function(first.code.node);
    let here = |spot: &&Spot<'s>| spot.is_in(first.code.script, function);
    let nodes: Vec<Node<'s>> = together.iter().filter(here).map(|spot| spot.code.node).collect();
    let apart = nodes.len() < together.len();
    let body = function.and_then(|function| function.child_by_field_name("body")).filter(|_| apart);
    let block = body.filter(|body| body.kind() == "statement_block").or_else(|| common(&nodes));
    let block = block.ok_or_else(|| unknown(registration.call))?;
    let runs: Vec<Node<'s>> = children(block)
        .into_iter()
        .filter(|own| nodes.iter().any(|node| own.byte_range().contains(&node.start_byte())))
        .collect();
    let (Some(head), Some(tail)) = (runs.first(), runs.last()) else { return Err(unknown(registration.call)) };
    let passed = children(block)
        .into_iter()
        .filter(|own| own.start_byte() >= head.start_byte() && own.start_byte() < tail.start_byte())
        .any(leaves);
    let before = before || passed;
    let statement = first.code.to(statement(if before { *head } else { *tail }));
    Ok(Home { statement, receiver: first.receiver.text().to_owned(), before })
}

/// Whether a registration serves several tools, of which a plan names one.
pub fn serves_several(scripts: &Scripts<'_>, tool: &ToolUse) -> bool {
    let Ok(registration) = read(scripts, tool) else { return false };
    let Ok(handler) = handler_of(scripts, tool) else { return false };
    let callback = registration.call.to(registration.arguments[registration.arguments.len() - 1]);
    reach(scripts, callback, handler).is_some()
        && !is_constant(scripts, registration.call.to(registration.arguments[0]))
}

impl<'s> Spot<'s> {
    fn is_in(self, script: &Script, function: Option<Node<'_>>) -> bool {
        self.code.script.path == script.path && enclosing_function(self.code.node) == function
    }

    /// The only call of the function that registers here.
    fn outer(self) -> Option<Self> {
        let function = self.code.to(enclosing_function(self.code.node)?);
        let calls = calls_of(function)?;
        let [call] = calls.as_slice() else { return None };
        let receiver = handed(self.receiver, function, *call)?;
        Some(Self { code: *call, receiver })
    }
}

/// Where several functions register the tools and the first of them is not always called: their calls.
fn outside<'s>(first: Spot<'s>, all: &[Spot<'s>]) -> Result<Option<(Spot<'s>, Vec<Spot<'s>>)>, Refused> {
    let function = enclosing_function(first.code.node);
    if all.iter().all(|spot| spot.is_in(first.code.script, function)) {
        return Ok(None);
    }
    let Some(outer) = first.outer() else { return Ok(None) };
    let own = statement(outer.code.node);
    let around = enclosing_function(outer.code.node);
    let body = around.and_then(|around| around.child_by_field_name("body"));
    if own.kind() == "expression_statement" && (own.parent() == body || body.is_none()) {
        return Ok(None);
    }
    let mut calls = Vec::new();
    for spot in all {
        let call = if spot.is_in(first.code.script, around) { Some(*spot) } else { spot.outer() };
        let call = call.filter(|call| call.is_in(first.code.script, around)).ok_or_else(|| {
            outer.code.refuse(
                "this registers tools only on a condition, and tools that others need as well would be added to them",
                "register the tools that share this state in one function, and run again",
            )
        })?;
        calls.push(call);
    }
    Ok(Some((outer, calls)))
}

/// Where a registration runs once for each server; for one in a helper that is given the handler, the call of that.
fn spots<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Result<Vec<Spot<'s>>, Refused> {
    let registration = read(scripts, tool)?;
    let handler = handler_of(scripts, tool)?;
    if let Some(helped) = Helped::of(scripts, registration.call, handler) {
        return Ok(vec![Spot { code: helped.call, receiver: helped.call }]);
    }
    let name = registration.call.to(registration.arguments[0]);
    let receiver = registration.call.to(registration.receiver);
    once(scripts, registration.call, name, receiver, DEPTH)
}

/// Where what is done for each of several names is done as a whole.
fn once<'s>(
    scripts: &'s Scripts<'_>,
    call: Code<'s>,
    name: Code<'s>,
    receiver: Code<'s>,
    depth: usize,
) -> Result<Vec<Spot<'s>>, Refused> {
    let whole = Spot { code: call, receiver };
    // One name can be registered once: what stands beside that runs once as well.
    if is_constant(scripts, name) {
        return Ok(vec![whole]);
    }
    let code = call.to(out_of_loops(call));
    let Some(function) = enclosing_function(code.node) else { return Ok(vec![Spot { code, ..whole }]) };
    let mut feeds = Vec::new();
    parameters_in(name, function, &mut feeds, DEPTH * 2);
    let Some(index) = feeds.first().copied() else {
        let root = receiver.to(root(receiver.node));
        if root.node.kind() == "identifier"
            && declaration(root, root.text()).is_some_and(|own| !own.is_before(code.node) && own.is_local_to(function))
        {
            return Err(several(call));
        }
        return Ok(vec![Spot { code, ..whole }]);
    };
    let depth = depth.checked_sub(1).ok_or_else(|| several(call))?;
    let calls = calls_of(call.to(function)).filter(|calls| !calls.is_empty()).ok_or_else(|| several(call))?;
    let mut out = Vec::new();
    for outer in calls {
        let given = outer.node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let name = outer.to(*given.get(index).ok_or_else(|| several(call))?);
        let receiver = handed(receiver, call.to(function), outer).ok_or_else(|| several(call))?;
        out.extend(once(scripts, outer, name, receiver, depth)?);
    }
    let first = enclosing_function(out[0].code.node);
    match out.iter().all(|spot| enclosing_function(spot.code.node) == first) {
        true => Ok(out),
        false => Err(several(call)),
    }
}

impl Code<'_> {
    fn is_before(self, other: Node<'_>) -> bool {
        self.node.end_byte() <= other.start_byte()
    }

    fn is_local_to(self, function: Node<'_>) -> bool {
        function.byte_range().contains(&self.node.start_byte())
    }
}

fn root(mut node: Node<'_>) -> Node<'_> {
    while let Some(object) = node.child_by_field_name("object") {
        node = object;
    }
    node
}

/// A name that is written out, here or in a constant.
fn is_constant(scripts: &Scripts<'_>, name: Code<'_>) -> bool {
    let written = |code: Code<'_>| match code.bare().node.kind() {
        "string" => true,
        "template_string" => !children(code.node).iter().any(|part| part.kind() == "template_substitution"),
        _ => false,
    };
    written(name) || scripts.value(name).is_some_and(written)
}

/// The outermost loop around a node within its function, functions that are called for each element of a list included.
fn out_of_loops(code: Code<'_>) -> Node<'_> {
    let mut found = code.node;
    let mut node = code.node;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => found = parent,
            _ if is_function(parent) => match for_each(code, parent) {
                Some(call) => found = call,
                None => break,
            },
            _ => {}
        }
        node = parent;
    }
    found
}

/// The call that calls a function for each element of a list.
fn for_each<'s>(code: Code<'s>, function: Node<'s>) -> Option<Node<'s>> {
    let list = function.parent().filter(|list| list.kind() == "arguments")?;
    let call = list.parent()?;
    let method = call.child_by_field_name("function")?.child_by_field_name("property")?;
    EACH.contains(&code.script.of(method)).then_some(call)
}

/// The positions of a function's parameters that an expression is made of.
fn parameters_in<'s>(expression: Code<'s>, function: Node<'s>, out: &mut Vec<usize>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let mut stack = vec![expression.node];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier") {
            let code = expression.to(node);
            let Some(declared) = declaration(code, code.text()).filter(|own| own.is_local_to(function)) else {
                continue;
            };
            if let Some(index) = position(declared, function) {
                out.push(index);
            } else if let Some(source) = source_of(declared).filter(|source| !source.is_around(node)) {
                parameters_in(source, function, out, depth);
            }
        }
        stack.extend(children(node));
    }
}

impl Code<'_> {
    fn is_around(self, node: Node<'_>) -> bool {
        self.node.start_byte() <= node.start_byte() && node.end_byte() <= self.node.end_byte()
    }
}

/// The position of the parameter that a node is, or is a part of.
fn position(declared: Code<'_>, function: Node<'_>) -> Option<usize> {
    let list = function.child_by_field_name("parameters")?;
    children(list).into_iter().position(|own| own.byte_range().contains(&declared.node.start_byte()))
}

/// What a name takes its value from: the list that a loop goes through, or the value of its declaration.
fn source_of(declared: Code<'_>) -> Option<Code<'_>> {
    let mut node = declared.node;
    loop {
        match node.kind() {
            "variable_declarator" => return node.child_by_field_name("value").map(|value| declared.to(value)),
            "for_in_statement" => return node.child_by_field_name("right").map(|list| declared.to(list)),
            _ if is_function(node) => {
                let call = for_each(declared, node)?;
                return call
                    .child_by_field_name("function")?
                    .child_by_field_name("object")
                    .map(|list| declared.to(list));
            }
            _ => node = node.parent()?,
        }
    }
}

/// All calls of a function that no other file and no other code gets hold of.
fn calls_of(function: Code<'_>) -> Option<Vec<Code<'_>>> {
    let script = function.script;
    let program = script.tree.root_node();
    if function.node.kind() == "method_definition" {
        let name = script.of(function.node.child_by_field_name("name")?);
        let body = function.node.parent()?;
        return Some(own_calls(function.to(body), name));
    }
    let declared = match function.node.kind() {
        "function_declaration" => function.node,
        _ => function.node.parent().filter(|parent| parent.kind() == "variable_declarator")?,
    };
    let own = declared.child_by_field_name("name")?;
    let mut out = Vec::new();
    for mention in mentions(script, program, script.of(own)) {
        if mention == own {
            continue;
        }
        let call = mention
            .parent()
            .filter(|call| call.kind() == "call_expression" && call.child_by_field_name("function") == Some(mention))?;
        out.push(function.to(call));
    }
    let exported = std::iter::successors(Some(declared), Node::parent).any(|node| node.kind() == "export_statement");
    (!exported).then_some(out)
}

/// The calls of a method on `this`.
fn own_calls<'s>(class: Code<'s>, name: &str) -> Vec<Code<'s>> {
    let mut out = Vec::new();
    let mut stack = vec![class.node];
    while let Some(node) = stack.pop() {
        if node.kind() == "call_expression"
            && node
                .child_by_field_name("function")
                .is_some_and(|callee| class.script.of(callee) == format!("this.{name}"))
        {
            out.push(class.to(node));
        }
        stack.extend(children(node));
    }
    out.sort_by_key(|call| call.node.start_byte());
    out
}

/// What the code of a helper registers on, where the helper is called.
fn handed<'s>(receiver: Code<'s>, function: Code<'s>, call: Code<'s>) -> Option<Code<'s>> {
    let root = receiver.to(root(receiver.node));
    if root.node.kind() == "this" {
        return Some(receiver);
    }
    let declared = declaration(root, root.text())?;
    if !declared.is_local_to(function.node) {
        let there = declaration(call, root.text())?;
        return there.is(declared).then_some(receiver);
    }
    let list = children(function.node.child_by_field_name("parameters")?);
    let index = list.iter().position(|own| {
        let pattern = own.child_by_field_name("pattern").unwrap_or(*own);
        pattern.kind() == "identifier" && binds(function.script, pattern, root.text()).is_some()
    })?;
    if root.node != receiver.node {
        return None;
    }
    let given = children(call.node.child_by_field_name("arguments")?);
    given.get(index).map(|given| call.to(*given))
}

/// The innermost list of statements around all of the nodes.
fn common<'s>(nodes: &[Node<'s>]) -> Option<Node<'s>> {
    let first = nodes.first()?;
    std::iter::successors(first.parent(), Node::parent).find(|block| {
        matches!(block.kind(), "program" | "statement_block" | "switch_case" | "switch_default")
            && nodes.iter().all(|node| {
                block.start_byte() <= node.start_byte() && node.end_byte() <= block.end_byte() && *block != *node
            })
    })
}

/// Whether a statement may end the function that it stands in.
fn leaves(node: Node<'_>) -> bool {
    matches!(node.kind(), "return_statement" | "throw_statement")
        || (!is_function(node) && children(node).into_iter().any(leaves))
}

fn several(call: Code<'_>) -> Refused {
    call.refuse(
        "this registers several tools, and where a tool that is added beside them would be registered only once was not found",
        "register these tools where the server is made, and run again",
    )
}

fn unknown(call: Code<'_>) -> Refused {
    call.refuse("where a tool can be added beside this one was not found", "register it in a statement of its own")
}
