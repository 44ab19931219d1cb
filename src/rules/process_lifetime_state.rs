//! `process-lifetime-state`: mutable state lives as long as the process.

use super::detect::{Context, Detection, Spot};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "process-lifetime-state",
    severity: Severity::Note,
    summary: "mutable state lives as long as the process",
    detect,
    docs: Docs {
        finds: "Mutable state at the level of the module or of a single shared object that tools write and read, in \
            a server that is not keyed by session: over stdio, where one process serves one client, or over \
            HTTP, where one process serves everybody.",
        why: "Over stdio nothing breaks. It can't be offered over HTTP in the same way, though, and some hosts \
            share one warm process among several conversations, which then share the state. The specification \
            says that such servers should move to handles as well.\n\n\
            Over HTTP all clients share it today already; the finding says so, and the migration does not change \
            it.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
let document = "";

server.registerTool("append", { inputSchema: { text: z.string() } },
  async ({ text }) => {
    document += text;
    return ok(`${document.length} characters`);
  });
"#,
            good: r#"
const documents = new Handles<{ text: string }>("doc");

server.registerTool("append",
  { inputSchema: { document_id: z.string(), text: z.string() } },
  async ({ document_id, text }) => {
    const document = documents.use(document_id);
    document.text += text;
    return ok(`${document.text.length} characters`);
  });
"#,
        }],
        migration: "As for state by session: a handle where there may be several, an argument where it is a choice. A \
            cache that only spares work is no state.",
        level: Level::Review,
        safety: "Tool schemas change. It is proposed only where this rule was named, or where the same module also \
            serves HTTP.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.signals
        .process_state
        .iter()
        .filter(|lasting| cx.modules[lasting.holder.module as usize])
        .map(|lasting| {
            let shared = if cx.http {
                "all clients share it"
            } else {
                "it is private only as long as one process serves one client"
            };
            let message =
                format!("`{}` lives as long as the process, and tools change it; {shared}", lasting.holder.name);
            let advice = "over stdio it goes on working; before it is served over HTTP, name it with a handle";
            let at = Spot { module: lasting.holder.module, span: lasting.holder.span };
            let mut detection = cx.at(&RULE, at, message, advice);
            detection.related = lasting
                .writers
                .iter()
                .take(8)
                .map(|at| (cx.spot(*at), format!("changed here{}", cx.whereabouts(*at))))
                .collect();
            detection
        })
        .collect()
}
