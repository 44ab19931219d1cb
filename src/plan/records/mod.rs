//! Records that hold the transport of a session and its state together: the state gets a table of its own beside them. That table is
//! turned into handles next, and the records go with their transports.

mod kept;
mod names;
mod parts;
mod told;

use super::handle::{Container, Place, Problem, container, made, place, refused};
use super::{Claim, Level, PlanSettings, ServerPlan, Site, Step, StepKind, choice, selection, site};
use crate::classify::access::Kind;
use crate::classify::answer::{Carrier, Holds, KeyedBy};
use crate::classify::stores::Found;
use crate::model::program::ExprRef;
use crate::rules::detect::{Context, Spot};
use crate::rules::session_keyed_state;
use kept::Kept;
use parts::{Part, Parts};

/// Records that are taken apart.
#[derive(Clone, Debug)]
pub struct Records {
    /// The name of the table at its declaration.
    pub declared: Site,
    /// What makes the table.
    pub made: Site,
    /// The table.
    pub name: String,
    /// How it is written.
    pub container: Container,
    /// Where it lives.
    pub place: Place,
    /// The table that the state gets.
    pub table: String,
    /// The type of what is in that.
    pub state: String,
    /// The fields that go there.
    pub fields: Vec<String>,
    /// Mentions of the table whose records are used for their state alone.
    pub turned: Vec<Site>,
    /// Where records are put into the table.
    pub written: Vec<Written>,
    /// Where they are taken out.
    pub dropped: Vec<Dropped>,
    /// Parameters and variables that hold state.
    pub states: Vec<Site>,
    /// Those that hold what is left of a record.
    pub rest: Vec<Site>,
    /// Functions that answer state.
    pub answering: Vec<Site>,
    /// Assignments by which tools note when a session was used last: what becomes of the state keeps that by itself.
    pub ticks: Vec<Site>,
    /// State that is read where the rest of a record is as well.
    pub apart: Vec<Apart>,
}

/// A record that is put into the table.
#[derive(Clone, Debug)]
pub struct Written {
    /// The access.
    pub at: Site,
    /// The key.
    pub key: Site,
    /// The table.
    pub table: Site,
    /// The object literal.
    pub value: Site,
    /// It holds state alone, and changes what is there.
    pub update: bool,
}

/// A record that is taken out of the table.
#[derive(Clone, Debug)]
pub struct Dropped {
    /// The access.
    pub at: Site,
    /// The key.
    pub key: Site,
    /// The table.
    pub table: Site,
}

/// State that is read beside the rest of a record.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The read.
    pub at: Site,
    /// The key of its record.
    pub key: Site,
    /// The table that its record was looked up in.
    pub table: Site,
}

/// Plans which records are taken apart.
pub fn plan(context: &Context<'_, '_>, settings: &PlanSettings, out: &mut ServerPlan) {
    let stores = context.stores().filter(|found| {
        found.with_transport
            && found.holds == Holds::AppState
            && found.keyed_by == KeyedBy::SessionId
            && choice::carrier(context, settings, found) == Carrier::Handle
            && !selection::splits(&out.steps, &declared(context, found))
    });
    for found in stores.collect::<Vec<_>>() {
        match step(context, found) {
            Ok(step) => out.steps.push(step),
            Err(problem) => out.manual.push(refused(context, found, problem)),
        }
    }
}

fn declared(context: &Context<'_, '_>, found: &Found) -> Site {
    site(context, Spot { module: found.holder.module, span: found.holder.span })
}

fn step(context: &Context<'_, '_>, found: &Found) -> Result<Step, Problem> {
    let at = declared(context, found);
    let stop = |why: &str, todo: &str| Problem { at: at.clone(), why: why.to_owned(), todo: todo.to_owned() };
    let apart = "keep the state in a map of its own first; the transport goes with the sessions";
    if found.with_auth {
        return Err(stop(
            "its records hold the transport and credentials as well, and these never become handles",
            "take the caller from each request (`authInfo`), and keep the rest in a store of its own",
        ));
    }
    let made = made(context.analysis, found).ok_or_else(|| stop("its records hold the transport as well", apart))?;
    let kind = container(context.analysis, made).filter(|kind| *kind != Container::Set);
    let kind = kind.ok_or_else(|| stop("its records hold the transport as well", apart))?;
    let place = place(context, found).filter(|place| *place != Place::Local);
    let place = place.ok_or_else(|| stop("its records hold the transport as well", apart))?;
    let parts = Parts::of(context, found)?;
    let kept = Kept::of(context, found, &parts)?;
    let spot = |at: ExprRef| site(context, context.spot(at));
    let mut turned: Vec<Site> = parts.of_kind(Part::State).flat_map(|part| &part.tables).map(|at| spot(*at)).collect();
    turned.extend(kept.tests.iter().map(|access| spot(access.receiver)));
    turned.extend(kept.updated().map(spot));
    turned.sort();
    turned.dedup();
    let symbols = |kind: Part| {
        let symbols = parts.of_kind(kind).flat_map(|part| &part.symbols);
        let mut out: Vec<Site> = symbols
            .map(|symbol| {
                let span = context.analysis.flow.program.symbol(*symbol).span;
                site(context, Spot { module: symbol.module, span })
            })
            .collect();
        out.sort();
        out
    };
    let functions = parts.of_kind(Part::State).flat_map(|part| &part.functions).map(|func| {
        let span = context.analysis.flow.program.function(*func).span;
        site(context, Spot { module: func.module, span })
    });
    let drops = found.uses.iter().filter(|access| access.kind == Kind::Delete);
    let names = names::of(context, found, &parts.state);
    let records = Records {
        made: spot(made),
        name: found.name.text().to_owned(),
        container: kind,
        place,
        table: names.table,
        state: names.state,
        fields: parts.state.iter().map(|name| name.text().to_owned()).collect(),
        turned,
        written: kept.written(context),
        dropped: drops
            .map(|access| Dropped { at: spot(access.at), key: spot(access.key), table: spot(access.receiver) })
            .collect(),
        states: symbols(Part::State),
        rest: symbols(Part::Rest),
        answering: functions.collect(),
        ticks: parts.ticks.iter().map(|at| spot(*at)).collect(),
        apart: parts
            .apart
            .iter()
            .map(|(at, access)| Apart { at: spot(*at), key: spot(access.key), table: spot(access.receiver) })
            .collect(),
        declared: at.clone(),
    };
    Ok(Step {
        id: format!("records:{}#{}", at.path, found.name),
        rule: session_keyed_state::RULE.name,
        title: format!("Keep {} apart from {}", records.table, found.name),
        level: Level::Review,
        requires: Vec::new(),
        claims: vec![Claim { rule: session_keyed_state::RULE.name, at }],
        notes: vec![format!("{} held the transport and {} in one record", found.name, records.fields.join(", "))],
        kind: StepKind::Records(Box::new(records)),
    })
}

impl Records {
    /// The step that is to follow: without it there is no use in this one.
    pub fn leads_to(&self) -> String {
        format!("handle:{}#{}", self.declared.path, self.table)
    }
}
