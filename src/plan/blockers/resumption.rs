//! Streams that clients resume, which only a session makes possible.

use crate::classify::resumption::{reads_last_event_id, resumes};
use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::Flow;
use crate::model::program::{At, ExprRef};
use crate::plan::loggers::{is_told, tells};
use crate::plan::site;
use crate::rules::detect::Context;
use crate::rules::stream_resumability;

use super::Blockers;

/// Streams that are resumed, or closed so that they will be.
pub fn look(context: &Context<'_, '_>, out: &mut Blockers) {
    let rule = stream_resumability::RULE.name;
    let before = out.manual.len();
    let mut told = false;
    for at in context.analysis.flow.program.exprs().filter(|at| context.here(*at)) {
        let read = reads_last_event_id(&context.analysis.flow, at);
        let only_told = read && only_tells(context, at);
        told |= only_told;
        if read && !only_told {
            out.block(
                rule,
                site(context, context.spot(at)),
                "`Last-Event-ID` is read here",
                "a client that comes back for the rest of a stream needs the session that the stream belonged to",
                &["let the client send its request again, and delete this; or keep the server on sessions until it can"],
            );
        }
        if let Some(name) = resumes(&context.analysis.flow, at) {
            out.block(
                rule,
                site(context, context.call_spot(at)),
                format!("`{name}` is called here"),
                "a stream that is closed or replayed on purpose counts on a client that resumes it, which needs a session",
                &["answer within the request; where the work takes long, use the tasks extension, or a tool that tells how far it is"],
            );
        }
    }
    if out.manual.len() > before {
        return;
    }
    if told {
        out.hold(
            "log lines alone tell of `Last-Event-ID`; no code replays events or closes streams for clients to resume",
        );
    } else {
        out.hold("no code reads `Last-Event-ID`, replays events or closes streams for clients to resume");
    }
}

/// Whether nothing is done by what was read but to write log lines: the value stands in them, or chooses between them.
fn only_tells(context: &Context<'_, '_>, read: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(read.module);
    let mut value = read.id;
    while let Some(cast) =
        facts.expr(value).parent.filter(|parent| matches!(facts.kind(*parent), ExprKind::Cast { .. }))
    {
        value = cast;
    }
    if is_told(flow, At { module: read.module, id: value }) {
        return true;
    }
    let Some(index) = facts.symbols.iter().position(|symbol| symbol.init == Some(value)) else { return false };
    let uses =
        facts.expr_ids().filter(|id| matches!(facts.kind(*id), ExprKind::Symbol(known) if known.index() == index));
    // The declaration itself is an assignment as well.
    let declares = |id: ExprId| {
        let parent = facts.expr(id).parent.map(|parent| facts.kind(parent));
        matches!(parent, Some(ExprKind::Assign { target, value: given, .. }) if *target == id && *given == value)
    };
    let mut uses = uses.filter(|id| !declares(*id));
    uses.all(|id| {
        is_told(flow, At { module: read.module, id }) || chooses_log_lines(flow, At { module: read.module, id })
    })
}

/// Whether an expression is a part of a condition, and nothing but log lines depends on it.
fn chooses_log_lines(flow: &Flow<'_>, used: ExprRef) -> bool {
    let facts = flow.program.module(used.module);
    let at = facts.expr(used.id).span;
    let around = facts.branches.iter().filter(|branch| facts.expr(branch.condition).span.contains(at));
    let Some(branch) = around.min_by_key(|branch| branch.span.end - branch.span.start) else { return false };
    let mut above = Some(used.id);
    while let Some(id) = above.filter(|id| facts.expr(branch.condition).span.contains(facts.expr(*id).span)) {
        if does_more(facts.kind(id)) {
            return false;
        }
        above = facts.expr(id).parent;
    }
    let arms = [Some(branch.then), branch.otherwise];
    let dependent = |id: &ExprId| arms.iter().flatten().any(|arm| arm.contains(facts.expr(*id).span));
    !branch.then_leaves
        && !branch.otherwise_leaves
        && facts.expr_ids().filter(dependent).all(|id| {
            let own = At { module: used.module, id };
            !does_more(facts.kind(id)) || is_told(flow, own) || tells(flow, own)
        })
}

/// Whether an expression does something beyond having a value.
fn does_more(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Call { .. }
            | ExprKind::New { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Delete { .. }
            | ExprKind::Return(_)
            | ExprKind::Yield(_)
            | ExprKind::Throw(_)
            | ExprKind::Function(_)
    )
}
