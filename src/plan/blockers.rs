//! What keeps a server on sessions: code that a request without one would break, each with its place, the reason, and what to do. And
//! what was looked for and is not there.

mod advice;
mod client;
mod ids;
mod resumption;
mod state;

use super::{Holds, Manual, Site, Step, site};
use crate::model::facts::Imported;
use crate::model::vocabulary::Op;
use crate::rules::detect::{Context, Spot};
use crate::rules::implicit_sessions;

/// What the look at a server brought.
#[derive(Clone, Debug, Default)]
pub struct Blockers {
    /// Something keeps the server on sessions.
    pub stand: bool,
    /// What has to be decided before the transport can go without sessions.
    pub manual: Vec<Manual>,
    /// What was looked at and holds.
    pub holds: Vec<Holds>,
    /// What clients lose, though nothing breaks.
    pub notes: Vec<String>,
}

/// Looks at a server. `shared` are modules that other servers are made of too. `steps` are those planned for its stores: what one of
/// them takes care of blocks nothing. `told` is what was said of the other stores.
pub fn of(context: &Context<'_, '_>, shared: &[u32], steps: &[Step], told: &[Manual]) -> Blockers {
    let mut out = Blockers::default();
    client::look(context, steps, &mut out);
    resumption::look(context, &mut out);
    state::look(context, shared, steps, told, &mut out);
    ids::look(context, steps, &mut out);
    frameworks(context, &mut out);
    eras(context, &mut out);
    out.manual.sort_by(|a, b| a.at.cmp(&b.at));
    out.manual.dedup_by(|a, b| a.at == b.at && a.rule == b.rule);
    out
}

impl Blockers {
    fn block(&mut self, rule: &'static str, at: Site, what: impl Into<String>, why: &str, todo: &[&str]) {
        let todo = todo.iter().map(|todo| (*todo).to_owned()).collect();
        self.stand = true;
        self.manual.push(Manual { rule, at, what: what.into(), why: why.to_owned(), cause: None, todo });
    }

    fn hold(&mut self, what: &str) {
        self.holds.push(Holds { what: what.to_owned(), at: None });
    }
}

/// Libraries that keep the sessions themselves, and transports of third parties.
fn frameworks(context: &Context<'_, '_>, out: &mut Blockers) {
    let rule = implicit_sessions::RULE.name;
    let hidden = context.ours(&context.signals.frameworks).chain(context.ours(&context.signals.generators));
    for at in hidden {
        out.block(
            rule,
            site(context, context.call_spot(at)),
            "a library keeps the sessions here",
            "how it makes servers and transports is its own affair; an edit from outside would guess",
            &[
                "see whether the library has a sessionless mode, or a release for revision 2026-07-28",
                "else serve with the SDK's own transport, a server for each request",
            ],
        );
    }
    for transport in context.transports() {
        let package = context.analysis.flow.object(transport.object).external.map(|(package, _)| package);
        let Some(package) = package.filter(|package| !package.text().starts_with("@modelcontextprotocol/")) else {
            continue;
        };
        out.block(
            rule,
            site(context, context.call_spot(transport.at)),
            format!("the transport is that of `{package}`"),
            "what it does without a session is not known here",
            &["use the SDK's `WebStandardStreamableHTTPServerTransport`, made for each request, and run this again"],
        );
    }
}

/// Code that tells old requests from new ones keeps sessions for the old ones on purpose, which is legal.
fn eras(context: &Context<'_, '_>, out: &mut Blockers) {
    for (module, facts) in (0u32..).zip(&context.analysis.flow.program.modules) {
        if !context.modules[module as usize] {
            continue;
        }
        let tables = context.analysis.flow.program.tables(module);
        let fork = facts.imports.iter().find(|import| {
            let Imported::Named(name) = import.imported else { return false };
            tables.export(import.source.text(), name.text()).is_some_and(|row| row.does == Some(Op::IsLegacy))
        });
        if let Some(import) = fork {
            out.block(
                implicit_sessions::RULE.name,
                site(context, Spot { module, span: import.span }),
                "old requests are told from new ones, and served with sessions",
                "that is legal, and somebody chose it: when the old clients may lose their sessions is not for a program to say",
                &["nothing, as long as clients of earlier revisions need their sessions", "else serve all with `createMcpHandler`, and delete the rest"],
            );
        }
    }
}

/// Whether a step takes away the finding of a rule at a place.
fn is_claimed(steps: &[Step], at: &Site) -> bool {
    steps.iter().any(|step| step.claims.iter().any(|claim| claim.at == *at))
}
