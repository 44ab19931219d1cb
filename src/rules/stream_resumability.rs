//! `stream-resumability`: streams can be resumed after a break.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::resumption::Resumes;

/// The rule.
pub const RULE: Rule = Rule {
    name: "stream-resumability",
    severity: Severity::Note,
    summary: "streams can be resumed after a break",
    detect,
    docs: Docs {
        finds: "An event store given to a transport, code that reads `Last-Event-ID` or replays events, streams that \
            are closed on purpose so that the client comes back (`closeSSEStream()`, `close_sse_stream()`).",
        why: "Resumption belongs to a session's stream. Revision 2026-07-28 has neither: a client that lost an \
            answer sends the request again. In sessionless mode nothing reads the store. A tool that takes long \
            enough to need it is better served by the tasks extension.",
        examples: &[Example {
            language: "TypeScript",
            bad: r"
new StreamableHTTPServerTransport({
  sessionIdGenerator: () => randomUUID(),
  eventStore: new InMemoryEventStore(),
});
",
            good: r"
new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
",
        }],
        migration: "An event store alone is dropped. Tools whose calls may be repeated must bear it: an idempotency key, \
            or a check whether the work is done already. Long work becomes a task.",
        level: Level::Review,
        safety: "Clients lose what they had: an answer that broke off is not continued. It is manual where code does \
            more with `Last-Event-ID` than to log it, or closes streams on purpose, since then the application relies on it.",
        references: &[
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
            "SEP-2663: tasks become an extension with get, update and cancel",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let stores = cx.ours(&cx.signals.event_stores).map(|at| {
        cx.at(
            &RULE,
            cx.call_spot(at),
            "an event store lets clients resume a stream of their session; revision 2026-07-28 has no such streams",
            "drop the event store; a client whose stream breaks sends its request again",
        )
    });
    let resumed = cx.signals.resumed.iter().filter(|(at, _)| cx.http && cx.here(*at)).map(|(at, how)| match how {
        Resumes::Reads => cx.at(
            &RULE,
            cx.spot(*at),
            "`Last-Event-ID` is read here; revision 2026-07-28 has no streams that clients resume",
            "let the client send its request again",
        ),
        Resumes::Calls(name) => cx.at(
            &RULE,
            cx.call_spot(*at),
            format!("`{name}` counts on a client that resumes its stream, which revision 2026-07-28 does not have"),
            "answer within the request; where the work takes long, use the tasks extension",
        ),
    });
    stores.chain(resumed).collect()
}
