//! A choice that a session only remembers: the id of something that the model can name already (`set_active_worker`, `use_project`).
//! No handle is minted. The id becomes a required argument of the tools that read it, and the tool that set it goes, with code that
//! guesses one where none is set.

mod chosen;
mod does;
mod reads;
mod setter;
mod slots;

use super::handle::{Carries, Entry, Problem, ToolUse, argument_names, tool_names};
use super::{Claim, Level, Manual, PlanSettings, ServerPlan, Site, Step, StepKind, choice, site};
use crate::classify::answer::{Carrier, Holds};
use crate::classify::stores::Found;
use crate::classify::words::{capital, words};
use crate::rules::detect::{Context, Spot};
use crate::rules::{session_fallback_bucket, session_keyed_state};
use slots::Slot;

/// A choice that becomes an argument.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Its name.
    pub name: String,
    /// Its name at its declaration.
    pub declared: Site,
    /// How it is kept.
    pub kept: Kept,
    /// The type of what a table keeps, as it is written.
    pub value: Option<String>,
    /// How the argument is called.
    pub argument: Names,
    /// The tool that lists what can be chosen.
    pub listed_by: Option<String>,
    /// The tool that sets it.
    pub setter: Setter,
    /// Tools that do nothing but clear it or tell it: they go with the one that sets it.
    pub idle: Vec<ToolUse>,
    /// Functions that go: they answer the choice and do nothing else (their calls are reads), or only tools call them that go.
    pub spent: Vec<Site>,
    /// Functions that need it, tool handlers among them.
    pub carriers: Vec<Carries>,
    /// Where it is read.
    pub reads: Vec<Read>,
    /// Where it is cleared, or set to a guess, in code that stays.
    pub drops: Vec<Drop>,
    /// Tools that read it.
    pub tools: Vec<ToolUse>,
    /// Tools that only mark it in a list.
    pub marking: Vec<ToolUse>,
}

impl Selection {
    /// Tools that go.
    pub fn gone(&self) -> impl Iterator<Item = &ToolUse> {
        let setter = self.setter.tells.is_none().then_some(&self.setter.tool);
        setter.into_iter().chain(&self.idle)
    }
}

/// How a choice is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In a table by session.
    Table,
    /// In a variable of the function that builds the server of a session.
    Variable,
    /// In a field of an object that belongs to a session.
    Field,
    /// As a part of a record that holds more.
    Part,
}

/// What the argument is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// In the schemas of tools.
    pub argument: String,
    /// As a parameter of other functions.
    pub variable: String,
}

/// The tool that sets a choice.
#[derive(Clone, Debug)]
pub struct Setter {
    /// The tool.
    pub tool: ToolUse,
    /// Its argument with the id.
    pub given: String,
    /// From the handler to the function that writes, each with the place that leads on: a call, in the end the write.
    pub links: Vec<Link>,
    /// What is written.
    pub value: Site,
    /// Where it answers more than that it was done: it stays, as a tool that looks up.
    pub tells: Option<Site>,
}

/// A function on the way of an id to where it is kept.
#[derive(Clone, Debug)]
pub struct Link {
    /// The function.
    pub function: Site,
    /// What leads on.
    pub at: Site,
    /// Expressions in the function that mean the session id.
    pub ids: Vec<Site>,
}

/// A place that clears the choice.
#[derive(Clone, Debug)]
pub struct Drop {
    /// The access.
    pub at: Site,
    /// Calls of the function that it stands in, which goes with them where nothing is left of it.
    pub calls: Vec<Site>,
}

/// A place that reads the choice.
#[derive(Clone, Debug)]
pub struct Read {
    /// The access, or the call of a function that answers the choice.
    pub at: Site,
    /// Index of the function whose argument it is; none where it only marks an item of a list.
    pub carrier: Option<usize>,
    /// Whether there is one is asked for, and not which one.
    pub asks: bool,
}

pub(super) const RULE: &str = session_keyed_state::RULE.name;

/// Plans what becomes of the choices that sessions remember.
pub fn plan(context: &Context<'_, '_>, settings: &PlanSettings, out: &mut ServerPlan) {
    let stores = context.stores().filter(|found| choice::carrier(context, settings, found) == Carrier::Argument);
    for found in stores {
        let planned = Slot::of(context, found).and_then(|slot| step(context, &slot));
        match planned {
            Ok(mut step) => {
                chosen::obey(context, &mut step, settings, &mut out.wrong);
                at_once(&mut step, settings);
                out.steps.push(step);
            }
            Err(problem) => out.manual.push(manual(found.name.text(), &declared(context, found), problem)),
        }
    }
    parts(context, settings, out);
}

/// Choices among the fields of records: they go first, what is left of the record is looked at anew then. What can't be done here is
/// a matter of the record as a whole.
fn parts(context: &Context<'_, '_>, settings: &PlanSettings, out: &mut ServerPlan) {
    let records = context.stores().filter(|found| {
        found.holds == Holds::AppState
            && choice::whole(context, settings, found) == Carrier::Handle
            && !found.with_transport
            && !found.with_auth
    });
    for found in records {
        for (field, readers, writers) in &found.fields {
            let Some(slot) = Slot::part(context, found, *field, readers, writers) else { continue };
            let Ok(mut step) = step(context, &slot) else { continue };
            let id = choice::part_id(context, found, *field);
            let wanted = settings.carrier(&id);
            out.parts.push(id.clone());
            match wanted {
                None | Some(Carrier::Argument) => {
                    chosen::obey(context, &mut step, settings, &mut out.wrong);
                    at_once(&mut step, settings);
                    out.steps.push(step);
                }
                // It stays in the record.
                Some(Carrier::Handle) => out.wrong.extend(chosen::in_record(settings, &id, found.name.text())),
                Some(Carrier::Manual) => {
                    out.manual.push(left(found.name.text(), &declared(context, found), field.text()))
                }
                Some(other) => out.wrong.extend(chosen::nowhere(settings, &id, other)),
            }
        }
    }
}

/// No time of transition for a choice: a caller who leaves it out could only be served by a guess, and the tool that set it is gone.
fn at_once(step: &mut Step, settings: &PlanSettings) {
    let StepKind::Selection(selection) = &step.kind else { return };
    let note = format!("{} is required at once, with --transition too", selection.argument.argument);
    step.notes.extend(settings.transition.then_some(note));
}

/// Whether a step takes a part out of a store.
pub fn splits(steps: &[Step], declared: &Site) -> bool {
    steps.iter().any(|step| {
        matches!(&step.kind, StepKind::Selection(selection) if selection.kept == Kept::Part && selection.declared == *declared)
    })
}

fn declared(context: &Context<'_, '_>, found: &Found) -> Site {
    site(context, Spot { module: found.holder.module, span: found.holder.span })
}

fn manual(name: &str, declared: &Site, problem: Problem) -> Manual {
    Manual {
        rule: RULE,
        at: declared.clone(),
        what: format!("make `{name}` an argument of the tools that read it"),
        why: problem.why,
        cause: (problem.at != *declared).then_some(problem.at),
        todo: vec![problem.todo],
    }
}

/// A record that a plan file leaves alone, since it does so with a part of it.
fn left(name: &str, declared: &Site, field: &str) -> Manual {
    Manual {
        rule: RULE,
        at: declared.clone(),
        what: format!("move `{name}`"),
        why: format!("the plan leaves `{field}`, a part of it, to you"),
        cause: None,
        todo: vec!["move it by hand; or write another `carrier` in the plan, and run again".to_owned()],
    }
}

fn step(context: &Context<'_, '_>, slot: &Slot<'_>) -> Result<Step, Problem> {
    let found = slot.found;
    let at = declared(context, found);
    let setter = setter::of(context, slot)?;
    let reads_itself = slot.reads.iter().flat_map(|read| setter::ways(context, read.at));
    if let Some(at) =
        setter.tells.clone().filter(|_| reads_itself.into_iter().any(|way| way.tool == *setter.tool.name.as_str()))
    {
        return Err(Problem {
            at,
            why: format!("{} answers more than that it was done", setter.tool.name),
            todo: "make it a tool that only looks up, and let the others take the id as a required argument".to_owned(),
        });
    }
    let uses = reads::of(context, slot, &setter.tool)?;
    let name = slot.name.text();
    let id = match slot.kept {
        Kept::Part => choice::part_id(context, found, slot.name),
        _ => choice::id(context, found),
    };
    let argument = names(context, &setter.given, name);
    // The record of a part stays, and with it what was found.
    let whole = slot.kept != Kept::Part;
    let mut claims = if whole { vec![Claim { rule: RULE, at: at.clone() }] } else { Vec::new() };
    if let Some(key) = found.fallback.filter(|_| whole) {
        claims.push(Claim { rule: session_fallback_bucket::RULE.name, at: site(context, context.spot(key)) });
    }
    let mut carriers = uses.carriers;
    for carrier in &mut carriers {
        if let Entry::Handler(indices) = &mut carrier.entry {
            *indices = (0..uses.tools.len()).filter(|index| uses.tools[*index].handler == carrier.function).collect();
        }
    }
    let selection = Selection {
        name: name.to_owned(),
        declared: at,
        kept: slot.kept,
        value: found.value.clone().filter(|_| slot.kept == Kept::Table),
        listed_by: listed_by(context, &argument),
        argument,
        setter,
        idle: uses.idle,
        spent: uses.spent,
        carriers,
        reads: uses.reads,
        drops: uses.drops,
        tools: uses.tools,
        marking: uses.marking,
    };
    Ok(Step {
        id: format!("selection:{id}"),
        rule: RULE,
        title: format!("Make {name} an argument"),
        level: Level::Review,
        requires: Vec::new(),
        claims,
        notes: notes(&selection),
        kind: StepKind::Selection(Box::new(selection)),
    })
}

/// What the reader of a change has to know.
fn notes(selection: &Selection) -> Vec<String> {
    let readers: Vec<&str> = selection.tools.iter().map(|tool| tool.name.as_str()).collect();
    let gone: Vec<&str> = selection.gone().map(|tool| tool.name.as_str()).collect();
    let mut out = vec![format!(
        "{} take {}: what the session remembered is a choice that the caller can name",
        readers.join(", "),
        selection.argument.argument
    )];
    if !gone.is_empty() {
        out.push(format!("no longer of use, and taken out: {}", gone.join(", ")));
    }
    if selection.setter.tells.is_some() {
        let setter = &selection.setter.tool.name;
        out.push(format!("{setter} answers more than that it was done: it stays, and remembers nothing"));
    }
    out
}

/// The tool whose name says that it lists the things: `list_projects`.
fn listed_by(context: &Context<'_, '_>, argument: &Names) -> Option<String> {
    let mut noun = words(&argument.argument);
    if noun.len() > 1 && noun.last().is_some_and(|last| ["id", "name", "slug", "key"].contains(&last.as_str())) {
        noun.pop();
    }
    let lists = |tool: &String| {
        let mut words = words(tool);
        let last = words.pop().map(|last| super::handle::singular(&last));
        words.extend(last);
        words.first().is_some_and(|first| first == "list") && words[1..] == noun[..]
    };
    tool_names(context).into_iter().find(lists)
}

/// The argument keeps the name that it has in the tool which sets it, where that says what it is.
fn names(context: &Context<'_, '_>, given: &str, store: &str) -> Names {
    const PLAIN: &[&str] = &["id", "name", "value", "key", "target", "slug", "selection", "choice", "item"];
    let argument = if PLAIN.contains(&given) {
        let mut words: Vec<String> = words(store);
        words.retain(|word| {
            ![
                "active",
                "current",
                "selected",
                "selection",
                "chosen",
                "focused",
                "default",
                "by",
                "session",
                "per",
                "map",
            ]
            .contains(&word.as_str())
        });
        let noun = words.first().map_or("item".to_owned(), |word| super::handle::singular(word));
        let last = if given == "name" || given == "slug" { given } else { "id" };
        let camel = argument_names(context).iter().any(|name| name.chars().any(char::is_uppercase));
        if camel { format!("{noun}{}", capital(last)) } else { format!("{noun}_{last}") }
    } else {
        given.to_owned()
    };
    Names { variable: variable(&argument), argument }
}

/// What other functions call an argument.
fn variable(argument: &str) -> String {
    let words = words(argument);
    words.iter().take(1).cloned().chain(words.iter().skip(1).map(|word| capital(word))).collect()
}
