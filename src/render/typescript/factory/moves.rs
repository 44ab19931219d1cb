//! Which statements belong to a server: those that register with it, and those that only these use. Anything else that uses it is a
//! reason to refuse.

use tree_sitter::Node;

use super::{Known, speaks_of, uses_within};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, is_function, is_statement, span};

/// What has to be done about the statements around a server.
pub(super) struct Moved<'t> {
    /// Statements that move into the factory, the server's declaration among them, in source order.
    pub statements: Vec<Node<'t>>,
    /// Receivers of `connect` to other transports, which get a server of their own.
    pub connected: Vec<Node<'t>>,
    /// Statements that close the server.
    pub closed: Vec<Node<'t>>,
}

/// Methods that register, or say how the server reacts.
const REGISTERS: &[&str] = &[
    "registerTool",
    "tool",
    "registerResource",
    "resource",
    "registerPrompt",
    "prompt",
    "setRequestHandler",
    "setNotificationHandler",
    "removeRequestHandler",
    "registerCapabilities",
    "addTool",
];

/// Hooks that may be set.
const HOOKS: &[&str] =
    &["onerror", "onclose", "oninitialized", "fallbackRequestHandler", "fallbackNotificationHandler"];

/// Array methods whose callbacks run at once.
const AT_ONCE: &[&str] = &["forEach", "map", "entries", "filter"];

/// How a use of a name stands in its statement.
enum Form<'t> {
    /// It registers, or is part of what is registered.
    Registers,
    /// It connects another transport: the receiver.
    Connects(Node<'t>),
    /// It closes the server: the statement.
    Closes(Node<'t>),
    /// It goes anyway.
    Gone,
    /// Something else.
    Other,
}

pub(super) fn find<'t>(
    script: &'t Script,
    declaration: Node<'t>,
    name: Node<'t>,
    known: &Known<'_>,
) -> Result<Moved<'t>, Refused> {
    let block = declaration.parent().unwrap_or(declaration);
    let mut moved = Moved { statements: vec![declaration], connected: Vec::new(), closed: Vec::new() };
    let mut names: Vec<Node<'t>> = vec![name];
    let mut at = 0;
    while at < names.len() {
        let declared = names[at];
        at += 1;
        let words = [script.of(declared).to_owned()];
        for statement in children(block).into_iter().filter(|node| is_statement(*node)) {
            if moved.statements.contains(&statement) || !speaks_of(script, statement, &words) {
                continue;
            }
            if take(script, statement, declared, declared == name, known, &mut moved)? {
                moved.statements.push(statement);
                names.extend(scope::declared_by(statement));
            }
        }
    }
    moved.statements.sort_by_key(Node::start_byte);
    Ok(moved)
}

/// Looks at one statement; whether it moves.
fn take<'t>(
    script: &'t Script,
    statement: Node<'t>,
    declared: Node<'t>,
    is_server: bool,
    known: &Known<'_>,
    moved: &mut Moved<'t>,
) -> Result<bool, Refused> {
    let name = script.of(declared);
    let (mut registers, mut elsewhere) = (false, None);
    for used in uses_within(script, declared, statement) {
        match form(script, used, statement, is_server, known) {
            Form::Registers => registers = true,
            Form::Gone => {}
            Form::Connects(receiver) => {
                elsewhere = Some(used);
                moved.connected.push(receiver);
            }
            Form::Closes(closing) => {
                elsewhere = Some(used);
                moved.closed.push(closing);
            }
            Form::Other => return Err(refused(script, used, name)),
        }
    }
    if !registers {
        return Ok(false);
    }
    if let Some(leaving) = leaves(statement) {
        let why = "this leaves the function around it, which registering alone must not";
        return Err(script.refuse(leaving, why, "keep the registrations apart from what decides whether to go on"));
    }
    if let Some(used) = elsewhere {
        let why = format!("`{name}` is registered with and served in one statement");
        return Err(script.refuse(used, why, "keep the registrations apart from what serves"));
    }
    let movable = matches!(
        statement.kind(),
        "expression_statement"
            | "for_statement"
            | "for_in_statement"
            | "if_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "function_declaration"
    );
    match movable {
        true => Ok(true),
        false => Err(refused(script, statement, name)),
    }
}

/// A `return` that belongs to the function around a statement.
fn leaves(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "return_statement" => Some(node),
        _ if is_function(node) => None,
        _ => children(node).into_iter().find_map(leaves),
    }
}

fn refused(script: &Script, at: Node<'_>, name: &str) -> Refused {
    let why = format!(
        "`{name}` is used here for something other than registering: with one server for each request, which one is meant?"
    );
    script.refuse(at, why, "decide what this should do without a server of the process, then run again")
}

fn form<'t>(script: &'t Script, used: Node<'t>, statement: Node<'t>, is_server: bool, known: &Known<'_>) -> Form<'t> {
    let at = span(used);
    if known.gone.iter().any(|gone| gone.contains(at)) {
        return Form::Gone;
    }
    let (outer, path) = members(script, used);
    let called = outer
        .parent()
        .filter(|call| call.kind() == "call_expression" && call.child_by_field_name("function") == Some(outer));
    if is_server && let Some(call) = called {
        match path.last().map(String::as_str) {
            Some("connect") => return Form::Connects(used),
            Some("close") => {
                return closing(call).map_or(Form::Other, Form::Closes);
            }
            _ => {}
        }
    }
    if !at_once(script, used, statement, known) {
        return Form::Other;
    }
    // What registering gave back is switched, or a function that registers is called.
    let follows = !is_server && called.is_some();
    if follows || within_registration(script, used, statement, known) {
        return Form::Registers;
    }
    let registers = called.is_some() && path.last().is_some_and(|last| REGISTERS.contains(&last.as_str()));
    let hooks = outer.parent().is_some_and(|parent| {
        parent.kind() == "assignment_expression" && parent.child_by_field_name("left") == Some(outer)
    }) && path.last().is_some_and(|last| HOOKS.contains(&last.as_str()));
    let given = path.is_empty() && registrar(used, known).is_some();
    if registers || hooks || given { Form::Registers } else { Form::Other }
}

/// The chain of members that begins at a name: `server.server.onerror`.
fn members<'t>(script: &'t Script, used: Node<'t>) -> (Node<'t>, Vec<String>) {
    let (mut outer, mut path) = (used, Vec::new());
    while let Some(parent) = outer
        .parent()
        .filter(|parent| parent.kind() == "member_expression" && parent.child_by_field_name("object") == Some(outer))
    {
        path.extend(parent.child_by_field_name("property").map(|property| script.of(property).to_owned()));
        outer = parent;
    }
    (outer, path)
}

/// The statement that does nothing but this call.
fn closing(call: Node<'_>) -> Option<Node<'_>> {
    let mut at = call;
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "await_expression" | "unary_expression" | "parenthesized_expression" => at = parent,
            "expression_statement" => return Some(parent),
            _ => return None,
        }
    }
    None
}

/// The registrar's call that a name is given to.
fn registrar<'t>(used: Node<'t>, known: &Known<'_>) -> Option<Node<'t>> {
    let call = used.parent().filter(|parent| parent.kind() == "arguments")?.parent()?;
    known.registrars.contains(&span(call)).then_some(call)
}

/// The functions around a node, within a statement.
fn functions_between<'t>(used: Node<'t>, statement: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    std::iter::successors(used.parent(), Node::parent)
        .take_while(move |node| *node != statement)
        .filter(|node| is_function(*node))
}

/// Whether a use runs when its statement does, or when what it registers is called: not in a timer, a route, a listener.
fn at_once(script: &Script, used: Node<'_>, statement: Node<'_>, known: &Known<'_>) -> bool {
    functions_between(used, statement).all(|function| {
        let Some(parent) = function.parent() else { return false };
        match parent.kind() {
            // The statement declares the function; whoever calls it is looked at in turn.
            "variable_declarator" => parent.parent().is_some_and(|list| list == statement),
            "arguments" => parent.parent().is_some_and(|call| {
                let callee = call.child_by_field_name("function");
                let method = callee.and_then(|callee| callee.child_by_field_name("property"));
                let method = method.map_or("", |method| script.of(method));
                AT_ONCE.contains(&method) || REGISTERS.contains(&method) || known.registrars.contains(&span(call))
            }),
            // A handler in an object that is registered.
            "pair" | "object" => within_registration(script, function, statement, known),
            "assignment_expression" => parent
                .child_by_field_name("left")
                .and_then(|left| left.child_by_field_name("property"))
                .is_some_and(|hook| HOOKS.contains(&script.of(hook))),
            _ => within_registration(script, function, statement, known),
        }
    })
}

/// Whether a node is part of the arguments of a registration.
fn within_registration(script: &Script, node: Node<'_>, statement: Node<'_>, known: &Known<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent).take_while(|parent| *parent != statement).any(|parent| {
        let call = parent.parent().filter(|call| parent.kind() == "arguments" && call.kind() == "call_expression");
        let Some(call) = call else { return false };
        let method = call.child_by_field_name("function").map(bare).and_then(|f| f.child_by_field_name("property"));
        let registers = method.is_some_and(|method| REGISTERS.contains(&script.of(method)));
        let nested = std::iter::successors(node.parent(), Node::parent)
            .take_while(|inner| *inner != call)
            .any(|inner| is_function(inner));
        (registers || known.registrars.contains(&span(call))) && (nested || is_function(node))
    })
}
