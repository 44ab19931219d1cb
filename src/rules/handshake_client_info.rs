//! `handshake-client-info`: what the client said in the handshake is read later.

use super::detect::{Context, Detection, Spot};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "handshake-client-info",
    severity: Severity::Note,
    summary: "what the client said in the handshake is read later",
    detect,
    docs: Docs {
        finds: "Reads of what `initialize` left behind: `getClientVersion()`, `getClientCapabilities()`, \
            `session.client_params`, `peer_info()`, hooks that run with it or after it (`oninitialized`, \
            `on_initialized`, `on_initialize` of a middleware).",
        why: "There is no handshake any more: client info and capabilities come with each request, in `_meta`. In \
            sessionless mode the getters answer `undefined`, and hooks never run. A default in its place (`?? \
            \"unknown\"`, `unwrap_or_default()`) hides that: every client then looks the same. Where the first \
            value is kept for the process, all clients look like the first one.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
server.registerTool("render", schema, async ({ id }) => {
  const client = server.server.getClientVersion()?.name ?? "unknown";
  return client === "desk" ? rich(id) : plain(id);
});
"#,
                good: r#"
server.registerTool("render",
  { inputSchema: { id: z.string(), style: z.enum(["rich", "plain"]) } },
  async ({ id, style }) => (style === "rich" ? rich(id) : plain(id)));
"#,
            },
            Example {
                language: "Rust",
                bad: r"
let client = context.peer.peer_info().cloned().unwrap_or_default();
",
                good: r"
// Absent is a case of its own, not a client with an empty name.
let Some(client) = context.peer.peer_info() else { return plain(id) };
",
            },
        ],
        migration: "Read client info and capabilities from the request where the SDK gives them; where an answer depends \
            on them, make the choice an argument or give the answer that every client understands. Nothing read \
            from one request is kept for the next.",
        level: Level::Review,
        safety: "No tool schema changes unless the choice becomes an argument. Code that only logs the name can be \
            edited safely.",
        references: &[
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let unread = if cx.http {
        "what the client said in the handshake is not known to a request without a session"
    } else {
        "revision 2026-07-28 has no handshake: what the client says of itself comes with each request"
    };
    let reads = cx.ours(&cx.signals.client_info).map(|at| {
        let advice = "read it from the request's `_meta`, on an SDK that speaks 2026-07-28, and expect it to be absent";
        cx.at(&RULE, cx.call_spot(at), unread, advice)
    });
    let hooks = cx.signals.hooks.iter().filter(|(module, _)| cx.modules[*module as usize]).map(|(module, span)| {
        cx.at(
            &RULE,
            Spot { module: *module, span: *span },
            "this hook runs with the handshake, which revision 2026-07-28 does not have: it never runs there",
            "do what it does where the process starts, or in the requests that need it",
        )
    });
    reads.chain(hooks).collect()
}
