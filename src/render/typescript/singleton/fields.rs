//! Transports and servers that are fields of a class: `this.transport`, `this.server`, made in the constructor or in a method.

use tree_sitter::Node;

use super::build::Build;
use super::made::{Made, options};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::render::typescript::classes::member_name;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};
use crate::render::{Refused, all};

const TODO: &str = "make server and transport in the handler of each request, with `sessionIdGenerator: undefined`";

/// A field of a class.
struct Field<'t> {
    /// The body of the class.
    class: Node<'t>,
    /// Its name.
    name: &'t str,
    /// Its declaration, where it is written.
    declaration: Option<Node<'t>>,
    /// The statement that gives it its value, where the declaration does not.
    assignment: Option<Node<'t>>,
}

/// The transport that a construction puts into a field. `named` are the places in other files that name it.
pub(super) fn transport<'t>(
    script: &'t Script,
    construction: Node<'t>,
    known: &[Span],
    named: &[Site],
) -> Result<Option<Made<'t>>, Refused> {
    let Some(field) = Field::of_value(script, construction) else { return Ok(None) };
    let mut made = Made::new(field.name.trim_start_matches('#'), construction);
    made.class = construction.child_by_field_name("constructor").map_or("", |class| script.of(class));
    made.options = options(script, construction)?;
    made.gone.extend(field.declaration.into_iter().chain(field.assignment));
    let mut outcomes = Vec::new();
    for used in field.uses(script) {
        let outer = statement(used);
        let seen = |nodes: &[Node<'t>]| nodes.iter().any(|node| span(*node).contains(span(used)));
        if seen(&made.gone) || seen(&made.closed) {
            continue;
        }
        match () {
            () if empties(outer, used) => made.gone.push(outer),
            () if closes_where_set(script, outer, used, field.name) => made.closed.push(outer),
            () if missing(script, outer, used, known, field.assignment) => made.gone.push(outer),
            () => outcomes.push(made.sort_use(script, used, known)),
        }
    }
    all(outcomes)?;
    let around = span(field.class);
    if let Some(other) = named.iter().find(|site| site.path != script.path || !around.contains(site.span)) {
        // Whoever holds it as a parameter or a variable of a method is within the class.
        return Err(Refused {
            at: other.clone(),
            why: "the transport of a class is used outside of it".to_owned(),
            todo: TODO.to_owned(),
            also: Vec::new(),
        });
    }
    Ok(Some(made))
}

/// The server in a field that a call makes, and that is used for nothing but to connect and to close it.
pub(super) fn server(script: &Script, receiver: Node<'_>, used: &[Span]) -> Result<Option<Build>, Refused> {
    let Some(field) = Field::of_use(script, receiver) else { return Ok(None) };
    let value = field.assignment.map_or_else(
        || field.declaration.and_then(|declaration| declaration.child_by_field_name("value")),
        |assignment| assignment.named_child(0)?.child_by_field_name("right"),
    );
    let Some(value) = value.filter(|value| bare(*value).kind() == "call_expression") else { return Ok(None) };
    let mut out = Build {
        call: script.of(value).to_owned(),
        variable: field.name.trim_start_matches('#').to_owned(),
        gone: field.declaration.into_iter().chain(field.assignment).map(span).collect(),
        ..Build::default()
    };
    if let Some(local) = of_its_function(script, bare(value)) {
        return Err(script.refuse(local, "the server is made of something that handlers do not see", TODO));
    }
    let mut outcomes = Vec::new();
    for at in field.uses(script) {
        let outer = statement(at);
        let seen = |spans: &[Span]| spans.iter().any(|known| known.contains(span(at)));
        if seen(used) || seen(&out.gone) || seen(&out.closed) {
            continue;
        }
        let member = at.parent().filter(|parent| parent.child_by_field_name("object") == Some(at));
        let method = member.and_then(|member| member.child_by_field_name("property")).map(|name| script.of(name));
        match method {
            Some("close") if outer.kind() == "expression_statement" => out.closed.push(span(outer)),
            _ if empties(outer, at) => out.gone.push(span(outer)),
            _ if closes_where_set(script, outer, at, field.name) => out.closed.push(span(outer)),
            _ => {
                let why =
                    format!("`{}` is used here: with one server for each request, which one is meant?", script.of(at));
                outcomes.push(Err(script.refuse(at, why, "move it into the function that builds the server")));
            }
        }
    }
    all(outcomes)?;
    Ok(Some(out))
}

impl<'t> Field<'t> {
    /// The field that a construction is the value of.
    fn of_value(script: &'t Script, construction: Node<'t>) -> Option<Self> {
        let parent = construction.parent()?;
        let name = match parent.kind() {
            "assignment_expression" => {
                let target = parent.child_by_field_name("left")?;
                let of_this = target.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
                target.child_by_field_name("property").filter(|_| of_this)?
            }
            "public_field_definition" | "field_definition" => {
                parent.child_by_field_name("name").or_else(|| parent.child_by_field_name("property"))?
            }
            _ => return None,
        };
        Self::named(script, construction, script.of(name))
    }

    /// The field that `this.name` is.
    fn of_use(script: &'t Script, used: Node<'t>) -> Option<Self> {
        Self::named(script, used, script.of(used.child_by_field_name("property")?))
    }

    /// The field of that name in the class around a node; `None` where it gets a value in several places.
    fn named(script: &'t Script, within: Node<'t>, name: &'t str) -> Option<Self> {
        let class = std::iter::successors(Some(within), Node::parent).find(|node| node.kind() == "class_body")?;
        let declaration = children(class)
            .into_iter()
            .find(|member| member.kind().ends_with("field_definition") && member_name(script, *member) == Some(name));
        let mut out = Self { class, name, declaration, assignment: None };
        let values: Vec<Node<'t>> = out
            .uses(script)
            .into_iter()
            .map(statement)
            .zip(out.uses(script))
            .filter(|(outer, used)| sets(*outer, *used) && !empties(*outer, *used))
            .map(|(outer, _)| outer)
            .collect();
        let initial = declaration
            .and_then(|declaration| declaration.child_by_field_name("value"))
            .filter(|value| !matches!(value.kind(), "null" | "undefined"));
        match (values.as_slice(), initial) {
            ([], Some(_)) => Some(out),
            ([only], None) => {
                out.assignment = Some(*only);
                Some(out)
            }
            _ => None,
        }
    }

    /// `this.name` in the class, in source order.
    fn uses(&self, script: &'t Script) -> Vec<Node<'t>> {
        let mut out = Vec::new();
        let mut stack = vec![self.class];
        while let Some(node) = stack.pop() {
            let of_this = node.kind() == "member_expression"
                && node.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
            if of_this && node.child_by_field_name("property").is_some_and(|name| script.of(name) == self.name) {
                out.push(node);
            }
            stack.extend(children(node));
        }
        out.sort_by_key(Node::start_byte);
        out
    }
}

/// Constructors without parameters that do nothing but what is gone.
pub(super) fn hollow_constructors<'t>(script: &Script, gone: &[Node<'t>]) -> Vec<Node<'t>> {
    let around = |node: &Node<'t>| node.parent().filter(|block| block.kind() == "statement_block")?.parent();
    let mut out: Vec<Node<'t>> =
        gone.iter().filter_map(around).filter(|method| method.kind() == "method_definition").collect();
    out.sort_by_key(Node::start_byte);
    out.dedup();
    out.retain(|method| {
        let text = |name: &str| method.child_by_field_name(name).map(children).unwrap_or_default();
        // Only a constructor is called for nothing.
        let constructs = method.child_by_field_name("name").is_some_and(|name| script.of(name) == "constructor");
        constructs && text("parameters").is_empty() && text("body").iter().all(|statement| gone.contains(statement))
    });
    out
}

/// `this.name = …;`
fn sets(outer: Node<'_>, used: Node<'_>) -> bool {
    let assignment = outer.named_child(0).filter(|node| node.kind() == "assignment_expression");
    outer.kind() == "expression_statement"
        && assignment.and_then(|assignment| assignment.child_by_field_name("left")) == Some(used)
}

/// `this.name = undefined;`
fn empties(outer: Node<'_>, used: Node<'_>) -> bool {
    let value = outer.named_child(0).and_then(|assignment| assignment.child_by_field_name("right"));
    sets(outer, used) && value.is_some_and(|value| matches!(value.kind(), "null" | "undefined"))
}

/// `if (this.name) { await this.name.close(); this.name = undefined; }`
fn closes_where_set(script: &Script, outer: Node<'_>, used: Node<'_>, name: &str) -> bool {
    let asks = outer.kind() == "if_statement"
        && outer.child_by_field_name("alternative").is_none()
        && outer.child_by_field_name("condition").is_some_and(|condition| bare(condition) == used);
    let Some(then) = outer.child_by_field_name("consequence").filter(|_| asks) else { return false };
    let statements = if then.kind() == "statement_block" { children(then) } else { vec![then] };
    let (close, empty) = (format!("this.{name}.close()"), format!("this.{name} = "));
    statements.into_iter().all(|statement| {
        let text = script.of(statement).trim_end_matches(';');
        let plain = text.trim_start_matches("await ").trim_start_matches("void ");
        plain == close || text.strip_prefix(&empty).is_some_and(|value| matches!(value, "null" | "undefined"))
    })
}

/// `if (!this.name) { …; return; }`, or one that makes and connects it: there always is one.
fn missing(script: &Script, outer: Node<'_>, used: Node<'_>, known: &[Span], assignment: Option<Node<'_>>) -> bool {
    let condition = outer.child_by_field_name("condition").map(bare).filter(|_| outer.kind() == "if_statement");
    let negated =
        condition.filter(|condition| condition.kind() == "unary_expression" && script.of(*condition).starts_with('!'));
    let asks = negated.and_then(|negated| negated.child_by_field_name("argument")).is_some_and(|of| bare(of) == used);
    let then =
        outer.child_by_field_name("consequence").filter(|_| asks && outer.child_by_field_name("alternative").is_none());
    let statements = match then {
        Some(block) if block.kind() == "statement_block" => children(block),
        Some(only) => vec![only],
        None => return false,
    };
    let leaves = statements.last().is_some_and(|last| matches!(last.kind(), "return_statement" | "throw_statement"));
    let makes = |statement: &Node<'_>| {
        Some(*statement) == assignment
            || script.of(*statement).contains(".connect(") && known.iter().any(|at| span(*statement).contains(*at))
    };
    let within = |at: &Span| span(outer).contains(*at);
    (leaves && !known.iter().any(within) && !assignment.is_some_and(|made| within(&span(made))))
        || (!statements.is_empty() && statements.iter().all(makes))
}

/// A name in an expression that the function around it declares, or a `this`: neither is seen in a handler of another function.
fn of_its_function<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let hidden = match node.kind() {
        "this" => true,
        "identifier" => scope::binding(script, node, script.of(node)).is_some_and(|scope| scope.kind() != "program"),
        _ => false,
    };
    if hidden && enclosing_function(node).is_some() {
        return Some(node);
    }
    children(node).into_iter().find_map(|child| of_its_function(script, child))
}
