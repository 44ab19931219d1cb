//! A store that is kept by session becomes a store of handles.
//!
//! The container's role stays where it was: its declaration makes a handle store now, each access calls that, helpers take the handle
//! where they took the session id, and a look-up fails by itself where the code used to create a value or to check for one.

mod absent;
mod access;
mod aged;
mod asked;
mod beginnings;
mod bounds;
pub mod captured;
mod carried;
mod checks;
mod cleanup;
mod contexts;
mod create;
mod dropped;
pub(super) mod edits;
mod either_way;
mod ending;
pub(super) mod finish;
mod found;
mod guarded;
pub(super) mod initial;
mod injected;
mod instances;
mod interfaces;
mod keys;
mod minted;
pub(super) mod mode;
mod of_class;
pub(super) mod opening;
mod outside;
pub(super) mod reach;
mod registry;
mod resets;
mod shed;
mod store;
mod sweepers;
mod timers;
mod torn;
mod whole;
mod words;
pub(super) mod work;
mod write_back;

use super::handle_module::{self, Extended, Features, Place};
use super::imports::{self, Wanted};
use super::prune::prune;
use super::script::{Script, children};
use super::scripts::{Scripts, mentions};
use super::tools::{GIVEN, applied};
use crate::model::facts::Span;
use crate::plan::handle::{Entry, Handle};
use crate::render::{Change, Files, Refused, Rendered};
pub(super) use create::{unindented, users};
use edits::Edits;
pub(super) use words::above;
use work::{Import, Work};

/// Renders the migration of one store. What can't become a store of handles itself may stay, and be keyed by them.
pub fn render(handle: &Handle, files: &dyn Files) -> Result<Rendered, Refused> {
    if handle.registry {
        return registry::render(handle, files);
    }
    works_without(handle, files)?;
    let refused = match by_value(handle, files) {
        Ok(rendered) => return Ok(rendered),
        Err(refused) => refused,
    };
    let Some(otherwise) = &handle.otherwise else { return Err(refused) };
    let mut rendered = registry::render(otherwise, files).map_err(|_| refused)?;
    rendered.instead = Some((otherwise.title(), otherwise.reasons.clone()));
    Ok(rendered)
}

/// Refuses where a tool needs no value: it would have to be given a handle all the same.
fn works_without(handle: &Handle, files: &dyn Files) -> Result<(), Refused> {
    let scripts = Scripts::new(files);
    let mut work = begin(handle, &scripts, scripts.of(&handle.store.declared)?);
    work.creating = minted::creating(&work);
    either_way::check(&work)
}

fn begin<'a>(handle: &'a Handle, scripts: &'a Scripts<'a>, declaring: &Script) -> Work<'a> {
    Work {
        handle,
        scripts,
        wait: false,
        waits: Vec::new(),
        beginnings: vec![Vec::new(); handle.carriers.len()],
        creating: Vec::new(),
        makers: Vec::new(),
        alongside: Vec::new(),
        keys: Vec::new(),
        names: Vec::new(),
        owners: Vec::new(),
        edits: Edits::default(),
        features: Features { owner: handle.owner, ..Features::of(declaring) },
        initials: Vec::new(),
        resets: Vec::new(),
        idle: None,
        aged: false,
        limit: None,
        close: None,
        done: Vec::new(),
        outward: false,
        owned_files: Vec::new(),
        wanted: Vec::new(),
        notes: Vec::new(),
        left: Vec::new(),
    }
}

fn by_value(handle: &Handle, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let declaring = scripts.of(&handle.store.declared)?;
    let mut work = begin(handle, &scripts, declaring);
    if let Some(first) = &handle.first {
        let (script, node) = scripts.expression(first)?;
        work.initial(script, node, true);
    }
    work.waits = mode::waiting(&work);
    work.beginnings = beginnings::of(&work)?;
    work.creating = minted::creating(&work);
    work.wait = mode::can_wait(&work)? && minted::callbacks_wait(&work)? && !outside::counts_at_once(&work)?;
    if work.handle.shared.is_some() && !work.wait {
        return Err(declaring.refuse(
            declaring.tree.root_node(),
            "a store that processes share answers promises, and not all code that uses this one can wait for them",
            "let the functions that use it be asynchronous, and run again",
        ));
    }
    work.features.wait = work.wait;
    work.features.close = !handle.companions.is_empty();
    keys::name(&mut work)?;
    cleanup::of_container(&mut work)?;
    absent::take_out(&mut work)?;
    minted::without_older_ones(&mut work)?;
    aged::take_out(&mut work)?;
    timers::of_values(&mut work)?;
    checks::no_timers(&work)?;
    create::existing(&mut work)?;
    found::retype(&mut work)?;
    access::rewrite(&mut work)?;
    resets::settle(&mut work)?;
    keys::pass_on(&mut work)?;
    carried::put_in(&mut work)?;
    shed::settle(&mut work)?;
    outside::settle(&mut work)?;
    cleanup::of_helpers(&mut work)?;
    finish::clean(&mut work)?;
    if work.wait {
        mode::make_async(&mut work)?;
    }
    finish::arguments(&mut work)?;
    contexts::settle(&mut work)?;
    write_back::write_back(&mut work)?;
    torn::mend(&mut work)?;
    asked::once(&mut work)?;
    create::missing(&mut work)?;
    checks::known(&mut work)?;
    bounds::take_over(&mut work)?;
    store::declare(&mut work)?;
    if handle.wrapped {
        let class = scripts.expression(&handle.store.made)?;
        let class = class.1.child_by_field_name("constructor").map(|name| class.0.of(name)).unwrap_or_default();
        work.notes.push(format!(
            "`{class}` is not used for {} any more; delete it if nothing else needs it",
            handle.store.name
        ));
    }
    finished_work(work, files, declaring)
}

/// The module of handle stores, the imports and the changes of all files.
fn finished_work(mut work: Work<'_>, files: &dyn Files, declaring: &Script) -> Result<Rendered, Refused> {
    let scripts = work.scripts;
    words::settle(&mut work)?;
    names_are_free(&work)?;
    // What is dispatched by name asks for its handle anyway.
    work.features.transition = work.edits.call(GIVEN);
    work.features.create = work.edits.call(".create");
    let mut out = Rendered::default();
    module(&mut work, files, declaring, &mut out)?;
    let mut paths = work.edits.paths();
    paths.extend(work.wanted.iter().map(|import| import.path.clone()));
    paths.sort();
    paths.dedup();
    for path in paths {
        if let Some(script) = scripts.by_path(&path) {
            out.changes.extend(of_file(&work, script));
        }
    }
    out.notes = work.notes;
    out.left = work.left;
    Ok(out)
}

/// Sees to it that there is a module with what the stores need, beside the file that declares one.
fn provide(features: Features, files: &dyn Files, declaring: &Script, out: &mut Rendered) -> Result<Place, Refused> {
    let root = declaring.tree.root_node();
    let place = handle_module::place(files, declaring).ok_or_else(|| {
        declaring.refuse(root, "every name for the module of the handle store is taken", "rename one of those files")
    })?;
    match files.text(&place.path).filter(|_| place.exists) {
        None => out.new_files.push((place.path.clone(), handle_module::text(features, &declaring.style))),
        Some(source) => match handle_module::extend(&source.text, &declaring.style, features) {
            Extended::Enough => {}
            Extended::Text(text) => {
                let span = Span::new(0, source.text.len());
                out.changes.push(crate::render::Change { path: place.path.clone(), span, text });
            }
            Extended::No(why) => return Err(declaring.refuse(root, why, "extend it by hand, and run again")),
        },
    }
    Ok(place)
}

/// The module that holds the handle stores, and what the files take from it.
fn module(work: &mut Work<'_>, files: &dyn Files, declaring: &Script, out: &mut Rendered) -> Result<(), Refused> {
    let place = provide(work.features, files, declaring, out)?;
    let mut names = match &work.handle.shared {
        Some(shared) => {
            let source = store::shared_source(shared, declaring, files)?;
            want(work, declaring, &source, &[&shared.class]);
            Vec::new()
        }
        None => vec!["MemoryHandles"],
    };
    if declaring.typed() {
        names.insert(0, "HandleStore");
    }
    want(work, declaring, &place.specifier, &names);
    let scripts = work.scripts;
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        let script = scripts.of(&carrier.function)?;
        let specifier = relative(&place.path, &place.specifier, declaring, script);
        let mut names = Vec::new();
        if let Some(owner) = &work.owners[index] {
            match carrier.entry {
                Entry::Handler(_) if owner.starts_with("ownerOf(") => names.push("ownerOf"),
                Entry::Handler(_) => {}
                _ if script.typed() => names.push("Owner"),
                _ => {}
            }
        }
        want(work, script, &specifier, &names);
    }
    for path in work.edits.paths() {
        let texts = work.edits.of(&path);
        let calls = |name: &&str| texts.iter().any(|change| change.text.contains(&format!("{name}(")));
        let names: Vec<&str> = ["answering", "handleIn", GIVEN].into_iter().filter(calls).collect();
        if let Some(script) = scripts.by_path(&path).filter(|_| !names.is_empty()) {
            let specifier = relative(&place.path, &place.specifier, declaring, script);
            want(work, script, &specifier, &names);
        }
    }
    for path in std::mem::take(&mut work.owned_files) {
        if let Some(script) = scripts.by_path(&path) {
            let specifier = relative(&place.path, &place.specifier, declaring, script);
            want(work, script, &specifier, &["ownerOf"]);
        }
    }
    Ok(())
}

fn want(work: &mut Work<'_>, script: &Script, source: &str, names: &[&str]) {
    for name in names {
        let is_type = matches!(*name, "HandleStore" | "Owner");
        let import = Import { is_type, ..Import::value(script, source.to_owned(), name) };
        work.wanted.push(match store::alias(name) {
            Some(other) => import.apart(script, &[other.to_owned()]),
            None => import,
        });
    }
}

/// How another file imports the module, in the way in which the declaring one does.
fn relative(module: &str, specifier: &str, declaring: &Script, script: &Script) -> String {
    let dir = |path: &str| path.rsplit_once('/').map_or(String::new(), |(dir, _)| dir.to_owned());
    let (from, home) = (dir(&script.path), dir(&declaring.path));
    if from == home {
        return specifier.to_owned();
    }
    let name = specifier.rsplit('/').next().unwrap_or(specifier);
    let target = dir(module);
    let (from, to): (Vec<&str>, Vec<&str>) = (
        from.split('/').filter(|part| !part.is_empty()).collect(),
        target.split('/').filter(|part| !part.is_empty()).collect(),
    );
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.len() - shared;
    let mut parts: Vec<&str> = if up == 0 { vec!["."] } else { vec![".."; up] };
    parts.extend(&to[shared..]);
    parts.push(name);
    parts.join("/")
}

/// Refuses where a name that is to be imported means something else in the file already.
fn names_are_free(work: &Work<'_>) -> Result<(), Refused> {
    for Import { path, source, name, alias, .. } in &work.wanted {
        let script = work.scripts.open(path)?;
        if alias.is_some() || imports::local_name(script, source, name).is_some() {
            continue;
        }
        if let Some(other) = mentions(script, script.tree.root_node(), name).first() {
            return Err(script.refuse(
                *other,
                format!("`{name}` means something else in this file already, and is needed here from `{source}`"),
                "give one of the two another name, then run this again",
            ));
        }
    }
    Ok(())
}

/// The changes of one file, with what they leave unused taken away and with the imports that were asked for.
fn of_file(work: &Work<'_>, script: &Script) -> Vec<Change> {
    let mut wanted: Vec<Wanted<'_>> = Vec::new();
    for Import { path, source, name, alias, is_type } in &work.wanted {
        let want = Wanted { source, name, alias: alias.as_deref(), is_type: *is_type };
        if *path == script.path && !wanted.contains(&want) {
            wanted.push(want);
        }
    }
    finished(script, work.edits.of(&script.path), wanted)
}

/// Changes of a file, without what they leave unused and with imports.
pub(super) fn finished(script: &Script, changes: Vec<Change>, mut wanted: Vec<Wanted<'_>>) -> Vec<Change> {
    wanted.sort_by_key(|want| want.name.to_lowercase());
    if script.is_draft {
        return whole_draft(script, changes, &wanted);
    }
    let mut out = prune(script, changes);
    for import in imports::add(script, &wanted) {
        let import = above_comments(script, import);
        join_import(script, &mut out, import);
    }
    out.sort_by_key(|change| (change.span.start, change.span.end));
    out
}

/// A file that is to be made, as one change: all that it holds. What it imports is added to what is left of the other's imports.
fn whole_draft(script: &Script, changes: Vec<Change>, wanted: &[Wanted<'_>]) -> Vec<Change> {
    let all = |script: &Script, changes| applied(script, Span::new(0, script.text().len()), changes);
    let text = all(script, changes);
    let text = script.with_text(&text).map_or(text, |own| all(&own, imports::add(&own, wanted)));
    let text = script.with_text(&text).map_or(text, |own| all(&own, imports::unused(&own)));
    let newline = script.style.newline;
    let mut text = text.trim().to_owned();
    while text.contains(&newline.repeat(3)) {
        text = text.replace(&newline.repeat(3), &newline.repeat(2));
    }
    vec![script.change(Span::new(0, 0), format!("{text}{newline}"))]
}

/// An import before all other code stands above the comment of what follows, and apart from it.
pub(super) fn above_comments(script: &Script, mut import: Change) -> Change {
    let first = children(script.tree.root_node())
        .into_iter()
        .find(|node| import.text.ends_with('\n') && script.line_start(node.start_byte()) == import.span.start as usize);
    if let Some(first) = first {
        let start = script.removal(first).start;
        import.span = Span { start, end: start };
        import.text += script.style.newline;
    }
    import
}

/// Adds an import. Where it would stand at an import that goes, it takes that one's place.
pub(super) fn join_import(script: &Script, changes: &mut Vec<Change>, import: Change) {
    let is_import = |text: &str| text.trim_start().starts_with("import ") || text.contains("require(");
    if let Some(same) = changes.iter_mut().find(|change| change.span == import.span) {
        // Above other code that is new there.
        same.text = match is_import(&same.text) {
            true => format!("{}{}", same.text, import.text),
            false => format!("{}{}", import.text, same.text),
        };
        return;
    }
    let at = import.span.start;
    let newline = script.style.newline;
    match changes.iter_mut().find(|change| change.text.is_empty() && change.span.start <= at && at <= change.span.end) {
        Some(cut) if cut.span.end as usize == script.line_start(cut.span.end as usize) => {
            cut.text = format!("{}{newline}", import.text.trim_matches(['\n', '\r']));
        }
        _ => changes.push(import),
    }
}
