//! `session-scoped-server`: state lives in a server that is built per session.

use super::detect::{Context, Detection, consequence, is_state, tools_of};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::{Carrier, KeyedBy};
use crate::classify::lifetime::Held;
use crate::classify::stores::Found;
use crate::model::flow::value::ObjId;
use crate::model::program::At;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-scoped-server",
    severity: Severity::Error,
    summary: "state lives in a server that is built per session",
    detect,
    docs: Docs {
        finds: "Mutable state that is created together with a server: a variable captured by the factory function, a \
            field of the handler that a factory constructs afresh, a per-session lifespan. No session id is in \
            sight; the server object itself stands for the session. Under an entry point that builds a server for \
            each request (`createMcpHandler`), what one tool leaves for another is lost already.",
        why: "Without sessions the factory runs once per request. The code compiles and answers, and the state is \
            empty on every call (`lost`). A search for the word \"session\" does not find it.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
function buildServer() {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const notes: string[] = [];
  server.registerTool("add_note", { inputSchema: { text: z.string() } },
    async ({ text }) => {
      notes.push(text);
      return { content: [{ type: "text", text: `${notes.length} notes` }] };
    });
  return server;
}
"#,
                good: r#"
const notebooks = new Handles<string[]>("nb");

function buildServer() {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool("add_note",
    { inputSchema: { notebook_id: z.string(), text: z.string() } },
    async ({ notebook_id, text }) => {
      const notes = notebooks.use(notebook_id);
      notes.push(text);
      return { content: [{ type: "text", text: `${notes.length} notes` }] };
    });
  return server;
}
"#,
            },
            Example {
                language: "Rust",
                bad: r"
// The closure makes a fresh Shop, and with it a fresh basket.
StreamableHttpService::new(|| Ok(Shop::new()), manager, config)
",
                good: r#"
let baskets = Handles::<Basket>::new("bsk");
StreamableHttpService::new(move || Ok(Shop::new(baskets.clone())), manager, config)
"#,
            },
        ],
        migration: "The state moves out of the factory into a store that outlives it, and is named by a handle there; \
            tools take the handle as an argument. Clean-up that ran when the session ended (closing a page, \
            killing a child) becomes what the store does when an entry is destroyed or expires.",
        level: Level::Review,
        safety: "Tool schemas change. Where the factory builds something costly per session, the expiry is generous \
            by default and the error after it says what was lost. It is manual where the captured object is a \
            credential, an upstream or a guard.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.keyed_by == KeyedBy::SessionLifetime && is_state(found) && !is_registry(cx, found))
        .map(|found| {
            let kind = if found.held == Some(Held::Field) { "a field of an object" } else { "captured by a server" };
            let (built, consequence) = if is_built_per_request(cx, found) {
                ("request", "every call finds it as new, already today")
            } else {
                ("session", consequence(found.failure))
            };
            let message = format!(
                "`{}` is {kind} that is built once for each {built}, and tools change it{}; {consequence}",
                found.name,
                tools_of(found),
            );
            let advice = if found.carrier == Carrier::Drop {
                "list the tool always, and let it fail with a clear error where its precondition does not hold"
                    .to_owned()
            } else {
                format!("keep `{}` outside the factory under a handle that a create tool returns", found.name)
            };
            cx.store(&RULE, found, message, advice)
        })
        .collect()
}

/// Whether an entry point builds the server for each request, so that there is no session to lose.
fn is_built_per_request(cx: &Context<'_, '_>, found: &Found) -> bool {
    let analysis = cx.analysis;
    let program = analysis.flow.program;
    let func = match found.holder.symbol {
        Some(symbol) => At { module: symbol.module, id: program.symbol(symbol).func },
        None => {
            let fresh = |id: &ObjId| analysis.lives.object_per_request(&analysis.flow, *id);
            return !found.objects.is_empty() && found.objects.iter().all(fresh);
        }
    };
    analysis.lives.built_per_request(&analysis.flow, func)
}

/// A registry of handles is another rule's.
fn is_registry(cx: &Context<'_, '_>, found: &Found) -> bool {
    cx.signals.registries.iter().any(|registry| found.objects.contains(&registry.object))
}
