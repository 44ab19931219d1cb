//! A transport of the process, or one of a request that is given a generator all the same, as one of a request without sessions.

pub(super) mod build;
mod class;
mod closing;
mod continued;
mod elsewhere;
mod fields;
mod handed;
mod handlers;
mod made;
mod modern;
mod once;
mod once_uses;
mod routes;
pub(super) mod types;

use tree_sitter::Node;

use super::entry::{Entry, Serve};
use super::header_list;
use super::probes;
use super::project::Project;
use super::prune::prune;
use super::script::{Script, leading_comments, span};
use super::transport::comments;
use super::twins;
use crate::model::facts::Span;
use crate::plan::singleton::Singleton;
use crate::plan::{Level, Site};
use crate::render::{Change, Files, Refused, Rendered, all};
use build::{Build, Connect};
use made::Made;
use routes::{Handled, Method};

/// What is known of the code of a step.
struct Code<'s> {
    singleton: &'s Singleton,
    script: &'s Script,
    project: Project,
    made: Made<'s>,
    connect: Option<Connect<'s>>,
    handled: Vec<Handled<'s>>,
    build: Build,
}

/// Renders the step.
pub fn render(singleton: &Singleton, files: &dyn Files) -> Result<Rendered, Refused> {
    let script = Script::open(files, served(singleton))?;
    let home = Script::open(files, &singleton.transport.path)?;
    let path = &script.path;
    let code = code(&script, &home, singleton, files)?;
    let mut out = Rendered::default();
    if singleton.modern && (code.made.call.is_some() || !code.made.gone.is_empty() || singleton.wrapped) {
        return Err(script.refuse(
            code.made.construction,
            "server or transport are made by code of the program here, and on this SDK a handler takes their place",
            "give `createMcpHandler` a function that builds the server, and answer with that handler; see the SDK's own guide",
        ));
    }
    if singleton.modern && modern::fits(&code) {
        modern::render(&code, &mut out)?;
    } else if code.per_request() {
        per_request(&code, &mut out)?;
    } else {
        shared(&code, &mut out)?;
    }
    out.changes.extend(code.build.changes.iter().chain(&code.made.changes).cloned());
    if code.build.drops_comment {
        raise(&mut out, Level::Review);
    }
    if code.build.drops_log {
        out.notes.push("Log lines that told of the one connection go with it.".to_owned());
        raise(&mut out, Level::Review);
    }
    header_list::without_session_id(&script, files, &singleton.header_lists, &mut out)?;
    let served = code.handled.iter().flat_map(|handled| &handled.routes).map(|route| route.path);
    out.notes.extend(probes::notes(files, path, served));
    let (own, others): (Vec<Change>, Vec<Change>) = out.changes.drain(..).partition(|change| change.path == *path);
    out.changes = prune(&script, merged(own));
    out.changes.extend(others);
    if let Some(note) = comments::left(&script, &out.changes) {
        out.notes.push(note);
        raise(&mut out, Level::Review);
    }
    if let Some(note) = twins::note(&singleton.twins, &singleton.transport, files, &out.changes) {
        out.notes.push(note);
        raise(&mut out, Level::Review);
    }
    Ok(out)
}

fn code<'s>(
    script: &'s Script,
    home: &'s Script,
    singleton: &'s Singleton,
    files: &dyn Files,
) -> Result<Code<'s>, Refused> {
    let path = &script.path;
    let here = |sites: &[Site]| -> Vec<Span> {
        sites.iter().filter(|site| site.path == *path).map(|site| site.span).collect()
    };
    let known = [here(&singleton.connects), here(&singleton.handles)].concat();
    let project = Project::of(files, path);
    let mut made = elsewhere::find(script, home, singleton, &known, files)?;
    let (mut handled, mut outcomes) = (Vec::new(), Vec::new());
    for site in &singleton.handles {
        if site.path != *path {
            outcomes.push(Err(Refused {
                at: site.clone(),
                why: "requests are answered with this transport in several files".to_owned(),
                todo: "answer them in one file, then run this again".to_owned(),
                also: Vec::new(),
            }));
            continue;
        }
        match Handled::of(script, site.span, &singleton.routes) {
            Ok(found) => handled.push(found),
            Err(refused) => outcomes.push(Err(refused)),
        }
    }
    all(outcomes)?;
    routes::behind_post(&mut handled);
    let Some(first) = handled.iter().find(|handled| handled.method() != Method::Gone) else {
        return Err(script.refuse(
            made.construction,
            "no handler of POST requests is seen",
            "run again once there is one",
        ));
    };
    let (connect, build) = connection(script, singleton, &mut made, &handled, first.handler, files)?;
    Ok(Code { singleton, script, project, made, connect, handled, build })
}

/// How the transport is connected, and the server built that it is connected to.
fn connection<'s>(
    script: &'s Script,
    singleton: &'s Singleton,
    made: &mut Made<'s>,
    handled: &[Handled<'s>],
    handler: Node<'s>,
    files: &dyn Files,
) -> Result<(Option<Connect<'s>>, Build), Refused> {
    let connect = match singleton.connects.as_slice() {
        [_] if made.connected => return Ok((None, Build { local: true, ..Build::default() })),
        [connect] if connect.path == script.path => connect.span,
        [connect] => {
            return Err(Refused {
                at: connect.clone(),
                why: "the transport is connected in another file than the one that answers requests with it".to_owned(),
                todo: "hand a function that builds the server to the code that answers, and connect there".to_owned(),
                also: Vec::new(),
            });
        }
        _ => {
            let todo = "connect each transport once";
            return Err(script.refuse(made.construction, "the transport is connected in several places", todo));
        }
    };
    let Some(once) = once::find(script, connect, handled)? else {
        let connect = Connect::of(script, connect)?;
        let gone = [span(connect.statement)];
        let build = build::find(script, singleton, &connect, &gone, made, handler, files)?;
        return Ok((Some(connect), build));
    };
    let gone: Vec<Span> = once.gone.iter().map(|gone| span(*gone)).collect();
    made.hooks.retain(|hook| !gone.contains(&span(*hook)));
    let mut build = match once.build {
        Some(build) => build,
        None => {
            let continued = once.continued.iter().map(|continued| span(continued.statement));
            let connecting: Vec<Span> = gone.iter().copied().chain(continued).collect();
            build::find(script, singleton, &once.connect, &connecting, made, handler, files)?
        }
    };
    build.gone.extend(gone);
    for continued in once.continued {
        build.kept.push(span(continued.statement));
        build.changes.extend(continued.changes);
    }
    build.drops_log = once.logs;
    Ok((Some(once.connect), build))
}

/// The file that answers requests with the transport.
fn served(singleton: &Singleton) -> &str {
    let path = &singleton.transport.path;
    match singleton.handles.iter().any(|site| site.path == *path) {
        true => path,
        false => singleton.handles.first().map_or(path, |site| &site.path),
    }
}

impl Code<'_> {
    /// Whether the transport is made for each request already.
    fn per_request(&self) -> bool {
        let Some(made) = self.made.statement else { return false };
        self.handled.iter().any(|handled| span(handled.handler).contains(span(made)))
    }

    fn entry<'a>(&'a self, handled: &'a Handled<'_>) -> Entry<'a> {
        Entry {
            style: &self.script.style,
            framework: handled.framework,
            request: handled.request,
            response: handled.response,
            types: None,
        }
    }

    /// Whether a handler's failures are nobody's business so far.
    fn unguarded(&self, handled: &Handled<'_>) -> bool {
        use crate::plan::web::Framework;
        let caught = match handled.framework {
            Framework::Express => self.project.express_catches(),
            Framework::Fastify | Framework::Node => false,
            Framework::Hono | Framework::Koa | Framework::Web => true,
        };
        !caught && !handled.caught
    }
}

/// One transport for the process: it moves into the handlers.
fn shared(code: &Code<'_>, out: &mut Rendered) -> Result<(), Refused> {
    let script = code.script;
    let mut gone: Vec<Node<'_>> = code.made.statement.into_iter().collect();
    gone.extend(code.connect.iter().map(|connect| connect.statement));
    gone.extend(code.made.gone.iter().chain(&code.made.hooks));
    gone.extend(code.build.gone.iter().filter_map(|gone| script.node(*gone)));
    closing::drain(code, &mut gone, out)?;
    gone.extend(fields::hollow_constructors(script, &gone));
    for handled in &code.handled {
        match handled.method() {
            Method::Gone => handlers::turn_away(code, handled, out),
            method => serve_in(code, handled, method, out),
        }
    }
    handlers::turn_away_routes(code, out);
    gone.retain(|gone| !code.build.kept.contains(&span(*gone)));
    remove(script, gone, &mut out.changes);
    Ok(())
}

/// The call becomes all that one request needs.
fn serve_in(code: &Code<'_>, handled: &Handled<'_>, method: Method, out: &mut Rendered) {
    let script = code.script;
    let entry = code.entry(handled);
    let server = if code.build.variable.is_empty() { "server" } else { code.build.variable.as_str() };
    let options: Vec<&str> = code.made.options.iter().map(String::as_str).collect();
    let mut text = entry.serve(&Serve {
        build: &code.build.call,
        server,
        closes: if code.build.closes_transport { code.made.name } else { server },
        transport: code.made.name,
        class: code.made.class,
        made: code.made.call.as_deref(),
        generator: code.project.generator(script.typed()),
        options: &options,
        method: code.connect.as_ref().map_or("connect", |connect| connect.method),
        cast: code.connect.as_ref().map_or("", |connect| connect.cast),
        arguments: handled.arguments,
        guarded: code.unguarded(handled),
    });
    for hook in code.made.hooks.iter().rev() {
        text = with_hook(script, &text, code.made.name, &hook_text(code, *hook));
    }
    let hijack = entry.hijack();
    let taken = [".hijack(", ".respond = false"].iter().any(|own| script.of(handled.handler).contains(own));
    if !hijack.is_empty() && !taken {
        text = format!("{hijack}{}{text}", script.style.newline);
    }
    handlers::replace(code, handled, method, text, out);
}

/// The hook's statement behind the construction.
fn with_hook(script: &Script, text: &str, transport: &str, hook: &str) -> String {
    let newline = script.style.newline;
    let mark = format!("const {transport} = ");
    let Some(at) = text.find(&mark) else { return text.to_owned() };
    let end = text[at..].find(&format!("){}", if script.style.semicolons { ";" } else { newline }));
    let Some(end) = end.map(|end| at + end) else { return text.to_owned() };
    let end = text[end..].find('\n').map_or(text.len(), |line| end + line + 1);
    format!("{}{hook}{newline}{}", &text[..end], &text[end..])
}

/// A hook's statement, of the request's own transport.
fn hook_text(code: &Code<'_>, hook: Node<'_>) -> String {
    let text = code.script.of(hook);
    match code.made.gone.is_empty() {
        true => text.to_owned(),
        // The transport of a class, with or without the mark of a private field.
        false => ["this.#", "this."].into_iter().fold(text.to_owned(), |text, start| {
            text.replace(&format!("{start}{}.", code.made.name), &format!("{}.", code.made.name))
        }),
    }
}

/// A transport of each request: it loses the generator, and its server becomes its own.
fn per_request(code: &Code<'_>, out: &mut Rendered) -> Result<(), Refused> {
    let script = code.script;
    let generator = code.project.generator(script.typed());
    let Some(statement) = code.made.statement else { return Ok(()) };
    if code.made.call.is_none() {
        for (span, text) in made::without_sessions(script, code.made.construction, generator) {
            out.changes.push(script.change(span, text));
        }
    }
    let connected = code.connect.as_ref().map(|connect| connect.statement);
    let newline = script.style.newline;
    let end = if script.style.semicolons { ";" } else { "" };
    if !code.build.local {
        let at = statement.start_byte();
        let indent = script.indentation(statement);
        let build = format!("const {} = {}{end}{newline}{indent}", code.build.variable, code.build.call);
        out.changes.push(script.change(Span::new(at, at), build));
        let gone: Vec<Node<'_>> =
            code.build.gone.iter().chain(&code.build.closed).filter_map(|gone| script.node(*gone)).collect();
        remove(script, gone, &mut out.changes);
    }
    for handled in &code.handled {
        let closes = script.of(handled.handler).contains(".close(");
        if !closes && !handled.framework.returns() && handled.method() != Method::Gone {
            let before = connected.unwrap_or(handled.statement);
            let at = before.start_byte();
            let indent = script.indentation(before);
            let owner = match code.build.variable.as_str() {
                _ if code.build.closes_transport => code.made.name,
                "" => code.made.name,
                variable => variable,
            };
            let close = code.entry(handled).close(owner);
            out.changes.push(script.change(Span::new(at, at), format!("{close}{newline}{indent}")));
        }
        match handled.method() {
            Method::Gone => handlers::turn_away(code, handled, out),
            method => handlers::gate(code, handled, method, statement, out),
        }
        if code.build.call.starts_with("await ") && !code.build.local {
            handlers::make_async(script, handled.handler, out);
        }
    }
    handlers::turn_away_routes(code, out);
    Ok(())
}

/// Removes statements; neighbours go together, so that no blank lines pile up.
fn remove(script: &Script, mut gone: Vec<Node<'_>>, changes: &mut Vec<Change>) {
    gone.sort_by_key(Node::start_byte);
    gone.dedup();
    let mut runs: Vec<(Node<'_>, Node<'_>)> = Vec::new();
    for node in gone {
        match runs.last_mut() {
            Some((_, last)) if next_statement(*last) == Some(node) => *last = node,
            _ => runs.push((node, node)),
        }
    }
    changes.extend(runs.into_iter().map(|(first, last)| script.change(script.removal_of_run(first, last), "")));
}

fn next_statement(node: Node<'_>) -> Option<Node<'_>> {
    let mut next = node.next_named_sibling();
    while let Some(node) = next.filter(|node| node.kind() == "comment") {
        next = node.next_named_sibling();
    }
    next
}

/// Changes without those that lie within a deletion.
fn merged(changes: Vec<Change>) -> Vec<Change> {
    let deleted: Vec<Span> = changes.iter().filter(|change| change.text.is_empty()).map(|change| change.span).collect();
    let mut out: Vec<Change> = Vec::new();
    for change in changes {
        let inserts = change.span.start == change.span.end;
        let within = deleted.iter().any(|span| {
            let inside = *span != change.span && span.contains(change.span);
            inside && !(inserts && (change.span.start == span.start || change.span.end == span.end))
        });
        if !within && !out.contains(&change) {
            out.push(change);
        }
    }
    out
}

/// Statements of our own in front of one of the file's, with the blank lines around them that declarations get.
fn insert_before(script: &Script, node: Node<'_>, text: &str, out: &mut Rendered) {
    let (newline, indent) = (script.style.newline, script.indentation(node));
    let at = script.line_start(leading_comments(script, node));
    let before = script.text()[..at].trim_end_matches([' ', '\t']);
    let apart = before.is_empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n");
    let opens = before.trim_end().ends_with(['{', ':']);
    let blank = if apart || opens { "" } else { newline };
    let text = format!("{blank}{indent}{}{newline}{newline}", script.indented(text, indent));
    out.changes.push(script.change(Span::new(at, at), text));
}

/// Raises the level of what was rendered.
fn raise(out: &mut Rendered, level: Level) {
    out.level = Some(out.level.map_or(level, |known| known.max(level)));
}
