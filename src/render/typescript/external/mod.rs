//! A store outside of the program whose keys held the session id: they hold a handle now.
//!
//! The handle takes the place of the id on its way to the keys. Where nothing was found under a key, the code made up a first value;
//! now that is an error, and a new function writes the first value under a new id, in the way in which the code writes others.

mod absent;
mod added;
mod ids;
mod lifetime;
mod make;
mod marked;
mod own;

use tree_sitter::Node;

use super::declared;
use super::handle::edits::Edits;
use super::handle::work::{function_in, same_code};
use super::handle::{above, finish, finished};
use super::imports::Wanted;
use super::script::{Script, children, enclosing_function, span};
use super::scripts::Scripts;
use super::selection::drops;
use super::spoken::{self, Told};
use super::tools::{self, Argument, Context};
use crate::model::facts::Span;
use crate::plan::handle::external::External;
use crate::plan::handle::{Carries, Entry, Kind};
use crate::render::{Files, Refused, Rendered};

/// A first value: where it is written, and whether it is the text that is stored.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The file.
    pub path: String,
    /// The expression.
    pub span: Span,
    /// It is stored as it is, and not what is made from it.
    pub raw: bool,
}

/// A rendering under way.
pub struct Work<'a> {
    /// The plan.
    pub external: &'a External,
    /// The files.
    pub scripts: &'a Scripts<'a>,
    /// The changes so far.
    pub edits: Edits,
    /// The handle, by carrier.
    pub names: Vec<String>,
    /// Whether it is handed a whole key, by carrier.
    pub keyed: Vec<bool>,
    /// First values.
    pub initials: Vec<Initial>,
    /// The function that says that there is no such value.
    pub missing: String,
    /// Files that call it.
    pub told_in: Vec<String>,
    /// A function hands on that there is nothing: who calls it decides.
    pub passes: bool,
    /// Imports that are needed: file, source, name.
    pub wanted: Vec<(String, String, String)>,
}

/// How a handle is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By the value itself, which a first write makes.
    Value,
    /// By a mark beside the values.
    Mark,
}

/// Renders the migration of one store.
pub fn render(external: &External, files: &dyn Files) -> Result<Rendered, Refused> {
    let known = external.client.is_some();
    if external.scattered {
        return if known { by(Way::Mark, external, files) } else { Err(unknown_client(external)) };
    }
    let first = match by(Way::Value, external, files) {
        Ok(rendered) => return Ok(rendered),
        Err(refused) => refused,
    };
    match known.then(|| by(Way::Mark, external, files)) {
        Some(Ok(rendered)) => Ok(rendered),
        _ => Err(first),
    }
}

/// Values that grow by commands need a mark, and that needs a client whose answers are known.
fn unknown_client(external: &External) -> Refused {
    Refused {
        at: external.declared.clone(),
        why: "a value stands under several keys here or grows by commands, and what the store's client answers is not known".to_owned(),
        todo: "let a create tool write a mark under a random id, let each tool look for it first, and put that id in the keys where the \
               session id stands now"
            .to_owned(),
        also: Vec::new(),
    }
}

fn by(way: Way, external: &External, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut work = Work {
        external,
        scripts: &scripts,
        edits: Edits::default(),
        names: Vec::new(),
        keyed: Vec::new(),
        initials: Vec::new(),
        missing: format!("no{}", make::joined(&external.names.noun)),
        told_in: Vec::new(),
        passes: false,
        wanted: Vec::new(),
    };
    name(&mut work)?;
    work.keyed = ids::keyed(&work)?;
    if let Some(at) = work.keyed.iter().position(|keyed| *keyed).filter(|_| way == Way::Value) {
        return Err(Refused {
            at: external.carriers[at].function.clone(),
            why: "this function is handed a whole key, and can't tell which handle it is of".to_owned(),
            todo: "hand it the id, and let it make the key".to_owned(),
            also: Vec::new(),
        });
    }
    outside(&mut work)?;
    for carrier in external.carriers.iter().filter(|carrier| !carrier.shared) {
        let (script, function) = work.function(carrier)?;
        finish::checks(&mut work.edits, script, function, carrier);
    }
    match way {
        Way::Value => {
            absent::replace(&mut work)?;
            ids::replace(&mut work)?;
        }
        Way::Mark => marked::replace(&mut work)?,
    }
    arguments(&mut work)?;
    asks(&mut work)?;
    if way == Way::Value {
        make::functions(&mut work)?;
    }
    let mut out = Rendered::default();
    if way == Way::Mark {
        let note = format!(
            "a mark beside the values says that there is such {}, also while it is empty",
            external.names.one()
        );
        out.notes.push(note);
    }
    for tool in &external.tools {
        let (script, node) = scripts.expression(&tool.registration)?;
        spoken::tool(&mut work.edits, &mut out.left, script, node, &tool.name);
    }
    let tools = external.tools.iter().map(|tool| tool.name.as_str()).collect();
    let told = Told { names: &external.names, create: &external.names.create, tools };
    spoken::instructions(&mut work.edits, &mut out.left, &scripts, &external.servers, &told);
    let mut paths = work.edits.paths();
    paths.extend(work.wanted.iter().map(|(path, ..)| path.clone()));
    paths.sort();
    paths.dedup();
    for path in paths {
        if let Some(script) = scripts.by_path(&path) {
            let wanted = work.wanted.iter().filter(|(of, ..)| *of == path);
            let mut wanted: Vec<Wanted<'_>> =
                wanted.map(|(_, source, name)| Wanted { source, name, alias: None, is_type: false }).collect();
            wanted.dedup();
            out.changes.extend(finished(script, work.edits.of(&path), wanted));
        }
    }
    Ok(out)
}

impl<'a> Work<'a> {
    /// The function of a carrier.
    pub fn function(&self, carrier: &Carries) -> Result<(&'a Script, Node<'a>), Refused> {
        let (script, node) = self.scripts.expression(&carrier.function)?;
        let found = function_in(node);
        found.map(|node| (script, node)).ok_or_else(|| script.refuse(node, "a function was expected here", "run again"))
    }

    /// Takes note of a first value.
    pub fn initial(&mut self, script: &Script, node: Node<'_>, raw: bool) {
        if matches!(script.of(node), "null" | "undefined") {
            return;
        }
        let path = script.path.clone();
        let text = script.of(node);
        let known = self.initials.iter().any(|known| {
            self.scripts.by_path(&known.path).is_some_and(|other| same_code(other.slice(known.span), text))
        });
        if !known {
            self.initials.push(Initial { path, span: span(node), raw });
        }
    }

    /// The call that says that there is no such value.
    pub fn none(&mut self, script: &Script, carrier: usize) -> String {
        if !self.told_in.contains(&script.path) {
            self.told_in.push(script.path.clone());
        }
        format!("{}({})", self.missing, self.names[carrier])
    }
}

/// Finds out what stands for the id in each carrier. Nothing is changed yet.
fn name(work: &mut Work<'_>) -> Result<(), Refused> {
    let external = work.external;
    for carrier in &external.carriers {
        let Entry::Handler(tools) = &carrier.entry else {
            work.names.push(external.names.variable.clone());
            continue;
        };
        let mut named = None;
        for tool in tools {
            let tool = &external.tools[*tool];
            named = Some(tools::add_argument(work.scripts, tool, &argument(external), &Context::default())?.name);
        }
        work.names.push(named.ok_or_else(|| Refused {
            at: carrier.function.clone(),
            why: format!("no tool that uses {} is served by this handler", external.name),
            todo: "give the tool the handle by hand".to_owned(),
            also: Vec::new(),
        })?);
    }
    Ok(())
}

/// The argument that the tools get.
pub fn argument(external: &External) -> Argument {
    let names = &external.names;
    Argument {
        name: names.argument.clone(),
        description: format!("{} returned by {}", names.argument, names.create),
        source: names.create.clone(),
        constant: None,
        optional: external.transition,
        schema: None,
        frees: false,
    }
}

/// Gives the tools the argument, and the helpers their parameters.
fn arguments(work: &mut Work<'_>) -> Result<(), Refused> {
    let external = work.external;
    for carrier in &external.carriers {
        let (script, function) = work.function(carrier)?;
        finish::variables(&mut work.edits, script, function, carrier);
        let Entry::Handler(tools) = &carrier.entry else {
            above(&mut work.edits, script, function);
            continue;
        };
        let context = Context { owner: false, gone: finish::gone(&work.edits, script, function) };
        for tool in tools {
            let added = tools::add_argument(work.scripts, &external.tools[*tool], &argument(external), &context)?;
            work.edits.extend(added.changes);
        }
    }
    Ok(())
}

/// The function that asks for a handle which a schema lets callers leave out, in the files of handlers that do.
fn asks(work: &mut Work<'_>) -> Result<(), Refused> {
    if !work.external.transition {
        return Ok(());
    }
    for carrier in work.external.carriers.iter().filter(|carrier| matches!(carrier.entry, Entry::Handler(_))) {
        let (script, function) = work.function(carrier)?;
        work.edits.extend(tools::given(script, function));
    }
    Ok(())
}

/// Where no tool is called: what cleaned up after a session goes, for the values expire in the store.
fn outside(work: &mut Work<'_>) -> Result<(), Refused> {
    for outside in &work.external.outside {
        let (script, node) = work.scripts.expression(&outside.at)?;
        if outside.kind != Kind::Delete {
            return Err(script.refuse(
                node,
                "the state is used here, where no tool is called and no handle is at hand",
                "move it into a tool",
            ));
        }
        let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        if outside.direct && arguments.len() > 1 {
            // One of several keys that are dropped at once.
            work.edits.cut(script, Span::new(arguments[0].start_byte(), arguments[1].start_byte()));
            continue;
        }
        if !work.edits.covers(&script.path, span(node)) {
            drops::take_out(&mut work.edits, script, node)?;
        }
        drops::emptied(&mut work.edits, script, node);
        let Some(function) = enclosing_function(node) else { continue };
        let body = function.child_by_field_name("body").map(children).unwrap_or_default();
        let empty = body.iter().all(|statement| work.edits.covers(&script.path, span(*statement)));
        if empty && !outside.calls.is_empty() {
            for call in &outside.calls {
                let (script, node) = work.scripts.expression(call)?;
                if !work.edits.covers(&script.path, span(node)) {
                    drops::take_out(&mut work.edits, script, node)?;
                }
            }
            declared::take_out(&mut work.edits, script, function)?;
        }
    }
    Ok(())
}
