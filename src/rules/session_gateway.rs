//! `session-gateway`: the session selects an upstream or a child process.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::Holds;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-gateway",
    severity: Severity::Error,
    summary: "the session selects an upstream or a child process",
    detect,
    docs: Docs {
        finds: "A store keyed by session whose values are upstream clients, child processes or backend addresses; \
            sticky routing by the header; one upstream opened per session in a factory.",
        why: "What a session tied together no longer has a name. Depending on the code every request gets an \
            upstream of its own, all callers share one, or every call is refused. An old-era upstream still \
            needs its own session, which the gateway must then find again by something else.",
        examples: &[Example {
            language: "TypeScript",
            bad: r"
const children = new Map<string, Client>();

async function childFor(sessionId: string) {
  if (!children.has(sessionId)) children.set(sessionId, await spawnWorker());
  return children.get(sessionId)!;
}
",
            good: r#"
// One possible design: the upstream is named by a handle.
server.registerTool("open_workspace", {}, async () => {
  const workspace_id = workspaces.create(await spawnWorker());
  return {
    structuredContent: { workspace_id },
    content: [{ type: "text", text: `workspace_id: ${workspace_id}` }],
  };
});
"#,
        }],
        migration: "A design, not an edit. Route by the authenticated principal (a stable identity, not a token that \
            rotates), by a handle that names the upstream, or make the upstream stateless so that any will do. \
            Lists must come from a source that does not depend on the session: ask one upstream, once. Pass \
            `params` and `_meta` through unchanged.",
        level: Level::Manual,
        safety: "Nothing is edited, and nothing in the same server that hangs on the choice either. A gateway that \
            must go on speaking the older protocol to its clients may keep sessions there: that works, and is \
            said.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.holds == Holds::Upstream)
        .map(|found| {
            let message = format!(
                "`{}` ties an upstream connection or a child process to the session; there is no mechanical replacement",
                found.name
            );
            let advice = "decide how requests find their upstream: by the authenticated user, by a handle, by a header of the \
                gateway's own, or by one shared upstream that keeps no state";
            cx.store(&RULE, found, message, advice.to_owned())
        })
        .collect()
}
