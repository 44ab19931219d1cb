//! Variables that the handlers of a session captured become the record of a handle.
//!
//! The variables leave the function that builds the server. A store in front of it keeps records of them, a new tool creates one,
//! each tool that used them looks its record up first, and a function that used them takes the record.

mod ends;
mod handlers;
mod record;
mod resources;
mod types;
mod uses;
mod write_back;

use super::edits::Edits;
use super::{Wanted, create, finished, provide, store};
use crate::plan::handle::captured::Captured;
use crate::render::typescript::handle_module::Features;
use crate::render::typescript::scripts::Scripts;
use crate::render::typescript::spoken;
use crate::render::typescript::tools::{self, GIVEN, NewTool};
use crate::render::{Files, Refused, Rendered};
use record::Record;

/// Renders the migration of the variables of one function.
pub fn render(captured: &Captured, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut edits = Edits::default();
    let record = Record::of(captured, &scripts)?;
    let script = record.script;
    record.take_out(&mut edits)?;
    ends::take_out(&record, &mut edits)?;
    uses::replace(&record, &mut edits)?;
    uses::pass_on(&record, &mut edits)?;
    let saves = handlers::look_up(&record, &mut edits)?;
    resources::look_up(&record, &mut edits)?;
    new_tools(&record, &mut edits)?;
    let mut out = Rendered::default();
    notes(&record, &mut edits, &mut out)?;
    let features = Features {
        owner: captured.owner,
        save: saves,
        close: record.close.is_some(),
        list: captured.owner && captured.names.list.is_some(),
        transition: captured.transition,
        ..Features::of(script)
    };
    let place = provide(features, files, script, &mut out)?;
    let mut wanted = if captured.shared.is_some() { Vec::new() } else { vec![("MemoryHandles", false)] };
    wanted.extend(script.typed().then_some(("HandleStore", true)));
    wanted.extend(captured.owner.then_some(("ownerOf", false)));
    wanted.extend(captured.transition.then_some((GIVEN, false)));
    let mut wanted: Vec<Wanted<'_>> = wanted
        .into_iter()
        .map(|(name, is_type)| Wanted { source: &place.specifier, name, alias: None, is_type })
        .collect();
    let shared = captured.shared.as_ref().map(|shared| store::shared_source(shared, script, files)).transpose()?;
    let class = store::class(captured.shared.as_ref());
    wanted.extend(shared.as_deref().map(|source| Wanted { source, name: class, alias: None, is_type: false }));
    let template = resources::import(&record)?;
    wanted.extend(template.as_deref().map(|source| Wanted {
        source,
        name: resources::TEMPLATE,
        alias: None,
        is_type: false,
    }));
    out.changes.extend(finished(script, edits.of(&script.path), wanted));
    Ok(out)
}

/// The tools that create and drop a record.
fn new_tools(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let captured = record.captured;
    let names = &captured.names;
    let (Some(first), Some(last)) = (captured.tools.first(), captured.tools.last()) else { return Ok(()) };
    let owner = if captured.owner { ", ownerOf({auth})" } else { "" };
    let uris = resources::uris(record)?;
    let users = match uris.is_empty() {
        true => create::users(captured.tools.iter().map(|tool| tool.name.as_str()).collect(), &names.destroy),
        false => format!("the other tools and {} need", uris.join(" and ")),
    };
    let mut body = record.initial_lines();
    if let Some(line) = body.first_mut() {
        line.insert_str(0, &format!("const {} = await {}.create(", names.argument, record.store));
    }
    if let Some(line) = body.last_mut() {
        line.push_str(&format!("{owner});"));
    }
    let creating = NewTool {
        name: names.create.clone(),
        description: create::description(names, &users, &record.store),
        parameters: Vec::new(),
        body,
        text: format!("Created {} ${{{}}}", names.noun, names.argument),
        structured: vec![names.argument.clone()],
        text_alone: false,
        lists: false,
    };
    let dropping = create::drops(names, names.create.clone(), &record.store, true, captured.owner);
    edits.extend(tools::insert(record.scripts, first, true, &creating, None)?);
    if let Some(name) = names.list.as_ref().filter(|_| captured.owner) {
        let listing = create::listing(names, name, &record.store, true);
        edits.extend(tools::insert(record.scripts, first, true, &listing, None)?);
    }
    edits.extend(tools::insert(record.scripts, last, false, &dropping, None)?);
    Ok(())
}

fn notes(record: &Record<'_>, edits: &mut Edits, out: &mut Rendered) -> Result<(), Refused> {
    let captured = record.captured;
    for tool in &captured.tools {
        let (script, node) = record.scripts.expression(&tool.registration)?;
        spoken::tool(edits, &mut out.notes, script, node, &tool.name);
    }
    let told = (captured.names.argument.as_str(), captured.names.create.as_str());
    spoken::instructions(edits, &mut out.notes, record.scripts, &captured.servers, told);
    for uri in resources::uris(record)? {
        out.notes
            .push(format!("{uri} is a template now: clients that know the resource by its fixed URI have to learn it"));
    }
    Ok(())
}
