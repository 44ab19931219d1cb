//! Handlers that are methods of an object: what a field of it is where the tools are registered.

use tree_sitter::Node;

use super::work::Work;
use crate::plan::handle::ToolUse;
use crate::render::Refused;
use crate::render::typescript::script::{bare, children};
use crate::render::typescript::scripts::{Code, declaration};

/// What names a field of the object whose method handles a tool, in code beside the registration: `this.store` within the class, and
/// outside of it what the constructor was given for it.
pub fn field(work: &Work<'_>, tool: &ToolUse, field: &str) -> Result<String, Refused> {
    let registration = work.scripts.at(&tool.registration)?;
    let handler = work.scripts.at(&tool.handler)?;
    let class = class_around(handler.node);
    if class.is_some() && registration.script.path == handler.script.path && class_around(registration.node) == class {
        return Ok(format!("this.{field}"));
    }
    let given = class.and_then(|class| given(work, registration, handler.to(class), field));
    given.ok_or_else(|| {
        registration.refuse(
            format!("what `this.{field}` of the handlers is can't be named where the tools are registered"),
            "give the object that handles the tools what it needs in a variable, `new Handlers(store)`, and run again",
        )
    })
}

fn class_around(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.parent(), Node::parent).find(|node| node.kind() == "class_body")
}

/// The argument of the constructor that a field holds, where the object is made in the file of the registration and that is a name there.
fn given(work: &Work<'_>, registration: Code<'_>, class: Code<'_>, field: &str) -> Option<String> {
    let index = parameter_of(class, field)?;
    let call = registration.bare();
    let call = if call.node.kind() == "expression_statement" { call.to(*children(call.node).first()?) } else { call };
    let callback = *children(call.bare().node.child_by_field_name("arguments")?).last()?;
    let object = root(callback)?;
    let made = declaration(call.to(object), call.script.of(object))?.node.child_by_field_name("value").map(bare)?;
    let constructor = call.to(made.child_by_field_name("constructor")?);
    let known = work.scripts.value(constructor)?.node.child_by_field_name("body")? == class.node;
    let argument = *children(made.child_by_field_name("arguments")?).get(index)?;
    let name = root(argument).filter(|_| known && is_name(argument))?;
    let here = declaration(call, call.script.of(name))?;
    let there = declaration(call.to(made), call.script.of(name))?;
    here.is(there).then(|| call.script.of(argument).to_owned())
}

/// The position of the constructor's parameter that a field is: `constructor(private readonly store: Store)`, `this.store = store`.
fn parameter_of(class: Code<'_>, field: &str) -> Option<usize> {
    let script = class.script;
    let own = |node: &Node<'_>| node.child_by_field_name("name").is_some_and(|name| script.of(name) == "constructor");
    let constructor = children(class.node).into_iter().find(own)?;
    let parameters = children(constructor.child_by_field_name("parameters")?);
    let names: Vec<&str> =
        parameters.iter().map(|one| script.of(one.child_by_field_name("pattern").unwrap_or(*one))).collect();
    let kept = |one: &Node<'_>| {
        let mut cursor = one.walk();
        one.children(&mut cursor).any(|part| matches!(part.kind(), "accessibility_modifier" | "readonly"))
    };
    if let Some(index) = names.iter().position(|name| *name == field).filter(|index| kept(&parameters[*index])) {
        return Some(index);
    }
    let body = constructor.child_by_field_name("body")?;
    let wanted = format!("this.{field}");
    children(body).into_iter().find_map(|statement| {
        let assignment = *children(statement).first().filter(|inner| inner.kind() == "assignment_expression")?;
        let target = assignment.child_by_field_name("left").filter(|left| script.of(*left) == wanted);
        let value = target.and(assignment.child_by_field_name("right"))?;
        names.iter().position(|name| *name == script.of(value))
    })
}

/// What a chain of properties and calls begins with, where that is a name.
fn root(node: Node<'_>) -> Option<Node<'_>> {
    let node = bare(node);
    match node.kind() {
        "identifier" => Some(node),
        "member_expression" => root(node.child_by_field_name("object")?),
        "call_expression" => root(node.child_by_field_name("function")?),
        _ => None,
    }
}

fn is_name(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" => true,
        "member_expression" => node.child_by_field_name("object").is_some_and(is_name),
        _ => false,
    }
}
