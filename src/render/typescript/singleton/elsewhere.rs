//! Where a transport is made: in the file of the handlers, in a field of their class, in a function, or in another file.

use tree_sitter::Node;

use super::fields;
use super::made::{Made, options, without_sessions};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::singleton::Singleton;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::project::Project;
use crate::render::typescript::prune::prune;
use crate::render::typescript::pure::is_pure;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, runs_code, span, statement};
use crate::render::{Change, Files, Refused, all};

const TODO: &str = "make server and transport in the handler of each request, with `sessionIdGenerator: undefined`";

/// How the transport is made, seen from the file of the handlers. `home` is the file that constructs it.
pub(super) fn find<'t>(
    script: &'t Script,
    home: &Script,
    singleton: &Singleton,
    known: &[Span],
    files: &dyn Files,
) -> Result<Made<'t>, Refused> {
    let at = singleton.transport.span;
    let same = script.path == home.path;
    let construction = home.node(at).filter(|node| node.kind() == "new_expression");
    let Some(construction) = construction else { return Made::of(script, at, known) };
    if same
        && let Some(own) = script.node(at)
        && let Some(made) = fields::transport(script, own, known, &singleton.named)?
    {
        return Ok(made);
    }
    let mut calls = singleton.made_by.iter().filter(|site| site.path == script.path);
    if let (Some(call), None) = (calls.next(), calls.next()) {
        return called(script, home, construction, singleton, call.span, known, files);
    }
    match same {
        true => Made::of(script, at, known),
        false => imported(script, home, construction, singleton, known, files),
    }
}

/// `const transport = createTransport();`: the function stays, and each request calls it.
fn called<'t>(
    script: &'t Script,
    home: &Script,
    construction: Node<'_>,
    singleton: &Singleton,
    call: Span,
    known: &[Span],
    files: &dyn Files,
) -> Result<Made<'t>, Refused> {
    let Some(call) = script.node(call) else { return Made::of(script, call, known) };
    let mut value = call;
    while let Some(parent) =
        value.parent().filter(|parent| matches!(parent.kind(), "await_expression" | "parenthesized_expression"))
    {
        value = parent;
    }
    let declarator = value.parent().filter(|parent| parent.kind() == "variable_declarator");
    let name = declarator.and_then(|declarator| declarator.child_by_field_name("name"));
    let Some(name) = name.filter(|name| name.kind() == "identifier") else {
        return Err(script.refuse(value, "the transport is not the value of a variable of its own here", TODO));
    };
    let owner = statement(name);
    if children(owner).len() != 1 || owner.kind() == "export_statement" {
        return Err(script.refuse(owner, "the transport is declared together with something else, or exported", TODO));
    }
    let connected = only_makes(home, construction, singleton)?;
    let mut made = Made::new(script.of(name), value);
    (made.statement, made.connected) = (Some(owner), connected);
    made.call = Some(script.of(value).to_owned());
    made.options = options(home, construction)?;
    made.changes = own_changes(home, construction, files);
    all(scope::uses(script, name).into_iter().map(|used| made.sort_use(script, used, known)))?;
    elsewhere_unused(script, home, enclosing_function(construction), &singleton.named)?;
    Ok(made)
}

/// The construction without its generator, in the file where it stands.
fn own_changes(home: &Script, construction: Node<'_>, files: &dyn Files) -> Vec<Change> {
    let generator = Project::of(files, &home.path).generator(home.typed());
    let changes = without_sessions(home, construction, generator).into_iter();
    prune(home, changes.map(|(at, text)| home.change(at, text)).collect())
}

/// Whether a function that makes a transport connects it too. Refuses where it does anything else that is not for each request.
fn only_makes(home: &Script, construction: Node<'_>, singleton: &Singleton) -> Result<bool, Refused> {
    let Some(function) = enclosing_function(construction) else {
        return Err(home.refuse(construction, "how this transport gets to the handlers is not seen", TODO));
    };
    let Some(body) = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block") else {
        return Ok(false);
    };
    let connects: Vec<Span> =
        singleton.connects.iter().filter(|site| site.path == home.path).map(|site| site.span).collect();
    let server = receiver(home, &connects);
    let mut connected = false;
    for statement in children(body) {
        let around = span(statement);
        let connects_here = connects.iter().any(|at| around.contains(*at));
        connected |= connects_here;
        let plain = match statement.kind() {
            "return_statement" | "empty_statement" => true,
            "lexical_declaration" | "variable_declaration" => {
                around.contains(span(construction)) || declares_server(home, statement, server)
            }
            "expression_statement" => {
                (connects_here && server.is_none_or(|server| !opens_more(server)))
                    || sets_hook(home, statement)
                    || logs(home, statement)
            }
            _ => false,
        };
        if !plain {
            let todo = "keep the function to making the transport, so that each request can call it";
            return Err(home.refuse(
                statement,
                "this is done where the transport is made: once so far, and not for each request",
                todo,
            ));
        }
    }
    match server.filter(|_| connected) {
        Some(server) if server.kind() == "identifier" && !declared_in(home, server, function) => Err(home.refuse(
            server,
            "the server that is connected here is one for the process",
            "build the server in this function too, then run this again",
        )),
        _ => Ok(connected),
    }
}

/// What is connected, where it is seen.
fn receiver<'h>(home: &'h Script, connects: &[Span]) -> Option<Node<'h>> {
    let call = home.node(*connects.first()?)?;
    call.child_by_field_name("function")?.child_by_field_name("object").map(bare)
}

/// `const server = buildServer();` of the server that is connected, or a value that is there anyway.
fn declares_server(home: &Script, statement: Node<'_>, server: Option<Node<'_>>) -> bool {
    children(statement).into_iter().all(|declarator| {
        let name = declarator.child_by_field_name("name").map(|name| home.of(name));
        let own = server.is_some_and(|server| server.kind() == "identifier" && name == Some(home.of(server)));
        declarator
            .child_by_field_name("value")
            .is_none_or(|value| (is_pure(home, value) && !runs_code(value)) || (own && !opens_more(value)))
    })
}

/// Whether something else is called for what a call is given: it may open a connection, and has to stay with the process.
fn opens_more(call: Node<'_>) -> bool {
    bare(call).child_by_field_name("arguments").map(children).unwrap_or_default().into_iter().any(runs_code)
}

fn sets_hook(script: &Script, statement: Node<'_>) -> bool {
    let target = statement.named_child(0).and_then(|inner| inner.child_by_field_name("left"));
    let name = target.and_then(|target| target.child_by_field_name("property"));
    name.is_some_and(|name| matches!(script.of(name), "onclose" | "onerror"))
}

fn logs(script: &Script, statement: Node<'_>) -> bool {
    let callee = statement.named_child(0).and_then(|call| call.child_by_field_name("function"));
    callee.is_some_and(|callee| script.of(callee).starts_with("console."))
}

fn declared_in(script: &Script, name: Node<'_>, function: Node<'_>) -> bool {
    scope::binding(script, name, script.of(name)).is_some_and(|scope| span(function).contains(span(scope)))
}

/// `import { transport } from './transport.js'`: the constant becomes a function that each request calls.
fn imported<'t>(
    script: &'t Script,
    home: &Script,
    construction: Node<'_>,
    singleton: &Singleton,
    known: &[Span],
    files: &dyn Files,
) -> Result<Made<'t>, Refused> {
    let declarator = construction.parent().filter(|parent| parent.kind() == "variable_declarator");
    let declared = declarator.and_then(|declarator| declarator.child_by_field_name("name"));
    let outer = declared.map(statement).filter(|outer| outer.kind() == "export_statement");
    let (Some(declared), Some(outer)) = (declared.filter(|name| name.kind() == "identifier"), outer) else {
        return Err(home.refuse(construction, "how this transport gets to the handlers is not seen", TODO));
    };
    let alone = outer.child_by_field_name("declaration").is_some_and(|declaration| children(declaration).len() == 1);
    let [importer] = singleton.importers.as_slice() else {
        return Err(home.refuse(outer, "the transport is imported by several files, or by none that is seen", TODO));
    };
    if let Some(other) = scope::uses(home, declared).first() {
        return Err(home.refuse(*other, "the transport is used here as well, where it is made", TODO));
    }
    let specifier = script.node(importer.span).filter(|_| importer.path == script.path && alone).and_then(|import| {
        scope::declared_by(statement(import)).into_iter().find(|local| {
            local.parent().is_some_and(|parent| {
                parent.kind() == "import_specifier"
                    && parent.child_by_field_name("alias").is_none()
                    && script.of(*local) == home.of(declared)
            })
        })
    });
    let Some(specifier) = specifier else {
        return Err(home.refuse(outer, "the transport is exported, and how it is imported is not seen", TODO));
    };
    let wanted = ["createTransport", "makeTransport", "buildTransport"];
    let free = free_name(script, &wanted);
    let function = if free_name(home, &[&free]) == free { free } else { free_name(home, &["createRequestTransport"]) };
    let mut made = Made::new(script.of(specifier), specifier);
    made.call = Some(format!("{function}()"));
    made.options = options(home, construction)?;
    made.changes = as_function(home, construction, outer, &function, files);
    made.changes.push(script.change(span(specifier), function));
    all(scope::uses(script, specifier).into_iter().map(|used| made.sort_use(script, used, known)))?;
    elsewhere_unused(script, home, Some(outer), &singleton.named)?;
    Ok(made)
}

/// The exported constant as a function.
fn as_function(home: &Script, construction: Node<'_>, outer: Node<'_>, name: &str, files: &dyn Files) -> Vec<Change> {
    let generator = Project::of(files, &home.path).generator(home.typed());
    let class = construction.child_by_field_name("constructor").map_or("", |class| home.of(class));
    let returns = if home.typed() { format!(": {class}") } else { String::new() };
    let (newline, unit) = (home.style.newline, home.style.indent.text());
    let end = if home.style.semicolons { ";" } else { "" };
    // The lines of the construction, one level deep whatever they were.
    let edits = without_sessions(home, construction, generator);
    let mut text = home.of(construction).to_owned();
    for (at, new) in edits.into_iter().rev() {
        let start = at.start as usize - construction.start_byte();
        text.replace_range(start..at.end as usize - construction.start_byte(), &new);
    }
    let first = home.line_start(construction.start_byte());
    let indented = construction.start_byte() - first;
    let deep = home.text()[first..].len() - home.text()[first..].trim_start_matches([' ', '\t']).len();
    let text = match deep == indented && deep > 0 {
        // It had a line of its own, one level deep already.
        true => text,
        false => home.indented(&text, &unit),
    };
    let function = format!("export function {name}(){returns} {{{newline}{unit}return {text}{end}{newline}}}");
    prune(home, vec![home.change(span(outer), function)])
}

/// Refuses where other code names the transport: neither the file of the handlers nor the function or statement that makes it.
fn elsewhere_unused(script: &Script, home: &Script, maker: Option<Node<'_>>, named: &[Site]) -> Result<(), Refused> {
    let made = |site: &Site| site.path == home.path && maker.is_some_and(|maker| span(maker).contains(site.span));
    match named.iter().find(|site| site.path != script.path && !made(site)) {
        Some(other) => Err(Refused {
            at: other.clone(),
            why: "the transport is used here too, beside the file that answers requests with it".to_owned(),
            todo: TODO.to_owned(),
            also: Vec::new(),
        }),
        None => Ok(()),
    }
}
