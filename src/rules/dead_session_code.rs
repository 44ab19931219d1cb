//! `dead-session-code`: session code that does nothing any more.

use super::detect::{Context, Detection, Spot};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::Failure;

/// The rule.
pub const RULE: Rule = Rule {
    name: "dead-session-code",
    severity: Severity::Warning,
    summary: "session code that does nothing any more",
    detect,
    docs: Docs {
        finds: "Code that only had a meaning while sessions existed: callbacks that never fire \
            (`onsessioninitialized`, `onsessionclosed`), a read of `transport.sessionId` that is always empty, \
            reapers over a map that is never filled, DELETE routes that end a session, leftovers of a half \
            migration. And what dies with the sessions that are still there: the header's name in CORS lists. That \
            alone does not give a server the facet of this name, which says that code is dead already.",
        why: "It misleads: people and agents who read it write more of it. A callback that never fires may also \
            have held clean-up that now never runs, which the finding says where it is so.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: undefined,
  onsessioninitialized: (id) => log.info({ id }, "session opened"),
});
app.use(cors({ exposedHeaders: ["Mcp-Session-Id"] }));
"#,
            good: r"
const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: undefined,
});
app.use(cors());
",
        }],
        migration: "The code goes, with the imports and helpers that only it used. Clean-up that hung on it moves to \
            where the state now ends: when a handle is destroyed or expires.",
        level: Level::Safe,
        safety: "No tool changes. It is a matter for review where a comment would go with the code, or where clean-up \
            has to move.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let mut out = Vec::new();
    let dead_maps = cx.signals.dead_maps.iter().filter_map(|id| cx.analysis.flow.holder(*id));
    for holder in dead_maps.filter(|holder| cx.modules[holder.module as usize]) {
        let at = Spot { module: holder.module, span: holder.span };
        let message = format!("nothing is ever put into `{}`: it is left over from sessions", holder.name);
        out.push(cx.at(&RULE, at, message, "remove it with the code that walks over it"));
    }
    for found in cx.analysis.dead.iter().filter(|found| cx.modules[found.holder.module as usize]) {
        let name = found.name;
        let message = if found.failure == Failure::Dead {
            format!("`{name}` is looked up by session, but nothing is ever put into it")
        } else {
            format!(
                "`{name}` is looked up by a session id that no client is ever given, since no transport opens a session"
            )
        };
        let mut detection =
            cx.store(&RULE, found, message, "remove it with the routes and the clean-up that use it".to_owned());
        detection.failure = Some(Failure::Dead);
        out.push(detection);
    }
    for at in cx.ours(&cx.signals.dead_callbacks) {
        out.push(cx.at(
            &RULE,
            cx.spot(at),
            "this callback never runs, since the transport opens no session",
            "remove it; clean-up that it did belongs to the end of the request or to an idle timer",
        ));
    }
    // A header list alone hurts nobody; beside sessions it goes with them.
    if cx.uses_sessions() {
        for at in cx.ours(&cx.signals.header_lists) {
            out.push(cx.at(
                &RULE,
                cx.spot(at),
                "no client sends or reads this header once sessions are gone",
                "take it off the list with the sessions",
            ));
        }
    }
    out
}
