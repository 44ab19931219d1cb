//! Where the address of a request can be had: a context variable, set by what the web framework runs for each request.

use tree_sitter::Node;

use super::{TODO, Work};
use crate::plan::telemetry::Ambient;
use crate::render::Refused;
use crate::render::typescript::imports;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, statement};
use crate::render::typescript::scripts::{Code, mentions};

/// A context variable.
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The file that declares it.
    pub home: String,
    /// It is declared by this step, or exported already.
    exported: bool,
}

/// Sees to it that a context variable holds the address.
pub fn provide(work: &mut Work<'_>) -> Result<Variable, Refused> {
    match &work.plan.ambient {
        Some(ambient) => extend(work, ambient),
        None => create(work),
    }
}

/// A variable that is there gets the address beside what it holds.
fn extend(work: &mut Work<'_>, ambient: &Ambient) -> Result<Variable, Refused> {
    let made = work.scripts.at(&ambient.made)?;
    if work.plan.routes.iter().any(|route| route.framework != "express") {
        let why =
            "there is a context variable already, and it is only known how to add an address to one behind Express";
        return Err(made.refuse(why, TODO));
    }
    let script = made.script;
    let declared = script.around(ambient.declared.span).filter(|node| node.kind() == "identifier");
    let Some(declared) = declared.filter(|_| script.path == ambient.declared.path) else {
        return Err(made.refuse("the context variable is not declared as a variable of its own", TODO));
    };
    let statement = statement(declared);
    let top = statement.parent().is_some_and(|parent| matches!(parent.kind(), "program" | "export_statement"));
    if !top {
        return Err(made.refuse("the context variable is not one of the file", TODO));
    }
    holds_address(work, made)?;
    for run in &ambient.runs {
        let run = work.scripts.at(run)?;
        set(work, run)?;
    }
    let exported = statement.kind() == "export_statement"
        || statement.parent().is_some_and(|parent| parent.kind() == "export_statement");
    Ok(Variable { name: script.of(declared).to_owned(), home: script.path.clone(), exported })
}

/// The type of what the variable holds.
fn holds_address(work: &mut Work<'_>, made: Code<'_>) -> Result<(), Refused> {
    let script = made.script;
    if !script.typed() {
        return Ok(());
    }
    let list = children(made.node).into_iter().find(|node| node.kind() == "type_arguments");
    let held = list.and_then(|list| children(list).first().copied());
    let held = held.ok_or_else(|| made.refuse("what the context variable holds has no written type", TODO))?;
    let members = match held.kind() {
        "object_type" => Some(held),
        "type_identifier" => children(script.tree.root_node()).into_iter().find_map(|node| {
            let node = node.child_by_field_name("declaration").unwrap_or(node);
            let name = node.child_by_field_name("name")?;
            let body = node.child_by_field_name("body").or_else(|| node.child_by_field_name("value"))?;
            let plain = matches!(body.kind(), "object_type" | "interface_body");
            (script.of(name) == script.of(held) && plain).then_some(body)
        }),
        _ => None,
    };
    let members =
        members.ok_or_else(|| script.refuse(held, "what the context variable holds is declared elsewhere", TODO))?;
    let listed = children(members);
    let named =
        |member: &&Node<'_>| member.child_by_field_name("name").is_some_and(|name| script.of(name) == "address");
    match listed.iter().find(named) {
        Some(known) if script.of(*known).contains("string") => return Ok(()),
        Some(known) => return Err(script.refuse(*known, "the context variable has an address of another kind", TODO)),
        None => {}
    }
    let Some(last) = listed.last() else {
        work.edits.insert(script, members.start_byte() + 1, " address: string | undefined ");
        return Ok(());
    };
    let own_line = script.text()[members.start_byte()..last.start_byte()].contains('\n');
    let text = if own_line {
        let end = if script.text()[last.end_byte()..].starts_with([';', ',']) { 1 } else { 0 };
        let separator = script.text()[last.end_byte()..last.end_byte() + end].to_owned();
        let before = if end == 0 { "" } else { separator.as_str() };
        let text = format!("{}{}address: string | undefined{before}", script.style.newline, script.indentation(*last));
        work.edits.insert(script, last.end_byte() + end, text);
        return Ok(());
    } else {
        "; address: string | undefined"
    };
    work.edits.insert(script, last.end_byte(), text);
    Ok(())
}

/// A call that gives the variable its value for one request.
fn set(work: &mut Work<'_>, run: Code<'_>) -> Result<(), Refused> {
    let script = run.script;
    let object = run.node.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
    let Some(object) = object.map(bare).filter(|object| object.kind() == "object") else {
        return Err(run.refuse("what the context variable is given is not written out here", TODO));
    };
    let request = request(work, run)?;
    let entries = children(object);
    let named = |entry: &Node<'_>| entry.child_by_field_name("key").is_some_and(|key| script.of(key) == "address");
    if let Some(known) = entries.iter().copied().find(|entry| named(entry) || script.of(*entry) == "address") {
        let ours = script.of(known) == format!("address: {request}.ip");
        return if ours { Ok(()) } else { Err(script.refuse(known, "the address is another one here", TODO)) };
    }
    let text = format!("address: {request}.ip");
    match entries.last() {
        None => work.edits.insert(script, object.start_byte() + 1, format!(" {text} ")),
        Some(last) if script.text()[object.start_byte()..last.start_byte()].contains('\n') => {
            let comma = script.text()[last.end_byte()..].starts_with(',');
            let (before, after) = if comma { ("", ",") } else { (",", "") };
            let line = format!("{before}{}{}{text}{after}", script.style.newline, script.indentation(*last));
            work.edits.insert(script, last.end_byte() + usize::from(comma), line);
        }
        Some(last) => work.edits.insert(script, last.end_byte(), format!(", {text}")),
    }
    Ok(())
}

/// The name of the request in the handler or middleware of Express around a call, if all that reaches a transport passes it.
fn request(work: &Work<'_>, run: Code<'_>) -> Result<String, Refused> {
    let script = run.script;
    let stop = |why: &str| run.refuse(why.to_owned(), TODO);
    let mut around = enclosing_function(run.node);
    while let Some(function) = around {
        let list = function.parent().filter(|parent| parent.kind() == "arguments");
        let call = list.and_then(|list| list.parent()).filter(|call| call.kind() == "call_expression");
        let name = call
            .and_then(|call| call.child_by_field_name("function"))
            .and_then(|callee| callee.child_by_field_name("property"))
            .map(|name| script.of(name));
        let (Some(call), Some("use" | "all" | "get" | "post" | "delete")) = (call, name) else {
            around = enclosing_function(function);
            continue;
        };
        if !covers(work, script, call) {
            return Err(stop("requests reach the transport that do not pass here"));
        }
        let parameters = function.child_by_field_name("parameters").map(children).unwrap_or_default();
        let first = parameters.first().map(|first| first.child_by_field_name("pattern").unwrap_or(*first));
        let typed = parameters.first().and_then(|first| first.child_by_field_name("type"));
        let foreign = typed.is_some_and(|of| !script.of(of).ends_with("Request"));
        return match first.filter(|first| first.kind() == "identifier" && !foreign) {
            Some(first) => Ok(script.of(first).to_owned()),
            None => Err(stop("the request is not at hand here")),
        };
    }
    Err(stop("it is not set where Express handles a request"))
}

/// Whether a registration comes to see all requests that reach a transport: a middleware for all paths or for theirs, or the only
/// route.
fn covers(work: &Work<'_>, script: &Script, call: Node<'_>) -> bool {
    let first = |script: &Script, call: Node<'_>| {
        let argument = call.child_by_field_name("arguments").and_then(|list| children(list).first().copied())?;
        Some(script.of(argument).to_owned())
    };
    let routes = &work.plan.routes;
    if routes.iter().all(|route| route.at.path == script.path && route.at.span == super::span(call)) {
        return true;
    }
    let name = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
    if name.is_none_or(|name| script.of(name) != "use") {
        return false;
    }
    let path = first(script, call);
    let list = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    let everywhere = list.first().is_some_and(|first| is_function(*first));
    routes.iter().all(|route| {
        let Ok(route) = work.scripts.at(&route.at) else { return false };
        route.script.path == script.path
            && call.start_byte() < route.node.start_byte()
            && (everywhere || first(route.script, route.node) == path)
    })
}

/// A new variable, set by a middleware before the routes.
fn create(work: &mut Work<'_>) -> Result<Variable, Refused> {
    let made = work.scripts.at(&work.plan.made)?;
    let script = made.script;
    let free = |name: &&&str| mentions(script, script.tree.root_node(), name).is_empty();
    let names = ["requestContext", "callContext", "addressContext"];
    let name =
        names.iter().find(free).copied().ok_or_else(|| made.refuse("no name for a context variable is free", TODO))?;
    let variable = Variable { name: name.to_owned(), home: script.path.clone(), exported: true };
    let mut done: Vec<(String, String)> = Vec::new();
    for route in &work.plan.routes {
        let call = work.scripts.at(&route.at)?;
        let (text, key) = middleware(call, &variable, &route.framework)?;
        if route.framework == "hono" {
            let conn_info = ("@hono/node-server/conninfo".to_owned(), "getConnInfo".to_owned());
            work.wanted.push((call.script.path.clone(), conn_info.0, conn_info.1));
        }
        if done.contains(&key) {
            continue;
        }
        done.push(key);
        let statement = statement(call.node);
        let indent = call.script.indentation(statement);
        let text = call.script.indented(&call.script.style.dress(&format!("{text}\n\n")), indent);
        let start = call.script.with_comments(statement);
        work.edits.insert(call.script, start, format!("{text}{indent}"));
        see(work, &variable, call.script, call.node)?;
    }
    let shared = work.wanted.iter().any(|(.., wanted)| *wanted == variable.name)
        || work.plan.carriers.iter().any(|carrier| carrier.function.path != script.path);
    let of_type = if script.typed() { "<{ address: string | undefined }>" } else { "" };
    let export = if shared && !is_common(script) { "export " } else { "" };
    if shared && is_common(script) {
        return Err(made.refuse("the file exports by assignment", TODO));
    }
    let text = format!(
        "/** What is known of the request that a tool is called by. */\n{export}const {name} = new AsyncLocalStorage{of_type}();\n\n"
    );
    let declaration = statement(made.node);
    let start = script.with_comments(declaration);
    work.edits.insert(script, start, script.style.dress(&text));
    work.wanted.push((script.path.clone(), "node:async_hooks".to_owned(), "AsyncLocalStorage".to_owned()));
    Ok(variable)
}

fn is_common(script: &Script) -> bool {
    script.text().contains("module.exports") || script.text().contains("exports.")
}

/// The middleware for a route, and what tells it from others: its router and path.
fn middleware(route: Code<'_>, variable: &Variable, framework: &str) -> Result<(String, (String, String)), Refused> {
    let script = route.script;
    let stop = || route.refuse("this route is not written as `app.method(path, …)` in a statement of its own", TODO);
    let callee = route.node.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression");
    let router =
        callee.and_then(|callee| callee.child_by_field_name("object")).filter(|node| node.kind() == "identifier");
    let first = route.node.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
    let alone = route.node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
    if let ("fastify", Some(router), true) = (framework, router, alone) {
        // What runs before would lose the variable: the body is read in between.
        let hook = script.style.string("preHandler");
        let text = format!(
            "{}.addHook({hook}, (request, _reply, done) => {{\n\t{}.run({{ address: request.ip }}, done);\n}});",
            script.of(router),
            variable.name
        );
        return Ok((text, (script.of(router).to_owned(), String::new())));
    }
    let path = first.filter(|path| matches!(path.kind(), "string" | "identifier" | "member_expression"));
    let (Some(router), Some(path), true) = (router, path, alone) else { return Err(stop()) };
    let (router, path) = (script.of(router).to_owned(), script.of(path).to_owned());
    if framework == "hono" {
        if !mentions(script, script.tree.root_node(), "getConnInfo").is_empty()
            || !script.text().contains("@hono/node-server")
        {
            return Err(route.refuse("the address of a request is told by the platform that serves Hono", TODO));
        }
        let text = format!(
            "{router}.use({path}, (c, next) =>\n\t{}.run({{ address: getConnInfo(c).remote.address }}, next){}\n);",
            variable.name,
            if script.style.trailing_commas { "," } else { "" }
        );
        return Ok((text, (router, path)));
    }
    let text = format!(
        "{router}.use({path}, (req, _res, next) => {{\n\t{}.run({{ address: req.ip }}, next);\n}});",
        variable.name
    );
    Ok((text, (router, path)))
}

/// Makes the variable visible in a file.
pub fn see(work: &mut Work<'_>, variable: &Variable, script: &Script, from: Node<'_>) -> Result<(), Refused> {
    if script.path == variable.home {
        return Ok(());
    }
    for statement in children(script.tree.root_node()).into_iter().filter(|node| node.kind() == "import_statement") {
        let Some(source) = statement.child_by_field_name("source") else { continue };
        let source = script.of(source).trim_matches(['\'', '"']).to_owned();
        if work.scripts.resolve(&script.path, &source).as_deref() != Some(variable.home.as_str()) {
            continue;
        }
        match imports::local_name(script, &source, &variable.name) {
            Some(local) if local == variable.name => return Ok(()),
            None if variable.exported && mentions(script, script.tree.root_node(), &variable.name).is_empty() => {
                work.wanted.push((script.path.clone(), source, variable.name.clone()));
                return Ok(());
            }
            _ => break,
        }
    }
    let why = format!("the context variable of {} is not in sight here", variable.home);
    Err(script.refuse(from, why, TODO))
}
