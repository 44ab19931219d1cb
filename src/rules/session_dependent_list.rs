//! `session-dependent-list`: a list of tools, resources or prompts varies by session or by earlier calls.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-dependent-list",
    severity: Severity::Warning,
    summary: "a list of tools, resources or prompts varies by session or by earlier calls",
    detect,
    docs: Docs {
        finds: "Tools, resources or prompts that are registered, removed, enabled or disabled inside a handler, and \
            list handlers that filter by session or by what was called before.",
        why: "List endpoints must not vary by connection, by conversation or as a side effect of other calls; they \
            may depend on the request's credentials, and change with a deployment. Without a session the change \
            is also lost or seen by everybody: a tool that was enabled for one client is gone in its next \
            request, or appears for all.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
server.registerTool("connect_database", schema, async ({ url }) => {
  connection = await connect(url);
  server.registerTool("query", querySchema, runQuery);
  server.sendToolListChanged();
  return ok("connected");
});
"#,
                good: r#"
// Both tools are always listed.
server.registerTool("connect_database", schema, async ({ url }) => {
  const connection_id = connections.create(await connect(url));
  return ok(`connection_id: ${connection_id}`, { connection_id });
});
server.registerTool("query",
  { inputSchema: { connection_id: z.string(), sql: z.string() } },
  // Without a valid one: "call connect_database first".
  async ({ connection_id, sql }) => connections.use(connection_id).query(sql));
"#,
            },
            Example {
                language: "Rust",
                bad: r#"
self.tool_router.enable_route("count_rows");
context.peer.notify_tool_list_changed().await?;
"#,
                good: r"
// All tools are listed; `count_rows` takes the `dataset_id` that `open_dataset` returns.
",
            },
        ],
        migration: "List everything, always. A tool that needed an earlier call takes the handle which that call \
            returns, and without a valid one its error says which tool to call. The notifications and the \
            capability go.",
        level: Level::Review,
        safety: "The tool list that clients see changes. A list that depends on the credentials of the request is \
            right and is not reported.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let mut out = Vec::new();
    let mut changes = cx.ours(&cx.signals.list_changes);
    if let Some(first) = changes.next() {
        let message = format!(
            "a handler changes what is listed{}; a list must not depend on earlier calls",
            cx.whereabouts(first)
        );
        let advice = "list everything always, and let a tool whose precondition does not hold fail with an error that names the \
            tool to call first";
        let mut detection = cx.at(&RULE, cx.call_spot(first), message, advice);
        detection.related =
            changes.take(8).map(|at| (cx.call_spot(at), format!("and here{}", cx.whereabouts(at)))).collect();
        out.push(detection);
    }
    for at in cx.ours(&cx.signals.varying_lists) {
        out.push(cx.at(
            &RULE,
            cx.call_spot(at),
            "this list depends on state of the session",
            "list everything always; what may be used is decided by the call's arguments and credentials",
        ));
    }
    out
}
