//! A server that is a field of a class: an instance for each request, where making one does nothing but register.

use tree_sitter::Node;

use super::build::{Build, TODO};
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::typescript::classes::{self, member_name};
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, span};

/// What must not happen once for each request.
const LASTING: &[&str] =
    &["process.on(", "process.once(", "setInterval(", "setTimeout(", ".listen(", "spawn(", "await "];

/// How a server that is `this.field` is built for a request. What is `gone` is no longer done.
pub(super) fn of_field(script: &Script, field: Node<'_>, gone: &[Span]) -> Result<Build, Refused> {
    let refuse = |node: Node<'_>, why: &str| Err(script.refuse(node, why, TODO));
    let Some(class) = std::iter::successors(field.parent(), Node::parent).find(|node| is_class(*node)) else {
        return refuse(field, "the class of this server is not seen here");
    };
    let Some(name) = class.child_by_field_name("name") else {
        return refuse(class, "the class of this server has no name");
    };
    let property = field.child_by_field_name("property").map_or("", |property| script.of(property));
    let constructor = class.child_by_field_name("body").and_then(|body| classes::constructor(script, body));
    let parameters = constructor.and_then(|constructor| constructor.child_by_field_name("parameters"));
    if let Some(parameter) = parameters.map(children).unwrap_or_default().first() {
        return refuse(*parameter, "the class is constructed with arguments");
    }
    only_registers(script, class, &Kept { property, gone })?;
    let call = format!("new {}().{property}", script.of(name));
    Ok(Build {
        factory: format!("() => {call}"),
        call,
        variable: property.trim_start_matches('#').to_owned(),
        ..Build::default()
    })
}

/// Checks that an instance of a class can be made for each request: making one constructs the server, registers, and does nothing else.
/// Answers whether it has a method that closes it.
pub(super) fn may_be_made_anew(script: &Script, construction: Node<'_>, server: Span) -> Result<bool, Refused> {
    let refuse = |node: Node<'_>, why: &str| Err(script.refuse(node, why, TODO));
    let constructed = construction.child_by_field_name("constructor").filter(|name| name.kind() == "identifier");
    let declared = constructed.and_then(|name| scope::declaration(script, name, script.of(name)));
    let class = declared.and_then(|name| name.parent()).filter(|class| is_class(*class));
    let Some((class, body)) = class.and_then(|class| Some((class, class.child_by_field_name("body")?))) else {
        return refuse(construction, "the class of this server is not seen here");
    };
    let given = construction.child_by_field_name("arguments").map(children).unwrap_or_default();
    if let Some(made) = given.into_iter().find(|given| makes(*given)) {
        return Err(script.refuse(
            made,
            "this is made for the object around the server, and would be made for each request",
            "make it once, in a variable of its own, and hand that in",
        ));
    }
    let of_field = children(body).into_iter().find(|member| span(*member).contains(server));
    let of_field = of_field.filter(|member| member.kind().ends_with("field_definition"));
    let constructor = classes::constructor(script, body).and_then(|own| own.child_by_field_name("body"));
    let set = constructor.map(children).unwrap_or_default().into_iter().find(|own| span(*own).contains(server));
    let property = of_field
        .and_then(|member| member_name(script, member))
        .or_else(|| set.and_then(|own| assigned(script, own)).map(|(target, _)| target));
    only_registers(script, class, &Kept { property: property.unwrap_or_default(), gone: &[] })?;
    Ok(children(body).into_iter().any(|member| member_name(script, member) == Some("close")))
}

fn is_class(node: Node<'_>) -> bool {
    matches!(node.kind(), "class_declaration" | "abstract_class_declaration")
}

/// Checks that making an instance of a class makes nothing but the server, and does nothing that lasts.
fn only_registers(script: &Script, class: Node<'_>, kept: &Kept<'_>) -> Result<(), Refused> {
    let refuse = |node: Node<'_>, why: &str| Err(script.refuse(node, why, TODO));
    if children(class).iter().any(|child| child.kind() == "class_heritage" && script.of(*child).contains("extends")) {
        return refuse(class, "the class extends another, whose constructor is not seen here");
    }
    let Some(body) = class.child_by_field_name("body") else { return Ok(()) };
    for member in children(body).into_iter().filter(|member| member.kind().ends_with("field_definition")) {
        if member_name(script, member) != Some(kept.property)
            && !kept.gone.contains(&span(member))
            && let Some(value) = member.child_by_field_name("value").filter(|value| makes(*value))
        {
            return refuse(value, "each instance makes this for itself; it should be one for the process");
        }
    }
    match classes::constructor(script, body) {
        Some(constructor) => registers(script, body, constructor, kept, &mut Vec::new()),
        None => Ok(()),
    }
}

/// What the constructor may make: the server's field, and what is not made any more.
struct Kept<'a> {
    property: &'a str,
    gone: &'a [Span],
}

/// Whether a method, and the methods that it calls, do nothing that lasts.
fn registers<'t>(
    script: &'t Script,
    body: Node<'t>,
    method: Node<'t>,
    kept: &Kept<'_>,
    seen: &mut Vec<Node<'t>>,
) -> Result<(), Refused> {
    if seen.contains(&method) {
        return Ok(());
    }
    seen.push(method);
    let Some(block) = method.child_by_field_name("body") else { return Ok(()) };
    for statement in children(block).into_iter().filter(|statement| !kept.gone.contains(&span(*statement))) {
        // What stands in a function runs later: a handler, in most cases.
        let now = outside_of_functions(script, statement);
        if let Some(word) = LASTING.iter().find(|word| now.contains(**word)) {
            let why = format!(
                "constructing the class does this too (`{}`): it must not happen for each request",
                word.trim()
            );
            return Err(script.refuse(statement, why, "move it out of the constructor, into the method that serves"));
        }
        if let Some((target, value)) = assigned(script, statement)
            && target != kept.property
            && makes(value)
        {
            let why = "each instance makes this for itself; it should be one for the process";
            return Err(script.refuse(value, why, TODO));
        }
        for called in children(body) {
            let calls = member_name(script, called).is_some_and(|name| now.contains(&format!("this.{name}(")));
            if calls && called.kind() == "method_definition" {
                registers(script, body, called, kept, seen)?;
            }
        }
    }
    Ok(())
}

/// `this.target = value;`
fn assigned<'t>(script: &'t Script, statement: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    let assignment = statement.named_child(0).filter(|node| node.kind() == "assignment_expression")?;
    let target = assignment.child_by_field_name("left")?;
    let of_this = target.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
    let property = target.child_by_field_name("property").filter(|_| of_this)?;
    Some((script.of(property), assignment.child_by_field_name("right")?))
}

/// Whether a value is made by a construction or a call.
fn makes(value: Node<'_>) -> bool {
    matches!(bare(value).kind(), "new_expression" | "call_expression" | "object" | "array")
}

/// The text of a node without the functions in it.
fn outside_of_functions(script: &Script, node: Node<'_>) -> String {
    let mut out = String::new();
    let mut at = node.start_byte();
    let mut stack = vec![node];
    let mut inner: Vec<(usize, usize)> = Vec::new();
    while let Some(node) = stack.pop() {
        match crate::render::typescript::script::is_function(node) {
            true => inner.push((node.start_byte(), node.end_byte())),
            false => stack.extend(children(node)),
        }
    }
    inner.sort_unstable();
    for (start, end) in inner {
        out.push_str(&script.text()[at..start]);
        at = end;
    }
    out.push_str(&script.text()[at..node.end_byte()]);
    out
}
