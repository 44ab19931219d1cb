//! What a transport is connected to: how each request gets a server of its own.

use tree_sitter::Node;

use super::made::Made;
use super::{class, fields, handed};
use crate::model::facts::Span;
use crate::plan::origins::Origin;
use crate::plan::singleton::Singleton;
use crate::render::typescript::factory::{self, Factory, Known};
use crate::render::typescript::in_flight::mentions;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, span, statement};
use crate::render::{Change, Files, Refused, all};

/// How a server is built for a request.
#[derive(Clone, Debug, Default)]
pub struct Build {
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
    /// Statements of the transport's file that become others.
    pub kept: Vec<Span>,
    /// Statements of the transport's file that closed the server at shutdown.
    pub closed: Vec<Span>,
    /// Changes, of this file and others.
    pub changes: Vec<Change>,
    /// What builds it is around the server and has no way to close it: the transport is closed.
    pub closes_transport: bool,
    /// A comment goes with them.
    pub drops_comment: bool,
    /// Log lines that told of the connection go with them.
    pub drops_log: bool,
}

pub(super) const TODO: &str = "build the server in a function that holds only its construction and its registrations, and call it for each request";

/// The connecting call: its receiver, and the statement that is nothing else.
pub(super) struct Connect<'t> {
    /// What is connected.
    pub receiver: Node<'t>,
    /// The method that does it: `connect`, unless an object of the program is around the server.
    pub method: &'t str,
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
            also: Vec::new(),
        };
        let call = script.node(at).filter(|node| node.kind() == "call_expression").ok_or_else(gone)?;
        let callee = call.child_by_field_name("function").ok_or_else(gone)?;
        let receiver = callee.child_by_field_name("object").ok_or_else(gone)?;
        let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
        let mut outer = call;
        while let Some(parent) = outer.parent().filter(|p| matches!(p.kind(), "await_expression" | "unary_expression"))
        {
            outer = parent;
        }
        let alone = outer.parent().filter(|parent| parent.kind() == "expression_statement");
        let (Some(statement), [given]) = (alone, arguments.as_slice()) else {
            let todo = "await the call in a statement of its own";
            return Err(script.refuse(call, "more is done with the connection than to await it", todo));
        };
        let inner = bare(*given);
        let cast = &script.text()[inner.end_byte()..given.end_byte()];
        let method = callee.child_by_field_name("property").map_or("connect", |name| script.of(name));
        Ok(Self { receiver, method, statement, cast })
    }
}

/// Finds out how a server is built. `connecting` is the code that connects it, and goes.
pub(super) fn find(
    script: &Script,
    singleton: &Singleton,
    connect: &Connect<'_>,
    connecting: &[Span],
    made: &Made<'_>,
    handler: Node<'_>,
    files: &dyn Files,
) -> Result<Build, Refused> {
    let receiver = connect.receiver;
    let inner = bare(receiver);
    match inner.kind() {
        "call_expression" => Ok(called(script, receiver, inner)),
        "member_expression" if inner.child_by_field_name("object").is_some_and(|object| object.kind() == "this") => {
            let used = [connecting.to_vec(), made.gone.iter().map(|gone| span(*gone)).collect()].concat();
            of_this(script, inner, &used)
        }
        "identifier" => {
            let site = Place {
                wrapped: singleton.wrapped.then_some(connect.method),
                script,
                origin: &singleton.origin,
                files,
                used: connecting,
            };
            let within = made_in(handler, made).then_some(handler);
            named(&site, inner, within)
        }
        _ => Err(script.refuse(receiver, "how this server is made is not seen here", TODO)),
    }
}

/// A server in a field: what its call makes, or what another instance of the class makes.
pub(in crate::render::typescript) fn of_this(
    script: &Script,
    field: Node<'_>,
    used: &[Span],
) -> Result<Build, Refused> {
    match fields::server(script, field, used)? {
        Some(build) => Ok(build),
        None => class::of_field(script, field, used),
    }
}

/// `createServer().connect(transport)`: made where it is connected.
fn called(script: &Script, receiver: Node<'_>, call: Node<'_>) -> Build {
    let text = script.of(receiver).trim_start_matches('(').to_owned();
    let text =
        if script.of(receiver).starts_with('(') { text.strip_suffix(')').unwrap_or(&text).to_owned() } else { text };
    Build {
        factory: factory_of(script, call, &text),
        call: text,
        variable: String::new(),
        local: true,
        ..Build::default()
    }
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

/// Where a server is used: in what will be gone.
struct Place<'a, 's> {
    /// The method by which an object of the program that is around the server connects it.
    wrapped: Option<&'a str>,
    script: &'s Script,
    origin: &'a Origin,
    files: &'a dyn Files,
    used: &'a [Span],
}

impl Place<'_, '_> {
    fn is_gone(&self, used: Node<'_>) -> bool {
        is_gone(self.used, used)
    }
}

fn is_gone(gone: &[Span], used: Node<'_>) -> bool {
    gone.iter().any(|gone| gone.contains(span(used)))
}

/// The server that a name stands for, which lives longer than a request. `used` is code that will be gone, or is seen to.
pub fn shared(
    script: &Script,
    origin: &Origin,
    files: &dyn Files,
    receiver: Node<'_>,
    used: &[Span],
) -> Result<Build, Refused> {
    named(&Place { wrapped: None, script, origin, files, used }, receiver, None)
}

/// The server that a name stands for. `handler` is that of a request, where the transport is made in it.
fn named(place: &Place<'_, '_>, receiver: Node<'_>, handler: Option<Node<'_>>) -> Result<Build, Refused> {
    let Place { script, origin, .. } = *place;
    let name = script.of(receiver);
    let Some(declared) = scope::declaration(script, receiver, name) else {
        return Err(script.refuse(receiver, format!("`{name}` is not declared here"), TODO));
    };
    if std::iter::successors(declared.parent(), Node::parent).any(|node| node.kind() == "import_statement") {
        return imported(place, declared);
    }
    let declarator = declared.parent().filter(|parent| parent.kind() == "variable_declarator");
    let Some(value) = declarator.and_then(|declarator| declarator.child_by_field_name("value")) else {
        return handed::by_parameter(script, origin, place.files, declared, place.used);
    };
    let construct = bare(value);
    if handler.is_some_and(|handler| span(handler).contains(span(declared))) {
        let call = script.of(value).to_owned();
        let factory =
            if construct.kind() == "call_expression" { factory_of(script, construct, &call) } else { String::new() };
        let gone = vec![span(statement(declared))];
        return Ok(Build { call, factory, variable: name.to_owned(), local: true, gone, ..Build::default() });
    }
    match construct.kind() {
        "new_expression" if span(construct) == origin.server.span && script.path == origin.server.path => {
            let registrars = registrars(origin, &script.path);
            let known = Known { gone: place.used, registrars: &registrars, exported: false };
            let factory = factory::extract(script, construct, &known)?;
            Ok(of_factory(factory))
        }
        "call_expression" => once_called(place, declared, value, construct),
        "new_expression" if place.wrapped.is_some() && script.path == origin.server.path => {
            let here = origin.server.span;
            let closes_transport = !class::may_be_made_anew(script, construct, here)?;
            Ok(Build { closes_transport, ..once_called(place, declared, value, construct)? })
        }
        _ => Err(script.refuse(value, "how this server is made is not seen here", TODO)),
    }
}

/// The server that an expression is, which stands in the argument of a call.
pub(super) fn of_argument(
    script: &Script,
    origin: &Origin,
    files: &dyn Files,
    argument: Node<'_>,
) -> Result<Build, Refused> {
    let inner = bare(argument);
    match inner.kind() {
        "call_expression" => Ok(called(script, argument, inner)),
        "identifier" => named(&Place { wrapped: None, script, origin, files, used: &[span(argument)] }, inner, None),
        _ => Err(script.refuse(argument, "how this server is made is not seen here", TODO)),
    }
}

fn made_in(handler: Node<'_>, made: &Made<'_>) -> bool {
    made.statement.is_some_and(|statement| span(handler).contains(span(statement)))
}

fn registrars(origin: &Origin, path: &str) -> Vec<Span> {
    origin.registrars.iter().filter(|site| site.path == path).map(|site| site.span).collect()
}

fn of_factory(factory: Factory) -> Build {
    Build {
        factory: factory.name,
        call: factory.call,
        variable: factory.server,
        local: false,
        gone: Vec::new(),
        kept: Vec::new(),
        closed: factory.closed,
        changes: factory.changes,
        closes_transport: false,
        drops_comment: factory.drops_comment,
        drops_log: false,
    }
}

/// `const server = createServer();` for the whole process: each request calls the function itself.
fn once_called(place: &Place<'_, '_>, declared: Node<'_>, value: Node<'_>, call: Node<'_>) -> Result<Build, Refused> {
    let script = place.script;
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
    let mut outcomes = Vec::new();
    for used in scope::uses(script, declared) {
        if place.is_gone(used) {
            continue;
        }
        let member = used.parent().filter(|parent| parent.kind() == "member_expression");
        let property = member.and_then(|member| member.child_by_field_name("property"));
        let alone = statement(used);
        match property.map(|property| script.of(property)) {
            Some("close") if alone.kind() == "expression_statement" => out.closed.push(span(alone)),
            property if property.is_some() && property == place.wrapped => {
                out.changes.push(script.change(span(used), out.call.clone()));
            }
            Some("connect") => out.changes.push(script.change(span(used), format!("({})", out.call))),
            _ => {
                let why = format!("`{name}` is used here: with one server for each request, which one is meant?");
                outcomes.push(Err(script.refuse(used, why, "move it into the function that builds the server")));
            }
        }
    }
    all(outcomes)?;
    Ok(out)
}

/// The server of another file.
fn imported(place: &Place<'_, '_>, declared: Node<'_>) -> Result<Build, Refused> {
    let Place { script, origin, files, used: gone, .. } = *place;
    let name = script.of(declared);
    let home = Script::open(files, &origin.server.path)?;
    let Some(made) = home.node(origin.server.span).filter(|node| node.kind() == "new_expression") else {
        return Err(script.refuse(declared, format!("how `{name}` is made is not seen"), TODO));
    };
    let registrars = registrars(origin, &home.path);
    let known = Known { gone: &[], registrars: &registrars, exported: true };
    let factory = factory::extract(&home, made, &known)?;
    if let Some(at) = factory.closed.first() {
        let at = crate::plan::Site { path: home.path.clone(), span: *at };
        return Err(Refused {
            at,
            why: "the server is closed here".to_owned(),
            todo: TODO.to_owned(),
            also: Vec::new(),
        });
    }
    let mut build = of_factory(factory);
    build.changes = crate::render::typescript::prune::prune(&home, build.changes);
    build.variable = name.to_owned();
    importer(script, declared, gone, &mut build)?;
    let import = statement(declared);
    for other in &origin.importers {
        if other.path == script.path && other.span == span(import) {
            continue;
        }
        let theirs = Script::open(files, &other.path)?;
        let statement = theirs.node(other.span).filter(|node| node.kind() == "import_statement");
        let taken = statement.and_then(|statement| {
            scope::declared_by(statement).into_iter().find(|taken| {
                let specifier = taken.parent().filter(|parent| parent.kind() == "import_specifier");
                specifier
                    .and_then(|specifier| specifier.child_by_field_name("name"))
                    .is_some_and(|of| theirs.of(of) == build.variable || script.of(declared) == theirs.of(of))
            })
        });
        let Some(taken) = taken else {
            return Err(Refused {
                at: other.clone(),
                why: format!("`{name}` is used by this file too, and it is not seen how"),
                todo: TODO.to_owned(),
                also: Vec::new(),
            });
        };
        let closed = build.closed.len();
        importer(&theirs, taken, &[], &mut build)?;
        if build.closed.len() > closed {
            return Err(theirs.refuse(taken, format!("`{name}` is closed here too"), TODO));
        }
    }
    Ok(build)
}

/// What to do about a use of a server of the process.
fn without_one(code: &str) -> &'static str {
    let sends = [".sendLoggingMessage(", ".notification(", "ListChanged("].iter().any(|send| code.contains(send));
    match sends {
        true => {
            "nobody hears what is sent outside of a request: hand the handler's own context down and send it with that \
             (`extra.sendNotification(…)`), or write it to standard error; then run this again"
        }
        false => "decide what this should do without a server of the process, then run this again",
    }
}

/// A file that imports the server imports its factory instead. What it connects besides gets a server of its own.
fn importer(script: &Script, declared: Node<'_>, gone: &[Span], build: &mut Build) -> Result<(), Refused> {
    let name = script.of(declared);
    let specifier = declared.parent().filter(|parent| parent.kind() == "import_specifier");
    let Some(specifier) = specifier else {
        return Err(script.refuse(declared, format!("`{name}` is imported as a whole or as a default"), TODO));
    };
    if mentions(script.text(), &build.factory) {
        return Err(script.refuse(specifier, format!("`{}` means something else here", build.factory), TODO));
    }
    let mut outcomes = Vec::new();
    for used in scope::uses(script, declared) {
        if is_gone(gone, used) {
            continue;
        }
        let alone = statement(used);
        let member = used.parent().filter(|parent| parent.kind() == "member_expression");
        let property = member.and_then(|member| member.child_by_field_name("property"));
        match property.map(|property| script.of(property)) {
            Some("connect") => {
                let call =
                    if build.call.starts_with("await ") { format!("({})", build.call) } else { build.call.clone() };
                build.changes.push(script.change(span(used), call));
            }
            Some("close") if alone.kind() == "expression_statement" => build.closed.push(span(alone)),
            _ => {
                let why = format!("`{name}` is used here: with one server for each request, which one is meant?");
                outcomes.push(Err(script.refuse(used, why, without_one(script.of(statement(used))))));
            }
        }
    }
    all(outcomes)?;
    build.changes.push(script.change(span(specifier), build.factory.clone()));
    Ok(())
}
