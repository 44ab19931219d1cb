//! How a transport is made: its variable, its options, and what else uses it.

use tree_sitter::Node;

use crate::model::facts::Span;
use crate::render::typescript::entry::Generator;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, span, statement};
use crate::render::{Change, Refused, all};

/// Options that have no meaning without sessions.
const OF_SESSIONS: &[&str] =
    &["sessionIdGenerator", "onsessioninitialized", "onsessionclosed", "eventStore", "retryInterval"];

/// A transport as it is made.
pub(super) struct Made<'t> {
    /// The statement that declares its variable; `None` where it is imported.
    pub statement: Option<Node<'t>>,
    /// The variable.
    pub name: &'t str,
    /// `new X(…)`, or what stands for it in the file of the handlers.
    pub construction: Node<'t>,
    /// What is constructed.
    pub class: &'t str,
    /// The expression that makes it, where a function does.
    pub call: Option<String>,
    /// The function that makes it connects it too.
    pub connected: bool,
    /// Changes where it is made, beside those in the place of its statement.
    pub changes: Vec<Change>,
    /// Further statements that go: fields, and what empties them.
    pub gone: Vec<Node<'t>>,
    /// Options that stay, each as written.
    pub options: Vec<String>,
    /// Statements that set its hooks: they go where it is made.
    pub hooks: Vec<Node<'t>>,
    /// Statements that close it at shutdown.
    pub closed: Vec<Node<'t>>,
}

impl<'t> Made<'t> {
    /// Looks at the transport that is constructed at a place. `connects` and `handles` are the uses that are known.
    pub fn of(script: &'t Script, at: Span, known: &[Span]) -> Result<Self, Refused> {
        let gone = || Refused {
            at: crate::plan::Site { path: script.path.clone(), span: at },
            why: "the transport is no longer where it was".to_owned(),
            todo: "run again".to_owned(),
            also: Vec::new(),
        };
        let construction = script.node(at).filter(|node| node.kind() == "new_expression").ok_or_else(gone)?;
        let declarator = construction.parent().filter(|parent| parent.kind() == "variable_declarator");
        let name = declarator.and_then(|declarator| declarator.child_by_field_name("name"));
        let todo = "make server and transport in the handler of each request, with `sessionIdGenerator: undefined`";
        let Some(name) = name.filter(|name| name.kind() == "identifier") else {
            return Err(script.refuse(
                construction,
                "the transport is not the value of a variable of its own here",
                todo,
            ));
        };
        let owner = statement(name);
        if children(owner).len() != 1 || owner.kind() == "export_statement" {
            return Err(script.refuse(
                owner,
                "the transport is declared together with something else, or exported",
                todo,
            ));
        }
        let class = construction.child_by_field_name("constructor").map_or("", |class| script.of(class));
        let mut made = Self::new(script.of(name), construction);
        (made.statement, made.class, made.options) = (Some(owner), class, options(script, construction)?);
        all(scope::uses(script, name).into_iter().map(|used| made.sort_use(script, used, known)))?;
        Ok(made)
    }

    /// A transport of which nothing else is known yet.
    pub(super) fn new(name: &'t str, construction: Node<'t>) -> Self {
        Self {
            statement: None,
            name,
            construction,
            class: "",
            call: None,
            connected: false,
            changes: Vec::new(),
            gone: Vec::new(),
            options: Vec::new(),
            hooks: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Says what becomes of a use, or refuses.
    pub(super) fn sort_use(&mut self, script: &Script, used: Node<'t>, known: &[Span]) -> Result<(), Refused> {
        if known.iter().any(|known| known.contains(span(used))) {
            return Ok(());
        }
        let member = used.parent().filter(|parent| {
            parent.kind() == "member_expression" && parent.child_by_field_name("object") == Some(used)
        });
        let property = member.and_then(|member| member.child_by_field_name("property"));
        let outer = statement(used);
        let alone = outer.kind() == "expression_statement";
        match property.map(|property| script.of(property)) {
            Some("onclose" | "onerror") if alone && sets(outer, member) => self.hooks.push(outer),
            Some("close") if alone && calls(outer, member) => self.closed.push(outer),
            None if alone && kept_unread(script, used, outer) => self.gone.push(outer),
            _ => {
                let why = format!("`{}` is used here for something other than answering requests", script.of(used));
                return Err(script.refuse(used, why, "decide what this should do with one transport for each request"));
            }
        }
        Ok(())
    }
}

/// `active = transport;` of a variable that nothing reads.
fn kept_unread(script: &Script, used: Node<'_>, outer: Node<'_>) -> bool {
    let assignment = outer.named_child(0).filter(|node| node.kind() == "assignment_expression");
    let Some(assignment) = assignment.filter(|node| node.child_by_field_name("right") == Some(used)) else {
        return false;
    };
    let target = assignment.child_by_field_name("left").filter(|target| target.kind() == "identifier");
    let declared = target.and_then(|target| scope::declaration(script, target, script.of(target)));
    let Some(declared) = declared.filter(|declared| statement(*declared).kind() != "export_statement") else {
        return false;
    };
    scope::uses(script, declared).into_iter().all(|use_of| {
        let set = use_of.parent().filter(|parent| parent.child_by_field_name("left") == Some(use_of));
        use_of == declared
            || set.is_some_and(|set| {
                set.kind() == "assignment_expression"
                    && set.parent().is_some_and(|whole| whole.kind() == "expression_statement")
            })
    })
}

/// A construction with other options: the changes in its place.
pub(super) fn without_sessions(script: &Script, construction: Node<'_>, generator: Generator) -> Vec<(Span, String)> {
    let Some(arguments) = construction.child_by_field_name("arguments") else { return Vec::new() };
    let Some(object) = children(arguments).first().copied().filter(|node| node.kind() == "object") else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for field in children(object) {
        let name = key(script, field).unwrap_or_default();
        match (name, generator) {
            ("sessionIdGenerator", Generator::Undefined) => {
                let text = match field.child_by_field_name("value") {
                    Some(value) => (span(value), "undefined".to_owned()),
                    None => (span(field), "sessionIdGenerator: undefined".to_owned()),
                };
                out.push(text);
            }
            (name, _) if OF_SESSIONS.contains(&name) => out.push((field_removal(script, field), String::new())),
            _ => {}
        }
    }
    out
}

/// The options that stay.
pub(super) fn options(script: &Script, construction: Node<'_>) -> Result<Vec<String>, Refused> {
    let arguments = construction.child_by_field_name("arguments").map(children).unwrap_or_default();
    let object = match arguments.as_slice() {
        [] => return Ok(Vec::new()),
        [one] if one.kind() == "object" => *one,
        [first, ..] => {
            let todo = "write the options where the transport is constructed";
            return Err(script.refuse(*first, "the options of the transport are made elsewhere", todo));
        }
    };
    let mut out = Vec::new();
    for field in children(object) {
        match key(script, field) {
            Some(name) if OF_SESSIONS.contains(&name) => {}
            Some(_) => out.push(script.of(field).to_owned()),
            None => {
                let todo = "write each option out";
                return Err(script.refuse(field, "some options of the transport are made elsewhere", todo));
            }
        }
    }
    Ok(out)
}

/// The name of a field of an object literal.
pub(super) fn key<'t>(script: &'t Script, field: Node<'t>) -> Option<&'t str> {
    let name = match field.kind() {
        "pair" => field.child_by_field_name("key")?,
        "method_definition" => field.child_by_field_name("name")?,
        "shorthand_property_identifier" => field,
        _ => return None,
    };
    (name.kind() != "computed_property_name").then(|| script.of(name).trim_matches(['\'', '"']))
}

/// A field with its comma, and its line where it has one to itself.
fn field_removal(script: &Script, field: Node<'_>) -> Span {
    let text = script.text();
    let mut end = field.end_byte();
    let rest = &text[end..];
    let blank = rest.len() - rest.trim_start().len();
    if rest[blank..].starts_with(',') {
        end += blank + 1;
    }
    let start = script.line_start(field.start_byte());
    let line_end = script.line_end(end);
    if text[start..field.start_byte()].trim().is_empty() && text[end..line_end].trim().is_empty() {
        return Span::new(start, line_end);
    }
    let space = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    Span::new(field.start_byte(), end + space)
}

fn sets(outer: Node<'_>, member: Option<Node<'_>>) -> bool {
    let assignment = outer.named_child(0).filter(|node| node.kind() == "assignment_expression");
    assignment.and_then(|assignment| assignment.child_by_field_name("left")) == member
}

fn calls(outer: Node<'_>, member: Option<Node<'_>>) -> bool {
    let mut node = outer.named_child(0);
    while let Some(inner) = node {
        if inner.kind() == "call_expression" {
            return inner.child_by_field_name("function") == member;
        }
        if !matches!(inner.kind(), "await_expression" | "unary_expression") {
            return false;
        }
        node = inner.named_child(0);
    }
    false
}
