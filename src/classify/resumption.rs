//! Streams that clients resume: where code reads `Last-Event-ID`, replays events, or closes streams so that clients come back.

use super::stores::Analysis;
use crate::model::facts::{ExprKind, Module};
use crate::model::flow::Flow;
use crate::model::flow::value::Value;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};

/// What counts on a stream that is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumes {
    /// A read of `Last-Event-ID`.
    Reads,
    /// A call that replays events or closes a stream.
    Calls(Name),
}

/// What replays events, and what closes streams, in the SDKs of TypeScript and Python.
const REPLAYS: &[&str] = &["replayEventsAfter", "replay_events_after"];
const CLOSES: &[&str] = &[
    "closeSSEStream",
    "closeStandaloneSSEStream",
    "closeSSE",
    "closeStandaloneSSE",
    "close_sse_stream",
    "close_standalone_sse_stream",
];

/// All places of a program that count on streams of the protocol being resumed.
pub(super) fn find(analysis: &Analysis<'_>) -> Vec<(ExprRef, Resumes)> {
    let flow = &analysis.flow;
    let speaking = speaking(flow);
    let at_place = |at: ExprRef| {
        if reads_last_event_id(flow, at) {
            return Some((at, Resumes::Reads));
        }
        let name = resumes(flow, at)?;
        // A method of the program's own of that name closes what it likes.
        let own = CLOSES.contains(&name.text()) && !flow.callees(at).is_empty();
        (!own).then_some((at, Resumes::Calls(name)))
    };
    flow.program
        .exprs_of([Sort::Index, Sort::Contains, Sort::Call])
        .filter(|at| speaking[at.module as usize])
        .filter_map(at_place)
        .collect()
}

/// For each module, whether it has to do with the protocol: other routes of an application have streams of events as well.
fn speaking(flow: &Flow<'_>) -> Vec<bool> {
    let of_sdk = |source: &str| {
        let package = source.split(['.', ':']).next().unwrap_or_default();
        source.starts_with("@modelcontextprotocol/") || matches!(package, "mcp" | "fastmcp" | "rmcp" | "rust_mcp_sdk")
    };
    let names_it = |text: &str| text.ends_with("/mcp") || text.eq_ignore_ascii_case("mcp-session-id");
    let imports_it = |facts: &Module| facts.imports.iter().any(|import| of_sdk(import.source.text()));
    let mut speaking: Vec<bool> = flow.program.modules.iter().map(imports_it).collect();
    for source in flow.sources() {
        speaking[source.at.module as usize] = true;
    }
    for at in flow.program.exprs_of([Sort::Text]) {
        let speaks = &mut speaking[at.module as usize];
        *speaks = *speaks || matches!(flow.program.kind(at), ExprKind::Text(text) if names_it(text.text()));
    }
    speaking
}

/// Whether an expression reads the header: `headers['last-event-id']`, `req.get(LAST_EVENT_ID)`, `"last-event-id" in headers`.
pub fn reads_last_event_id(flow: &Flow<'_>, at: ExprRef) -> bool {
    let names_it = |id| {
        let mut texts = flow.at(At { module: at.module, id }).iter().filter_map(|value| match value {
            Value::Text(text) => Some(text.text()),
            _ => None,
        });
        // A name that is one of many belongs to code that hands headers on, whatever they are.
        texts.next().is_some_and(|text| text.eq_ignore_ascii_case("last-event-id")) && texts.next().is_none()
    };
    let facts = flow.program.module(at.module);
    match facts.kind(at.id) {
        ExprKind::Index { key, .. } => {
            let parent = facts.expr(at.id).parent.map(|parent| facts.kind(parent));
            let written = matches!(parent, Some(ExprKind::Assign { target, .. }) if *target == at.id);
            !written && names_it(*key)
        }
        ExprKind::Contains { haystack, needle } => {
            let name = flow.written_name(At { module: at.module, id: *haystack });
            name.is_some_and(|name| name.text().to_ascii_lowercase().ends_with("headers")) && names_it(*needle)
        }
        ExprKind::Call { callee, args } => {
            let looks_up = matches!(facts.kind(*callee), ExprKind::Member { name, .. } if matches!(name.text(), "get" | "header" | "has" | "contains_key"));
            // With a second value it is a default (Python).
            looks_up && args.len() <= 2 && args.first().is_some_and(|arg| names_it(arg.value))
        }
        _ => false,
    }
}

/// The call's name where it replays events or closes a stream.
pub fn resumes(flow: &Flow<'_>, at: ExprRef) -> Option<Name> {
    let facts = flow.program.module(at.module);
    let ExprKind::Call { callee, .. } = facts.kind(at.id) else { return None };
    let ExprKind::Member { name, .. } = facts.kind(*callee) else { return None };
    (REPLAYS.contains(&name.text()) || CLOSES.contains(&name.text())).then_some(*name)
}
