//! A transport of the process, or one of a request that is given a generator all the same, as one of a request without sessions.

pub(super) mod build;
mod class;
mod closing;
mod handed;
mod handlers;
mod made;
mod modern;
mod probes;
mod routes;
mod types;

use tree_sitter::Node;

use super::entry::{Entry, Serve};
use super::header_list;
use super::project::Project;
use super::prune::prune;
use super::script::{Script, leading_comments, span};
use crate::model::facts::Span;
use crate::plan::singleton::Singleton;
use crate::plan::{Level, Site};
use crate::render::{Change, Files, Refused, Rendered};
use build::{Build, Connect};
use made::Made;
use routes::{Handled, Method};

/// What is known of the code of a step.
struct Code<'s> {
    singleton: &'s Singleton,
    script: &'s Script,
    project: Project,
    made: Made<'s>,
    connect: Connect<'s>,
    handled: Vec<Handled<'s>>,
    build: Build,
}

/// Renders the step.
pub fn render(singleton: &Singleton, files: &dyn Files) -> Result<Rendered, Refused> {
    let path = &singleton.transport.path;
    let script = Script::open(files, path)?;
    let uses = singleton.connects.iter().chain(&singleton.handles);
    if let Some(other) = uses.clone().find(|site| site.path != *path) {
        return Err(Refused {
            at: other.clone(),
            why: "the transport is used in another file than the one that makes it".to_owned(),
            todo: "make server and transport in the handler of each request, with `sessionIdGenerator: undefined`"
                .to_owned(),
        });
    }
    let code = code(&script, singleton, files)?;
    let mut out = Rendered::default();
    if singleton.modern && modern::fits(&code) {
        modern::render(&code, &mut out)?;
    } else if code.per_request() {
        per_request(&code, &mut out)?;
    } else {
        shared(&code, &mut out)?;
    }
    out.changes.extend(code.build.changes.iter().cloned());
    if code.build.drops_comment {
        raise(&mut out, Level::Review);
    }
    header_list::without_session_id(&script, files, &singleton.header_lists, &mut out)?;
    out.notes.extend(probes::notes(files, path, &code.handled));
    let (own, others): (Vec<Change>, Vec<Change>) = out.changes.drain(..).partition(|change| change.path == *path);
    out.changes = prune(&script, merged(own));
    out.changes.extend(others);
    Ok(out)
}

fn code<'s>(script: &'s Script, singleton: &'s Singleton, files: &dyn Files) -> Result<Code<'s>, Refused> {
    let spans = |sites: &[Site]| -> Vec<Span> { sites.iter().map(|site| site.span).collect() };
    let known = [spans(&singleton.connects), spans(&singleton.handles)].concat();
    let made = Made::of(script, singleton.transport.span, &known)?;
    let [connect] = singleton.connects.as_slice() else {
        let todo = "connect each transport once";
        return Err(script.refuse(made.construction, "the transport is connected in several places", todo));
    };
    let connect = Connect::of(script, connect.span)?;
    let mut handled = Vec::new();
    for site in &singleton.handles {
        handled.push(Handled::of(script, site.span)?);
    }
    let Some(first) = handled.iter().find(|handled| handled.method() != Method::Gone) else {
        return Err(script.refuse(
            made.construction,
            "no handler of POST requests is seen",
            "run again once there is one",
        ));
    };
    let build = build::find(script, singleton, &connect, &made, first.handler, files)?;
    Ok(Code { singleton, script, project: Project::of(files, &script.path), made, connect, handled, build })
}

impl Code<'_> {
    /// Whether the transport is made for each request already.
    fn per_request(&self) -> bool {
        self.handled.iter().any(|handled| span(handled.handler).contains(span(self.made.statement)))
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
            Framework::Hono | Framework::Web => true,
        };
        !caught && !handled.caught
    }
}

/// One transport for the process: it moves into the handlers.
fn shared(code: &Code<'_>, out: &mut Rendered) -> Result<(), Refused> {
    let script = code.script;
    let mut gone = vec![code.made.statement, code.connect.statement];
    gone.extend(&code.made.hooks);
    gone.extend(code.build.gone.iter().filter_map(|gone| script.node(*gone)));
    closing::drain(code, &mut gone, out)?;
    for handled in &code.handled {
        match handled.method() {
            Method::Gone => handlers::turn_away(code, handled, out),
            method => serve_in(code, handled, method, out),
        }
    }
    handlers::turn_away_routes(code, out);
    remove(script, gone, &mut out.changes);
    Ok(())
}

/// The call becomes all that one request needs.
fn serve_in(code: &Code<'_>, handled: &Handled<'_>, method: Method, out: &mut Rendered) {
    let script = code.script;
    let entry = code.entry(handled);
    let server = if code.build.variable.is_empty() { "server" } else { code.build.variable.as_str() };
    let mut text = entry.serve(&Serve {
        build: &code.build.call,
        server,
        transport: script.of(code.made.name),
        class: code.made.class,
        generator: code.project.generator(script.typed()),
        options: &code.made.options,
        cast: code.connect.cast,
        arguments: handled.arguments,
        guarded: code.unguarded(handled),
    });
    for hook in code.made.hooks.iter().rev() {
        text = with_hook(script, &text, script.of(code.made.name), script.of(*hook));
    }
    let hijack = entry.hijack();
    if !hijack.is_empty() && !script.of(handled.handler).contains(".hijack(") {
        text = format!("{hijack}{}{text}", script.style.newline);
    }
    handlers::replace(code, handled, method, text, out);
}

/// The hook's statement behind the construction.
fn with_hook(script: &Script, text: &str, transport: &str, hook: &str) -> String {
    let newline = script.style.newline;
    let mark = format!("const {transport} = new ");
    let Some(at) = text.find(&mark) else { return text.to_owned() };
    let end = text[at..].find(&format!("){}", if script.style.semicolons { ";" } else { newline }));
    let Some(end) = end.map(|end| at + end) else { return text.to_owned() };
    let end = text[end..].find('\n').map_or(text.len(), |line| end + line + 1);
    format!("{}{hook}{newline}{}", &text[..end], &text[end..])
}

/// A transport of each request: it loses the generator, and its server becomes its own.
fn per_request(code: &Code<'_>, out: &mut Rendered) -> Result<(), Refused> {
    let script = code.script;
    let generator = code.project.generator(script.typed());
    for (span, text) in code.made.without_sessions(script, generator) {
        out.changes.push(script.change(span, text));
    }
    let newline = script.style.newline;
    let end = if script.style.semicolons { ";" } else { "" };
    if !code.build.local {
        let at = code.made.statement.start_byte();
        let indent = script.indentation(code.made.statement);
        let build = format!("const {} = {}{end}{newline}{indent}", code.build.variable, code.build.call);
        out.changes.push(script.change(Span::new(at, at), build));
        let gone: Vec<Node<'_>> =
            code.build.gone.iter().chain(&code.build.closed).filter_map(|gone| script.node(*gone)).collect();
        remove(script, gone, &mut out.changes);
    }
    for handled in &code.handled {
        let closes = script.of(handled.handler).contains(".close(");
        if !closes && !handled.framework.returns() && handled.method() != Method::Gone {
            let at = code.connect.statement.start_byte();
            let indent = script.indentation(code.connect.statement);
            let owner = match code.build.variable.as_str() {
                "" => script.of(code.made.name),
                variable => variable,
            };
            let close = code.entry(handled).close(owner);
            out.changes.push(script.change(Span::new(at, at), format!("{close}{newline}{indent}")));
        }
        match handled.method() {
            Method::Gone => handlers::turn_away(code, handled, out),
            method => handlers::gate(code, handled, method, code.made.statement, out),
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
