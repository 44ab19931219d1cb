//! `stateless-capability`: a capability is declared that a sessionless server can't deliver.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::model::lives::Mode;

/// The rule.
pub const RULE: Rule = Rule {
    name: "stateless-capability",
    severity: Severity::Warning,
    summary: "a capability is declared that a sessionless server can't deliver",
    detect,
    docs: Docs {
        finds: "A sessionless server that declares `listChanged`, `logging` or `subscribe`, or sends the \
            notifications that belong to them.",
        why: "The declaration is a promise that clients rely on: they wait for a notification that never comes, \
            instead of asking again. In sessionless mode such notifications are dropped without an error; only \
            what belongs to a running request still arrives, such as its progress.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const server = new McpServer(
  { name: "catalogue", version: "1.0.0" },
  { capabilities: { tools: { listChanged: true }, logging: {} } },
);
"#,
            good: r#"
const server = new McpServer(
  { name: "catalogue", version: "1.0.0" },
  { capabilities: { tools: {} } },
);
"#,
        }],
        migration: "Drop the declaration and the sends. Logs go to stderr or to a logging service. On an SDK that speaks \
            2026-07-28, changes are published to `subscriptions/listen` instead.",
        level: Level::Safe,
        safety: "No tool changes. It is left alone where another leg of the same server (stdio, or an older one with \
            sessions) can deliver.",
        references: &[
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
            "SEP-2577: roots, sampling and logging are deprecated",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    // A modern entry point delivers through subscriptions, a stdio leg as before.
    if !cx.http || cx.serves_stdio() || cx.signals.entries.iter().any(|at| cx.here(*at)) {
        return Vec::new();
    }
    let sessionful = cx.transports().any(|site| site.sse || site.mode != Mode::Off);
    cx.signals
        .capabilities
        .iter()
        .filter(|(at, _)| cx.here(*at))
        // With sessions a list's changes arrive; who subscribed is lost with them, and has to be decided beforehand.
        .filter(|(_, name)| !sessionful || *name == "subscribe")
        .map(|(at, name)| {
            cx.at(
                &RULE,
                cx.spot(*at),
                format!(
                    "the capability `{name}` needs a standing connection, which a sessionless server does not have"
                ),
                "take it out with the sessions, or serve `subscriptions/listen` on an SDK that speaks 2026-07-28",
            )
        })
        .collect()
}
