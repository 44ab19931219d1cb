//! A choice that a session remembered becomes an argument.
//!
//! Each read gives way to the argument, helpers take it where they took the session id, and what the tool that set it checked is
//! checked where it is used now, by a function of its own. That tool goes, with those that only cleared or told the choice.

mod check;
pub(super) mod drops;
mod fold;
mod guards;
mod listing;
mod passing;
mod places;
mod typed;
mod words;

use tree_sitter::Node;

use super::declared;
use super::handle::edits::Edits;
use super::handle::finish;
use super::handle::finished;
use super::handle::mode;
use super::handle::work::function_in;
use super::imports::Wanted;
use super::script::{Script, span, statement};
use super::scripts::Scripts;
use super::tools::{self, Argument, Context};
use crate::model::facts::Span;
use crate::plan::handle::{Carries, Entry};
use crate::plan::selection::{Kept, Selection};
use crate::render::{Files, Refused, Rendered};
use check::Check;

/// A rendering under way.
pub struct Work<'a> {
    /// The plan.
    pub selection: &'a Selection,
    /// The files.
    pub scripts: &'a Scripts<'a>,
    /// The changes so far.
    pub edits: Edits,
    /// What stands for the choice, by carrier.
    pub names: Vec<String>,
    /// The tool has the argument already, and it has to be given now; by carrier.
    pub known: Vec<bool>,
    /// The function that checks an id.
    pub check: Option<Check>,
    /// The handler's own variable of the argument's name goes, by carrier.
    pub frees: Vec<bool>,
    /// How often a carrier uses the choice.
    pub uses: Vec<usize>,
    /// The schema of the argument, as the tool that set it has it.
    pub schema: Option<String>,
    /// Imports that are needed: file, source, name.
    pub wanted: Vec<(String, String, String)>,
}

/// Renders the migration of one choice.
pub fn render(selection: &Selection, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let count = selection.carriers.len();
    let mut work = Work {
        selection,
        scripts: &scripts,
        edits: Edits::default(),
        names: Vec::new(),
        known: Vec::new(),
        frees: Vec::new(),
        check: None,
        uses: vec![0; count],
        schema: None,
        wanted: Vec::new(),
    };
    take_out(&mut work)?;
    check::make(&mut work)?;
    name(&mut work)?;
    places::rewrite(&mut work)?;
    clean(&mut work);
    passing::pass_on(&mut work)?;
    clean(&mut work);
    check::ask(&mut work)?;
    arguments(&mut work)?;
    contexts(&mut work)?;
    drops::settle(&mut work)?;
    declaration(&mut work)?;
    emptied(&mut work);
    let mut out = Rendered::default();
    words::settle(&mut work, &mut out);
    for path in work.paths() {
        if let Some(script) = scripts.by_path(&path) {
            let wanted = work.wanted.iter().filter(|(of, ..)| *of == path);
            let wanted: Vec<Wanted<'_>> =
                wanted.map(|(_, source, name)| Wanted { source, name, alias: None, is_type: false }).collect();
            out.changes.extend(finished(script, work.edits.of(&path), wanted));
        }
    }
    Ok(out)
}

impl<'a> Work<'a> {
    /// The function of a carrier.
    pub fn function(&self, carrier: &Carries) -> Result<(&'a Script, Node<'a>), Refused> {
        let (script, node) = self.scripts.expression(&carrier.function)?;
        function_in(node)
            .map(|node| (script, node))
            .ok_or_else(|| script.refuse(node, "a function was expected here", "run again"))
    }

    /// Whether a carrier is the handler of a tool.
    pub fn handles(&self, carrier: usize) -> bool {
        matches!(self.selection.carriers[carrier].entry, Entry::Handler(_))
    }

    /// Files that are changed.
    pub fn paths(&self) -> Vec<String> {
        let mut out = self.edits.paths();
        out.extend(self.wanted.iter().map(|(path, ..)| path.clone()));
        out.sort();
        out.dedup();
        out
    }
}

/// Takes out the tools that go, and the functions that only they need.
fn take_out(work: &mut Work<'_>) -> Result<(), Refused> {
    let selection = work.selection;
    for tool in selection.gone() {
        work.edits.extend(tools::remove(work.scripts, tool)?);
    }
    if selection.setter.tells.is_some() {
        looks_up(work)?;
    }
    let between = selection.setter.links.iter().skip(1).map(|link| &link.function);
    for site in selection.spent.iter().chain(between) {
        let (script, node) = work.scripts.expression(site)?;
        let function =
            function_in(node).ok_or_else(|| script.refuse(node, "a function was expected here", "run again"))?;
        declared::take_out(&mut work.edits, script, function)?;
    }
    Ok(())
}

/// The tool that set the choice stays, and remembers nothing: the call goes, and what only led to it.
fn looks_up(work: &mut Work<'_>) -> Result<(), Refused> {
    let setter = &work.selection.setter;
    let Some(link) = setter.links.first() else { return Ok(()) };
    let (script, call) = work.scripts.expression(&link.at)?;
    drops::take_out(&mut work.edits, script, call)?;
    let (script, node) = work.scripts.expression(&link.function)?;
    let Some(function) = function_in(node) else { return Ok(()) };
    let own = Carries {
        handed: Vec::new(),
        function: link.function.clone(),
        name: None,
        entry: Entry::Handler(Vec::new()),
        calls: Vec::new(),
        ids: link.ids.clone(),
        shared: false,
    };
    // What one handler asks for all tools is not this one's to take away.
    if setter.tool.entry.is_none() && work.selection.kept != Kept::Part {
        finish::checks(&mut work.edits, script, function, &own);
        finish::deciding(&work.edits, script, function, &own, &[])?;
    }
    finish::variables(&mut work.edits, script, function, &own);
    Ok(())
}

/// Finds out what stands for the choice in each carrier. Nothing is changed yet.
fn name(work: &mut Work<'_>) -> Result<(), Refused> {
    let selection = work.selection;
    let schema = tools::argument_schema(work.scripts, &selection.setter.tool, &selection.setter.given)?;
    let schema = schema.ok_or_else(|| Refused {
        at: selection.setter.tool.registration.clone(),
        why: format!("the schema of {} was not found", selection.setter.given),
        todo: "write it out where the tool is registered, and run again".to_owned(),
        also: Vec::new(),
    })?;
    work.schema = Some(check::required(schema, selection));
    for (index, carrier) in selection.carriers.iter().enumerate() {
        let Entry::Handler(tools) = &carrier.entry else {
            work.frees.push(false);
            work.names.push(selection.argument.variable.clone());
            work.known.push(false);
            continue;
        };
        let frees = frees(work, index)?;
        work.frees.push(frees);
        let mut named = None;
        for tool in tools {
            let tool = &selection.tools[*tool];
            check::within_reach(work, tool, schema)?;
            let known = tools::argument_schema(work.scripts, tool, &selection.argument.argument)?.is_some();
            let added = match known {
                true => tools::require_argument(work.scripts, tool, &selection.argument.argument)?,
                false => tools::add_argument(work.scripts, tool, &argument(work, index), &Context::default())?,
            };
            named = Some((added.name, known));
        }
        let (name, known) = named.ok_or_else(|| Refused {
            at: carrier.function.clone(),
            why: format!("no tool that reads {} is served by this handler", selection.name),
            todo: "give the tool the argument by hand".to_owned(),
            also: Vec::new(),
        })?;
        work.names.push(name);
        work.known.push(known);
    }
    Ok(())
}

/// The argument that the tools get.
fn argument(work: &Work<'_>, carrier: usize) -> Argument {
    let names = &work.selection.argument;
    Argument {
        name: names.argument.clone(),
        description: names.argument.clone(),
        source: String::new(),
        constant: None,
        optional: false,
        schema: work.schema.clone(),
        frees: work.frees[carrier],
    }
}

/// Whether a handler has a variable of the argument's name that holds nothing but the choice.
fn frees(work: &Work<'_>, carrier: usize) -> Result<bool, Refused> {
    let (script, function) = work.function(&work.selection.carriers[carrier])?;
    let name = work.selection.argument.argument.as_str();
    let mut declared = Vec::new();
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        let own = node.child_by_field_name("name").filter(|_| node.kind() == "variable_declarator");
        if own.is_some_and(|own| script.of(own) == name) {
            declared.push(node);
        }
        stack.extend(super::script::children(node));
    }
    let [only] = declared.as_slice() else { return Ok(false) };
    let reads = work.selection.reads.iter().filter(|read| read.carrier == Some(carrier) && read.at.path == script.path);
    let mut reads = reads.filter(|read| span(*only).contains(read.at.span));
    let alone = statement(*only).parent() == function.child_by_field_name("body");
    let plain = super::scope::uses(script, only.child_by_field_name("name").unwrap_or(*only)).len() + 1
        == super::scripts::mentions(script, function, name).len();
    Ok(reads.next().is_some() && alone && plain)
}

/// Takes out what is left of the session id.
fn clean(work: &mut Work<'_>) {
    for carrier in &work.selection.carriers {
        let Ok((script, function)) = work.function(carrier) else { continue };
        // What is left of a record is found by the session's id as before.
        if !carrier.shared && work.selection.kept != Kept::Part {
            finish::checks(&mut work.edits, script, function, carrier);
        }
        finish::variables(&mut work.edits, script, function, carrier);
    }
}

/// Gives the tools the argument.
fn arguments(work: &mut Work<'_>) -> Result<(), Refused> {
    let selection = work.selection;
    for (index, carrier) in selection.carriers.iter().enumerate() {
        let (script, function) = work.function(carrier)?;
        if selection.kept != Kept::Part {
            finish::deciding(&work.edits, script, function, carrier, &[])?;
        }
        let Entry::Handler(tools) = &carrier.entry else { continue };
        let context = Context { owner: false, gone: finish::gone(&work.edits, script, function) };
        for tool in tools {
            let tool = &selection.tools[*tool];
            let added = match work.known[index] {
                true => tools::require_argument(work.scripts, tool, &selection.argument.argument)?,
                false => tools::add_argument(work.scripts, tool, &argument(work, index), &context)?,
            };
            work.edits.extend(added.changes);
        }
        let first = tools.first().map(|tool| &selection.tools[*tool]);
        if let Some(tool) = first.filter(|tool| tool.entry.is_some() || work.known[index]) {
            let changes = tools::add_context(work.scripts, tool, &context)?.0;
            let fresh = changes.into_iter().filter(|change| !work.edits.covers(&change.path, change.span));
            let fresh: Vec<_> = fresh.collect();
            work.edits.extend(fresh);
        }
        if work.check.as_ref().is_some_and(|check| check.wait) && work.uses[index] > 0 {
            mode::asynchronous(&mut work.edits, script, function);
        }
    }
    Ok(())
}

/// A class of which nothing is left goes, where nothing speaks of it any more.
fn emptied(work: &mut Work<'_>) {
    let scripts = work.scripts;
    for script in scripts.all() {
        for statement in super::script::children(script.tree.root_node()) {
            let class = statement.child_by_field_name("declaration").unwrap_or(statement);
            let (Some(name), Some(body)) = (class.child_by_field_name("name"), class.child_by_field_name("body"))
            else {
                continue;
            };
            let members = super::script::children(body);
            let gone = members.iter().all(|member| work.edits.covers(&script.path, span(*member)));
            if class.kind() != "class_declaration" || members.is_empty() || !gone {
                continue;
            }
            let spoken = scripts.all().any(|other| {
                super::scripts::mentions(other, other.tree.root_node(), script.of(name)).into_iter().any(|used| {
                    let imported = used.parent().is_some_and(|parent| parent.kind() == "import_specifier");
                    let own = other.path == script.path && span(statement).contains(span(used));
                    !imported && !own && !work.edits.covers(&other.path, span(used))
                })
            });
            if !spoken {
                work.edits.cut(script, script.removal(statement));
            }
        }
    }
}

/// A field of a record leaves its type, and the values that it starts with, where nothing else has a field of that name.
fn member(work: &mut Work<'_>) {
    let scripts = work.scripts;
    let name = work.selection.name.as_str();
    let mut found = Vec::new();
    for script in scripts.all() {
        let mut stack = vec![script.tree.root_node()];
        while let Some(node) = stack.pop() {
            let own = node.child_by_field_name("name").or_else(|| node.child_by_field_name("key"));
            let declares =
                matches!(node.kind(), "property_signature" | "pair") && own.is_some_and(|own| script.of(own) == name);
            let used = node.kind() == "member_expression"
                && node.child_by_field_name("property").is_some_and(|own| script.of(own) == name);
            if work.edits.covers(&script.path, span(node)) {
                continue;
            }
            if used {
                return;
            }
            if declares {
                found.push((script, node));
            }
            stack.extend(super::script::children(node));
        }
    }
    let types = found.iter().filter(|(_, node)| node.kind() == "property_signature").count();
    let empty = |script: &Script, node: &Node<'_>| {
        let value = node.child_by_field_name("value").map(super::script::bare);
        value.is_some_and(|value| matches!(script.of(value), "undefined" | "null" | "''" | "\"\""))
    };
    let others = found.iter().any(|(script, node)| node.kind() == "pair" && !empty(script, node));
    if types > 1 || others {
        return;
    }
    for (script, node) in found {
        let end = script.text()[node.end_byte()..]
            .find([';', ','])
            .filter(|at| script.text()[node.end_byte()..][..*at].trim().is_empty());
        let end = node.end_byte() + end.map_or(0, |at| at + 1);
        let (line, stop) = (script.line_start(node.start_byte()), script.line_end(end));
        let alone =
            script.text()[line..node.start_byte()].trim().is_empty() && script.text()[end..stop].trim().is_empty();
        let spaces = script.text()[end..].len() - script.text()[end..].trim_start_matches(' ').len();
        let cut = if alone { Span::new(line, stop) } else { Span::new(node.start_byte(), end + spaces) };
        work.edits.cut(script, cut);
    }
}

/// Takes the context out of the handlers that only marked the choice, where nothing else uses it.
fn contexts(work: &mut Work<'_>) -> Result<(), Refused> {
    let stays = work.selection.setter.tells.is_some().then_some(&work.selection.setter.tool);
    for tool in work.selection.marking.iter().chain(stays) {
        let (script, node) = work.scripts.expression(&tool.handler)?;
        let Some(function) = function_in(node) else { continue };
        let context = Context { owner: false, gone: finish::gone(&work.edits, script, function) };
        if !context.gone.is_empty() {
            work.edits.extend(tools::add_context(work.scripts, tool, &context)?.0);
        }
    }
    Ok(())
}

/// The declaration goes. A variable that nothing uses any more is taken out with the other names; a field is not known to be.
fn declaration(work: &mut Work<'_>) -> Result<(), Refused> {
    let selection = work.selection;
    let script = work.scripts.of(&selection.declared)?;
    if selection.kept == Kept::Part {
        member(work);
        return Ok(());
    }
    let Some(name) = script.around(selection.declared.span) else { return Ok(()) };
    let field = std::iter::successors(Some(name), Node::parent).find(|node| node.kind().ends_with("field_definition"));
    match (selection.kept, field) {
        (Kept::Field | Kept::Table, Some(field)) => work.edits.cut(script, script.removal(field)),
        (Kept::Field, None) => {
            return Err(script.refuse(
                name,
                "the field is declared in a way that is not known",
                "declare it in the class",
            ));
        }
        (_, None) => {
            let whole = statement(name);
            let own = super::script::children(whole).len() == 1;
            let exported = whole.parent().filter(|parent| parent.kind() == "export_statement");
            let statement = exported.unwrap_or(whole);
            if own && !work.edits.covers(&script.path, span(statement)) {
                work.edits.cut(script, script.removal(statement));
            }
        }
        (Kept::Variable | Kept::Part, Some(_)) => {}
    }
    Ok(())
}
