//! `stateless-capability`: a sessionless server declares or sends what it can't deliver.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::model::lives::Mode;
use crate::model::program::ExprRef;

/// The rule.
pub const RULE: Rule = Rule {
    name: "stateless-capability",
    severity: Severity::Warning,
    summary: "a capability is declared that a sessionless server can't deliver",
    detect,
    docs: Docs {
        finds: "A sessionless server that declares `listChanged` or `subscribe`, or sends notifications of these or of \
            `logging` outside the answer to a request: `sendResourceUpdated`, `sendToolListChanged`, \
            `sendLoggingMessage`, `send_resource_updated`. A declaration of `logging` alone is none: what belongs to \
            a request (`extra.sendNotification`, `ctx.info`) arrives with its answer.",
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
await server.server.sendLoggingMessage({ level: "info", data: "ready" });
"#,
            good: r#"
const server = new McpServer(
  { name: "catalogue", version: "1.0.0" },
  { capabilities: { tools: {} } },
);
console.error("ready");
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

/// Whether something else of the server delivers: a modern entry point through subscriptions, a stdio leg as before.
fn delivers_elsewhere(cx: &Context<'_, '_>) -> bool {
    !cx.http || cx.serves_stdio() || cx.signals.entries.iter().any(|at| cx.here(*at))
}

fn is_sessionful(cx: &Context<'_, '_>) -> bool {
    cx.transports().any(|site| site.sse || site.mode != Mode::Off)
}

/// The capabilities that a server without sessions offers and can't keep, and that nothing of it uses: where each says that it is
/// offered.
pub fn idle(cx: &Context<'_, '_>) -> Vec<ExprRef> {
    let used = cx.signals.undelivered.iter().any(|(at, _)| cx.here(*at));
    // Sessions of a server that speaks the protocol by itself have streams too.
    let kept = cx.stores().any(|found| found.with_transport);
    if delivers_elsewhere(cx) || is_sessionful(cx) || !is_sessionless(cx) || used || kept {
        return Vec::new();
    }
    cx.signals.capabilities.iter().map(|(at, _)| *at).filter(|at| cx.here(*at)).collect()
}

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    if delivers_elsewhere(cx) {
        return Vec::new();
    }
    let sessionful = is_sessionful(cx);
    let declared = cx
        .signals
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
        });
    let sent = cx.signals.undelivered.iter().filter(|(at, _)| cx.here(*at) && !sessionful && is_sessionless(cx));
    let sent = sent.map(|(at, name)| {
        cx.at(
            &RULE,
            cx.call_spot(*at),
            format!("`{name}` belongs to no request: without a session it reaches nobody, and no error says so"),
            "send it within a request whose answer it belongs to, or publish changes on an SDK that speaks 2026-07-28",
        )
    });
    declared.chain(sent).collect()
}

/// Whether all that is known of the package's HTTP side opens no sessions.
fn is_sessionless(cx: &Context<'_, '_>) -> bool {
    let mut setups = cx.signals.setups.sites.iter().filter(|site| cx.here(site.at)).peekable();
    let known = cx.transports().next().is_some() || setups.peek().is_some();
    let sse = cx.ours(&cx.signals.setups.sse).next().is_some();
    let framework = cx.ours(&cx.signals.frameworks).next().is_some();
    known && !sse && !framework && setups.all(|site| site.mode == Mode::Off)
}
