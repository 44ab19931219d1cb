//! Variables that the handlers of a session captured become the record of a handle.
//!
//! The variables leave the function that builds the server. A store in front of it keeps records of them, a new tool creates one,
//! each tool that used them looks its record up first, and a function that used them takes the record.

mod along;
mod begins;
mod ends;
mod fields;
mod handed;
mod handlers;
mod last;
mod members;
mod record;
mod resources;
mod types;
mod uses;
mod write_back;

use super::edits::Edits;
use super::{Wanted, create, finished, provide, reach, relative, store};
use crate::plan::handle::captured::Captured;
use crate::render::typescript::handle_module::Features;
use crate::render::typescript::scripts::Scripts;
use crate::render::typescript::spoken::{self, Told};
use crate::render::typescript::tools::{self, GIVEN, NewTool};
use crate::render::{Files, Refused, Rendered};
use record::Record;

/// Renders the migration of the variables of one function, or of what functions are handed.
pub fn render(captured: &Captured, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut edits = Edits::default();
    let records = match &captured.handed {
        Some(handed) => along::records(captured, handed, &scripts)?,
        None => vec![Record::of(captured, &scripts)?],
    };
    let home = &records[0];
    let mut saves = false;
    home.take_out(&mut edits)?;
    let filling = begins::take_out(home, &mut edits)?;
    ends::take_out(home, &mut edits)?;
    for record in &records {
        uses::replace(record, &mut edits)?;
        uses::pass_on(record, &mut edits)?;
        saves |= handlers::look_up(record, &mut edits)?;
        resources::look_up(record, &mut edits)?;
    }
    new_tools(&records, &filling, &mut edits)?;
    let mut out = Rendered::default();
    notes(&records, &mut edits, &mut out)?;
    let features = Features {
        owner: captured.owner,
        save: saves,
        close: home.close.is_some(),
        end: captured.handed.as_ref().is_some_and(|handed| !handed.last.is_empty()),
        list: captured.owner && captured.names.list.is_some(),
        transition: captured.transition,
        ..Features::of(home.script)
    };
    let place = provide(features, files, home.script, &mut out)?;
    let first = home.first.iter().flat_map(|first| &first.needs);
    let needs: Vec<&(String, String)> =
        first.filter(|(source, name)| !handed::as_value(home.script, source, name, &mut edits)).collect();
    for record in &records {
        let specifier = relative(&place.path, &place.specifier, home.script, record.script);
        let mut wanted = of_module(record, &specifier);
        let shared = captured.shared.as_ref().filter(|_| record.home);
        let shared = shared.map(|shared| store::shared_source(shared, record.script, files)).transpose()?;
        wanted.extend(shared.as_deref().map(|source| named(source, store::class(captured.shared.as_ref()))));
        let template = resources::import(record)?;
        wanted.extend(template.as_deref().map(|source| named(source, resources::TEMPLATE)));
        let declaring = reach::specifier(record.script, &home.script.path);
        wanted.extend((!record.home).then(|| named(&declaring, &home.store)));
        wanted.extend(needs.iter().filter(|_| record.home).map(|(source, name)| named(source, name)));
        out.changes.extend(finished(record.script, edits.of(&record.script.path), wanted));
    }
    let own = |path: &String| records.iter().any(|record| record.script.path == *path);
    for path in edits.paths().into_iter().filter(|path| !own(path)) {
        let other = scripts.open(&path)?;
        let source = reach::specifier(other, &home.script.path);
        let last = captured.handed.iter().flat_map(|handed| &handed.last).any(|site| site.path == path);
        let wanted = last.then(|| named(&source, &home.store));
        out.changes.extend(finished(other, edits.of(&path), wanted.into_iter().collect()));
    }
    Ok(out)
}

/// A value that is needed from a module.
fn named<'w>(source: &'w str, name: &'w str) -> Wanted<'w> {
    Wanted { source, name, alias: None, is_type: false }
}

/// What a file takes from the module of handles.
fn of_module<'w>(record: &Record<'_>, specifier: &'w str) -> Vec<Wanted<'w>> {
    let captured = record.captured;
    let mut out = Vec::new();
    if record.home {
        out.extend(captured.shared.is_none().then(|| named(specifier, "MemoryHandles")));
        let ty = Wanted { is_type: true, ..named(specifier, "HandleStore") };
        out.extend(record.script.typed().then_some(ty));
    }
    out.extend(captured.owner.then(|| named(specifier, "ownerOf")));
    out.extend(captured.transition.then(|| named(specifier, GIVEN)));
    out
}

/// The tools that create and drop a record.
fn new_tools(records: &[Record<'_>], filling: &[String], edits: &mut Edits) -> Result<(), Refused> {
    let record = &records[0];
    let captured = record.captured;
    let names = &captured.names;
    let here = || captured.tools.iter().filter(|tool| tool.registration.path == record.script.path);
    let (Some(first), Some(last)) = (here().next(), here().next_back()) else { return Ok(()) };
    let owner = if captured.owner { ", ownerOf({auth})" } else { "" };
    let mut uris = Vec::new();
    for record in records {
        uris.extend(resources::uris(record)?);
    }
    let users = match uris.is_empty() {
        true => create::users(names, captured.tools.iter().map(|tool| tool.name.as_str()).collect(), &names.destroy),
        false => format!("the tools that work on {} and {} need", names.one(), uris.join(" and ")),
    };
    let stop = tools::with_stop(record.scripts, &captured.tools);
    let body = creation(record, filling, owner);
    let creating = NewTool {
        name: names.create.clone(),
        description: create::description(names, &users, &record.store, stop),
        parameters: Vec::new(),
        body,
        text: format!("Created {} ${{{}}}", names.noun, names.argument),
        structured: vec![names.argument.clone()],
        text_alone: false,
        lists: false,
    };
    let dropping = create::drops(names, names.create.clone(), &record.store, (true, captured.owner), stop);
    edits.extend(tools::insert(record.scripts, first, &captured.tools, true, &creating, None)?);
    if let Some(name) = names.list.as_ref().filter(|_| captured.owner) {
        let listing = create::listing(names, name, &record.store, true, stop);
        edits.extend(tools::insert(record.scripts, first, &captured.tools, true, &listing, None)?);
    }
    edits.extend(tools::insert(record.scripts, last, &captured.tools, false, &dropping, None)?);
    Ok(())
}

/// Makes a record, fills it, and gives it a handle.
fn creation(record: &Record<'_>, filling: &[String], owner: &str) -> Vec<String> {
    let id = &record.captured.names.argument;
    let mut body = record.initial_lines();
    let created = format!("const {id} = await {}.create(", record.store);
    let (opening, closing) = match filling {
        [] => (created.clone(), format!("{owner});")),
        _ => {
            let ty = record.ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
            (format!("const {}{ty} = ", record.name), ";".to_owned())
        }
    };
    if let Some(line) = body.first_mut() {
        line.insert_str(0, &opening);
    }
    if let Some(line) = body.last_mut() {
        line.push_str(&closing);
    }
    if !filling.is_empty() {
        body.extend(filling.iter().cloned());
        body.push(format!("{created}{}{owner});", record.name));
    }
    body
}

fn notes(records: &[Record<'_>], edits: &mut Edits, out: &mut Rendered) -> Result<(), Refused> {
    let record = &records[0];
    let captured = record.captured;
    for tool in &captured.tools {
        let (script, node) = record.scripts.expression(&tool.registration)?;
        spoken::tool(edits, &mut out.left, script, node, &tool.name);
    }
    let tools = captured.tools.iter().map(|tool| tool.name.as_str()).collect();
    let told = Told { names: &captured.names, create: &captured.names.create, tools };
    spoken::instructions(edits, &mut out.left, record.scripts, &captured.servers, &told);
    for record in records {
        for uri in resources::uris(record)? {
            out.notes.push(format!(
                "{uri} is a template now: clients that know the resource by its fixed URI have to learn it"
            ));
        }
    }
    Ok(())
}
