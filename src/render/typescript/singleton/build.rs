//! What a transport is connected to: how each request gets a server of its own.

use tree_sitter::Node;

use super::made::Made;
use crate::model::facts::Span;
use crate::plan::singleton::Singleton;
use crate::render::typescript::factory::{self, Factory, Known};
use crate::render::typescript::in_flight::mentions;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, span, statement};
use crate::render::{Change, Files, Refused};

/// How a server is built for a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Build {
    /// The expression that builds one: `buildServer()`, `await createServer(config)`.
    pub call: String,
    /// The same as a function without parameters.
    pub factory: String,
    /// The variable for it.
    pub variable: String,
    /// It is built for each request already.
    pub local: bool,
    /// Statements of the transport's file that go.
    pub gone: Vec<Span>,
    /// Statements of the transport's file that closed the server at shutdown.
    pub closed: Vec<Span>,
    /// Changes, of this file and others.
    pub changes: Vec<Change>,
}

const TODO: &str = "build the server in a function that holds only its construction and its registrations, and call it for each request";

/// The connecting call: its receiver, and the statement that is nothing else.
pub(super) struct Connect<'t> {
    /// What is connected.
    pub receiver: Node<'t>,
    /// The statement.
    pub statement: Node<'t>,
    /// What stands behind the transport: ` as Transport`, or nothing.
    pub cast: &'t str,
}

impl<'t> Connect<'t> {
    /// Looks at `server.connect(transport)`.
    pub fn of(script: &'t Script, at: Span) -> Result<Self, Refused> {
        let gone = || Refused {
            at: crate::plan::Site { path: script.path.clone(), span: at },
            why: "the server is no longer connected here".to_owned(),
            todo: "run again".to_owned(),
        };
        let call = script.node(at).filter(|node| node.kind() == "call_expression").ok_or_else(gone)?;
        let callee = call.child_by_field_name("function").ok_or_else(gone)?;
        let receiver = callee.child_by_field_name("object").ok_or_else(gone)?;
        let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
        let mut outer = call;
        while let Some(parent) = outer.parent().filter(|p| matches!(p.kind(), "await_expression" | "unary_expression")) {
            outer = parent;
        }
        let alone = outer.parent().filter(|parent| parent.kind() == "expression_statement");
        let (Some(statement), [given]) = (alone, arguments.as_slice()) else {
            let todo = "await the call in a statement of its own";
            return Err(script.refuse(call, "more is done with the connection than to await it", todo));
        };
        let inner = bare(*given);
        let cast = &script.text()[inner.end_byte()..given.end_byte()];
        Ok(Self { receiver, statement, cast })
    }
}

/// Finds out how a server is built.
pub(super) fn find(
    script: &Script,
    singleton: &Singleton,
    connect: &Connect<'_>,
    made: &Made<'_>,
    handler: Node<'_>,
    files: &dyn Files,
) -> Result<Build, Refused> {
    let receiver = connect.receiver;
    let inner = bare(receiver);
    match inner.kind() {
        "call_expression" => Ok(called(script, receiver, inner)),
        "identifier" => named(script, singleton, connect, made, handler, inner, files),
        _ => Err(script.refuse(receiver, "how this server is made is not seen here", TODO)),
    }
}

/// `createServer().connect(transport)`: made where it is connected.
fn called(script: &Script, receiver: Node<'_>, call: Node<'_>) -> Build {
    let text = script.of(receiver).trim_start_matches('(').to_owned();
    let text = if script.of(receiver).starts_with('(') { text.strip_suffix(')').unwrap_or(&text).to_owned() } else { text };
    Build { factory: factory_of(script, call, &text), call: text, variable: String::new(), local: true, ..Build::default() }
}

/// A function without parameters that builds what an expression builds.
fn factory_of(script: &Script, call: Node<'_>, text: &str) -> String {
    let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "identifier");
    let bare_call = call.child_by_field_name("arguments").is_some_and(|arguments| children(arguments).is_empty());
    match callee.filter(|_| bare_call) {
        Some(callee) => script.of(callee).to_owned(),
        None => format!("() => {}", text.trim_start_matches("await ")),
    }
}

fn named(
    script: &Script,
    singleton: &Singleton,
    connect: &Connect<'_>,
    made: &Made<'_>,
    handler: Node<'_>,
    receiver: Node<'_>,
    files: &dyn Files,
) -> Result<Build, Refused> {
    let name = script.of(receiver);
    let Some(declared) = scope::declaration(script, receiver, name) else {
        return Err(script.refuse(receiver, format!("`{name}` is not declared here"), TODO));
    };
    if std::iter::successors(declared.parent(), Node::parent).any(|node| node.kind() == "import_statement") {
        return imported(script, singleton, connect, declared, files);
    }
    let declarator = declared.parent().filter(|parent| parent.kind() == "variable_declarator");
    let Some(value) = declarator.and_then(|declarator| declarator.child_by_field_name("value")) else {
        let why = format!("`{name}` is handed in, or gets its value later: which server it is can't be told here");
        return Err(script.refuse(declared, why, TODO));
    };
    let local = span(handler).contains(span(declared));
    let construct = bare(value);
    if local && made_in(handler, made) {
        let call = script.of(value).to_owned();
        let factory = if construct.kind() == "call_expression" {
            factory_of(script, construct, &call)
        } else {
            String::new()
        };
        let gone = vec![span(statement(declared))];
        return Ok(Build { call, factory, variable: name.to_owned(), local: true, gone, ..Build::default() });
    }
    match construct.kind() {
        "new_expression" if span(construct) == singleton.server.span && script.path == singleton.server.path => {
            let gone = [span(connect.statement)];
            let registrars = registrars(singleton, &script.path);
            let known = Known { gone: &gone, registrars: &registrars, exported: false };
            let factory = factory::extract(script, construct, &known)?;
            Ok(of_factory(factory))
        }
        "call_expression" => once_called(script, connect, declared, value, construct),
        _ => Err(script.refuse(value, "how this server is made is not seen here", TODO)),
    }
}

fn made_in(handler: Node<'_>, made: &Made<'_>) -> bool {
    span(handler).contains(span(made.statement))
}

fn registrars(singleton: &Singleton, path: &str) -> Vec<Span> {
    singleton.registrars.iter().filter(|site| site.path == path).map(|site| site.span).collect()
}

fn of_factory(factory: Factory) -> Build {
    Build {
        factory: factory.name,
        call: factory.call,
        variable: factory.server,
        local: false,
        gone: Vec::new(),
        closed: factory.closed,
        changes: factory.changes,
    }
}

/// `const server = createServer();` for the whole process: each request calls the function itself.
fn once_called(
    script: &Script,
    connect: &Connect<'_>,
    declared: Node<'_>,
    value: Node<'_>,
    call: Node<'_>,
) -> Result<Build, Refused> {
    let name = script.of(declared);
    let owner = statement(declared);
    if owner.kind() == "export_statement" || declared.kind() != "identifier" {
        return Err(script.refuse(owner, format!("`{name}` is exported, or taken apart where it is made"), TODO));
    }
    let mut out = Build {
        call: script.of(value).to_owned(),
        variable: name.to_owned(),
        gone: vec![span(owner)],
        ..Build::default()
    };
    out.factory = factory_of(script, call, &out.call);
    for used in scope::uses(script, declared) {
        if span(connect.statement).contains(span(used)) {
            continue;
        }
        let member = used.parent().filter(|parent| parent.kind() == "member_expression");
        let property = member.and_then(|member| member.child_by_field_name("property"));
        let alone = statement(used);
        match property.map(|property| script.of(property)) {
            Some("close") if alone.kind() == "expression_statement" => out.closed.push(span(alone)),
            Some("connect") => out.changes.push(script.change(span(used), format!("({})", out.call))),
            _ => {
                let why = format!("`{name}` is used here: with one server for each request, which one is meant?");
                return Err(script.refuse(used, why, "move it into the function that builds the server"));
            }
        }
    }
    Ok(out)
}

/// The server of another file.
fn imported(
    script: &Script,
    singleton: &Singleton,
    connect: &Connect<'_>,
    declared: Node<'_>,
    files: &dyn Files,
) -> Result<Build, Refused> {
    let name = script.of(declared);
    let specifier = declared.parent().filter(|parent| parent.kind() == "import_specifier");
    let Some(specifier) = specifier else {
        return Err(script.refuse(declared, format!("`{name}` is imported as a whole or as a default"), TODO));
    };
    let mut closed = Vec::new();
    for used in scope::uses(script, declared) {
        if span(connect.statement).contains(span(used)) {
            continue;
        }
        let alone = statement(used);
        let closes = alone.kind() == "expression_statement" && script.of(alone).contains(&format!("{name}.close("));
        if !closes {
            let why = format!("`{name}` is used here: with one server for each request, which one is meant?");
            return Err(script.refuse(used, why, "decide what this should do without a server of the process"));
        }
        closed.push(span(alone));
    }
    let import = statement(declared);
    let others = |site: &&crate::plan::Site| site.path != script.path || site.span != span(import);
    if let Some(other) = singleton.importers.iter().find(others) {
        return Err(Refused {
            at: other.clone(),
            why: format!("`{name}` is used by this file too: with one server for each request, which one is meant?"),
            todo: TODO.to_owned(),
        });
    }
    let home = Script::open(files, &singleton.server.path)?;
    let Some(made) = home.node(singleton.server.span).filter(|node| node.kind() == "new_expression") else {
        return Err(script.refuse(declared, format!("how `{name}` is made is not seen"), TODO));
    };
    let registrars = registrars(singleton, &home.path);
    let known = Known { gone: &[], registrars: &registrars, exported: true };
    let factory = factory::extract(&home, made, &known)?;
    if mentions(script.text(), &factory.name) {
        return Err(script.refuse(specifier, format!("`{}` means something else here", factory.name), TODO));
    }
    if let Some(at) = factory.closed.first() {
        let at = crate::plan::Site { path: home.path.clone(), span: *at };
        return Err(Refused { at, why: "the server is closed here".to_owned(), todo: TODO.to_owned() });
    }
    let mut build = of_factory(factory);
    build.changes = crate::render::typescript::prune::prune(&home, build.changes);
    build.changes.push(script.change(span(specifier), build.factory.clone()));
    build.closed = closed;
    build.variable = name.to_owned();
    Ok(build)
}
