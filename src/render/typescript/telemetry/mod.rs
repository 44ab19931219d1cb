//! A table of limits or counts that is keyed by session is keyed by the network address of the request.
//!
//! Where a tool runs, the address comes from a context variable that Express sets for each request. It is absent where the session id
//! was absent, over stdio, and has the type that the id had: so the way of the key through helpers stays as it is.

mod address;
mod expiry;
mod keys;
mod outside;
mod told;

use tree_sitter::Node;

use super::handle::edits::Edits;
use super::handle::{above_comments, join_import};
use super::imports::{self, Wanted};
use super::prune::prune;
use super::scope;
use super::script::{Script, children, is_function, span, statement};
use super::scripts::{Scripts, mentions};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::telemetry::Telemetry;
use crate::render::{Change, Files, Refused, Rendered};

/// What is done by hand where a piece of code is none that can be changed.
const TODO: &str = "key it by the network address of the request (`req.ip`), and let entries expire";

/// A step at work.
struct Work<'w> {
    plan: &'w Telemetry,
    scripts: &'w Scripts<'w>,
    edits: Edits,
    /// New names, which take effect once it is known what the other changes leave unused.
    renames: Vec<Change>,
    /// Imports: file, source, name.
    wanted: Vec<(String, String, String)>,
    /// The expression that is the address, by the context variable's name.
    address: String,
    /// Log lines tell the address.
    logged: bool,
}

/// Renders the step.
pub fn render(telemetry: &Telemetry, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut work = Work {
        plan: telemetry,
        scripts: &scripts,
        edits: Edits::default(),
        renames: Vec::new(),
        wanted: Vec::new(),
        address: String::new(),
        logged: false,
    };
    let variable = address::provide(&mut work)?;
    work.address = format!("{}.getStore()?.address", variable.name);
    keys::rewrite(&mut work, &variable)?;
    let name = table(&mut work)?;
    let cleaned = outside::settle(&mut work)?;
    expiry::bound(&mut work, &name, cleaned)?;
    let mut paths = work.edits.paths();
    paths.extend(work.wanted.iter().map(|(path, ..)| path.clone()));
    paths.sort();
    paths.dedup();
    let scripts = paths.iter().filter_map(|path| scripts.by_path(path));
    let changes = scripts.flat_map(|script| of_file(&work, script)).collect();
    let logged = "log lines that told the session tell the network address now".to_owned();
    let notes = if work.logged { vec![logged] } else { Vec::new() };
    Ok(Rendered { changes, notes, ..Rendered::default() })
}

/// Changes the type of the table's keys, and its name where that speaks of sessions. Returns the name.
fn table(work: &mut Work<'_>) -> Result<String, Refused> {
    let made = work.scripts.at(&work.plan.made)?;
    let script = made.script;
    let declared =
        script.around(work.plan.declared.span).ok_or_else(|| made.refuse("its declaration is gone", TODO))?;
    let declarator = declared.parent().filter(|parent| parent.kind() == "variable_declarator");
    let Some(declarator) = declarator.filter(|_| script.path == work.plan.declared.path) else {
        return Err(made.refuse("the table is not declared as a variable of its own", TODO));
    };
    let mut types = Vec::new();
    types.extend(children(made.node).into_iter().filter(|node| node.kind() == "type_arguments"));
    if let Some(annotation) = declarator.child_by_field_name("type") {
        let generic = children(annotation).into_iter().find(|node| node.kind() == "generic_type");
        let generic = generic.filter(|node| script.of(*node).starts_with("Map<"));
        let list = generic.and_then(|node| children(node).into_iter().find(|child| child.kind() == "type_arguments"));
        types.push(list.ok_or_else(|| script.refuse(annotation, "the type of its keys is declared elsewhere", TODO))?);
    }
    for list in types {
        let Some(key) = children(list).first().copied() else { continue };
        match script.of(key) {
            "string" => {
                work.edits.replace(script, span(key), "string | undefined");
            }
            "string | undefined" => {}
            _ => return Err(script.refuse(key, "its keys are of a type of their own", TODO)),
        }
    }
    let statement = statement(declarator);
    let proxy = match work.plan.routes.first().map(|route| route.framework.as_str()) {
        Some("fastify") => "Behind a proxy, set Fastify's `trustProxy`.",
        Some("hono") => "Behind a proxy, it is that of the proxy.",
        _ => "Behind a proxy, set Express's \"trust proxy\".",
    };
    let note = format!(
        "// This server knows no user, so calls are counted by address. {proxy}{}{}",
        script.style.newline,
        script.indentation(statement)
    );
    work.edits.insert(script, statement.start_byte(), note);
    Ok(renamed(work, script, declared, statement))
}

/// Takes the session out of the table's name, where nothing outside of the file knows it.
fn renamed(work: &mut Work<'_>, script: &Script, declared: Node<'_>, statement: Node<'_>) -> String {
    let old = script.of(declared);
    let new = without_session(old);
    let root = script.tree.root_node();
    let exported = statement.kind() == "export_statement"
        || children(root)
            .iter()
            .any(|node| node.kind() == "export_statement" && node.child_by_field_name("declaration").is_none());
    if exported || new == old || !mentions(script, root, &new).is_empty() {
        return old.to_owned();
    }
    work.renames.push(script.change(span(declared), new.clone()));
    for used in scope::uses(script, declared) {
        let text = if used.kind() == "shorthand_property_identifier" { format!("{old}: {new}") } else { new.clone() };
        work.renames.push(script.change(span(used), text));
    }
    new
}

/// `callsBySession` as `callsByAddress`, `sessionHits` as `addressHits`.
fn without_session(name: &str) -> String {
    for (old, new) in [("SessionId", "Address"), ("Sessions", "Addresses"), ("Session", "Address")] {
        if name.contains(old) {
            return name.replace(old, new);
        }
    }
    match name.strip_prefix("session").filter(|rest| rest.starts_with(|first: char| first.is_uppercase())) {
        Some(rest) => format!("address{rest}"),
        None => name.to_owned(),
    }
}

/// The function at a site.
fn function<'s>(work: &Work<'s>, site: &Site) -> Result<(&'s Script, Node<'s>), Refused> {
    let code = work.scripts.at(site)?;
    let node = match is_function(code.node) {
        true => Some(code.node),
        false => children(code.node).into_iter().find(|child| is_function(*child)),
    };
    node.map(|node| (code.script, node)).ok_or_else(|| code.refuse("a function was expected here", TODO))
}

/// The changes of one file, with what they leave unused taken away, and with imports.
fn of_file(work: &Work<'_>, script: &Script) -> Vec<Change> {
    let mut out = prune(script, work.edits.of(&script.path));
    let gone: Vec<Span> = out.iter().map(|change| change.span).collect();
    let left = |change: &&Change| change.path == script.path && !gone.iter().any(|span| span.contains(change.span));
    for change in work.renames.iter().filter(left) {
        if !out.contains(change) {
            out.push(change.clone());
        }
    }
    let mut wanted: Vec<Wanted<'_>> = Vec::new();
    for (path, source, name) in &work.wanted {
        let want = Wanted { source, name, alias: None, is_type: false };
        if *path == script.path && !wanted.contains(&want) {
            wanted.push(want);
        }
    }
    for import in imports::add(script, &wanted) {
        join_import(script, &mut out, above_comments(script, import));
    }
    out.sort_by_key(|change| (change.span.start, change.span.end));
    out
}
