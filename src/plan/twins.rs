//! What serves requests without sessions already, beside what will: an entry point of its own, a path, a branch. After the step both
//! do the same, under names that may say otherwise.

use super::{Site, site};
use crate::model::lives::Mode;
use crate::model::vocabulary::Role;
use crate::rules::detect::Context;

/// The places where a package makes transports that open no sessions, and handlers that need none.
pub(super) fn of(context: &Context<'_, '_>) -> Vec<Site> {
    let flow = &context.analysis.flow;
    let transports = context.transports().filter(|found| !found.sse && found.mode == Mode::Off).map(|found| found.at);
    let handlers = context
        .ours(&context.signals.entries)
        .filter(|at| flow.objects_at(*at).any(|id| flow.object(id).role == Some(Role::RequestEntry)));
    let mut out: Vec<Site> = transports.chain(handlers).map(|at| site(context, context.call_spot(at))).collect();
    out.sort();
    out.dedup();
    out
}
