//! What must change together, at which level, and why not where it is refused. Knows no syntax: steps speak of files and byte spans.
//!
//! A plan is made anew from every scan. A step that `requires` another is rendered only once that one is gone from the plan, which
//! is to say: applied. So no step ever has to know the edits of another.

pub mod allowance;
pub mod ambient;
pub mod blockers;
pub mod capabilities;
pub mod choice;
mod endings;
mod factories;
pub mod handle;
pub mod labels;
pub mod loggers;
mod old_endpoints;
pub mod origins;
pub mod records;
pub mod required;
pub mod selection;
pub mod settings;
pub mod singleton;
pub mod telemetry;
pub mod transport;
mod twins;
pub mod web;

use crate::classify::answer::Server;
pub use crate::edit::Level;
use crate::model::facts::Span;
use crate::rules::detect::{Context, Spot};
use crate::rules::finding::FixHint;
use crate::rules::stateless_capability;
use blockers::Blockers;
pub use settings::{Decision, PlanSettings, SharedStore};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The file, relative to the root.
    pub path: String,
    /// Bytes of the decoded text, without a byte order mark.
    pub span: Span,
}

/// A finding that a step takes away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its rule.
    pub rule: &'static str,
    /// Where it is reported.
    pub at: Site,
}

/// One idea, applied whole or not at all.
#[derive(Clone, Debug)]
pub struct Step {
    /// Names the step within the tree, the same in every round: `handle:src/server.ts#baskets`.
    pub id: String,
    /// The rule whose findings it answers.
    pub rule: &'static str,
    /// The idea in one line, imperative.
    pub title: String,
    /// What it asks of its reader.
    pub level: Level,
    /// Steps that have to be applied before.
    pub requires: Vec<String>,
    /// The findings it takes away.
    pub claims: Vec<Claim>,
    /// What is to be done.
    pub kind: StepKind,
    /// What its reader has to know.
    pub notes: Vec<String>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A store becomes a store of handles.
    Handle(Box<handle::Handle>),
    /// Log lines tell an id of the request.
    Labels(Box<labels::Labels>),
    /// A context variable that told the session goes.
    Ambient(Box<ambient::Ambient>),
    /// What a function that builds the server keeps for its tools becomes a store of handles.
    Captured(Box<handle::captured::Captured>),
    /// The keys of a store outside of the program hold a handle.
    External(Box<handle::external::External>),
    /// State that records hold beside the transport gets a table of its own.
    Records(Box<records::Records>),
    /// A choice that a session remembers becomes an argument.
    Selection(Box<selection::Selection>),
    /// A table of counts is keyed by network address.
    Telemetry(Box<telemetry::Telemetry>),
    /// Server and transport for each request.
    Transport(Box<transport::Transport>),
    /// Capabilities that nothing can keep go.
    Capabilities(Box<capabilities::Capabilities>),
    /// A suppression comment that allows nothing goes.
    Allowance(Box<allowance::Allowance>),
    /// Handles that may be left out are required.
    Required(Box<required::Required>),
    /// A set-up without a table of transports goes without sessions.
    Singleton(Box<singleton::Singleton>),
}

/// What the tool leaves to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manual {
    /// The rule whose finding it is about.
    pub rule: &'static str,
    /// The code that stands in the way.
    pub at: Site,
    /// What remains.
    pub what: String,
    /// Why the tool does not do it.
    pub why: String,
    /// The code that is the reason, where it is other code than that.
    pub cause: Option<Site>,
    /// What to do, one way each.
    pub todo: Vec<String>,
}

/// Something that had to be so, was looked at, and is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holds {
    /// What.
    pub what: String,
    /// Where it shows.
    pub at: Option<Site>,
}

/// A decision of a plan file that can't be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Where the plan file says it.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
    /// What to write instead.
    pub todo: String,
}

/// What is to be done about one server.
#[derive(Clone, Debug, Default)]
pub struct ServerPlan {
    /// The server's folder.
    pub server: String,
    /// Its language.
    pub language: &'static str,
    /// What can be done.
    pub steps: Vec<Step>,
    /// What could be done if a person had seen to the rest: tried out for what would stop it, and never applied.
    pub trials: Vec<Step>,
    /// What can't.
    pub manual: Vec<Manual>,
    /// Preconditions that hold.
    pub holds: Vec<Holds>,
    /// What a plan file says of it that can't be.
    pub wrong: Vec<Wrong>,
    /// Ids of choices among the fields of its stores, which a plan file may decide about.
    pub parts: Vec<String>,
}

impl ServerPlan {
    /// What the plan means for a finding.
    pub fn hint(&self, rule: &str, at: &Site) -> Option<FixHint> {
        let claimed = |step: &&Step| step.claims.iter().any(|claim| claim.rule == rule && claim.at == *at);
        if let Some(step) = self.steps.iter().find(claimed) {
            return Some(FixHint { level: step.level.id(), title: step.title.clone(), step: Some(step.id.clone()) });
        }
        let manual = self.manual.iter().find(|manual| manual.rule == rule && manual.at == *at)?;
        Some(FixHint { level: Level::Manual.id(), title: manual.what.clone(), step: None })
    }
}

/// A place of the program as a place in a file.
pub fn site(context: &Context<'_, '_>, spot: Spot) -> Site {
    Site { path: context.analysis.flow.program.module(spot.module).path.clone(), span: spot.span }
}

/// Whether there is a planner for a language.
pub fn speaks(language: &str) -> bool {
    matches!(language, "typescript" | "javascript")
}

/// Plans the migration of one server. `shared`: modules that it is made of and that belong to other servers too.
pub fn plan(context: &Context<'_, '_>, server: &Server, shared: &[u32], settings: &PlanSettings) -> ServerPlan {
    let mut out = ServerPlan { server: server.path.clone(), language: server.language, ..ServerPlan::default() };
    if !speaks(server.language) || !context.http {
        return out;
    }
    selection::plan(context, settings, &mut out);
    records::plan(context, settings, &mut out);
    handle::plan(context, server, settings, &mut out);
    handle::captured::plan(context, server, settings, &mut out);
    telemetry::plan(context, server, &mut out);
    labels::plan(context, &mut out);
    ambient::plan(context, &mut out);
    out.steps.extend(required::plan(context, &server.path, settings));
    let kept = choice::obey(context, settings, &mut out);
    let mut blockers = blockers::of(context, shared, &out.steps, &out.manual);
    let subscribed = blockers.manual.iter().any(|manual| manual.rule == stateless_capability::RULE.name);
    out.steps.extend(capabilities::plan(context).filter(|_| !subscribed));
    // What must not become a handle at all is not told how to become one.
    out.manual.retain(|manual| !blockers.manual.iter().any(|other| other.at == manual.at));
    // Where no session is opened any more, nothing can keep the server on them, unless a person wants it.
    let stand = blockers.stand && context.uses_sessions() || !kept.is_empty();
    blockers.manual.extend(kept);
    if stand {
        standing(context, server, &blockers, &mut out);
    } else {
        let (steps, refused) = without_sessions(context, server, &out.steps, &blockers);
        out.steps.extend(steps);
        out.manual.extend(refused);
    }
    out.manual.extend(old_endpoints::plan(context, &out.manual));
    out.manual.extend(blockers.manual);
    out.holds.extend(blockers.holds);
    out
}

/// What is said of a server that something keeps on sessions: what waits for it, and whatever else is in the way, so that a person
/// sees all of it at once.
fn standing(context: &Context<'_, '_>, server: &Server, blockers: &Blockers, out: &mut ServerPlan) {
    let causes = [out.manual.as_slice(), blockers.manual.as_slice()].concat();
    let waiting = singleton::waiting(context, &causes);
    let known: Vec<Site> = causes.iter().chain(&waiting).map(|manual| manual.at.clone()).collect();
    let (steps, more) = without_sessions(context, server, &out.steps, blockers);
    out.manual.extend(waiting);
    out.manual.extend(more.into_iter().filter(|manual| !known.contains(&manual.at)));
    // What is kept by session makes a mess of the code around it: what else is in the way shows once that is moved.
    if context.stores().all(|found| found.holds == crate::classify::answer::Holds::Transport) {
        out.trials = steps;
    }
}

/// The steps that take the sessions themselves away. They come last.
fn without_sessions(
    context: &Context<'_, '_>,
    server: &Server,
    steps: &[Step],
    blockers: &Blockers,
) -> (Vec<Step>, Vec<Manual>) {
    // A table of transports goes with its routes; what stands in no table is simpler, where it can be told.
    let in_table = context.stores().any(|found| found.with_transport) || transport::replaced(context);
    let singleton = match in_table {
        true => singleton::Planned::default(),
        false => singleton::plan(context, server, steps, blockers),
    };
    if singleton.blocked || !singleton.steps.is_empty() {
        return (singleton.steps, singleton.manual);
    }
    let transport = transport::plan(context, server, steps);
    let notes = |step: Step| Step { notes: [step.notes, blockers.notes.clone()].concat(), ..step };
    // Labels and context variables belong to no store.
    let labels = steps
        .iter()
        .filter(|step| matches!(step.kind, StepKind::Labels(_) | StepKind::Ambient(_)))
        .map(|step| step.id.clone());
    let waits = |step: Step| Step { requires: step.requires.iter().cloned().chain(labels).collect(), ..step };
    match transport.step {
        Some(step) => (vec![notes(waits(step))], Vec::new()),
        None if in_table => (Vec::new(), transport.manual),
        None => (Vec::new(), singleton.manual),
    }
}
