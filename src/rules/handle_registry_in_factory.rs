//! `handle-registry-in-factory`: a registry of handles dies with the server that holds it.

use super::detect::{Context, Detection, Spot};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::Failure;
use crate::model::vocabulary::Role;

/// The rule.
pub const RULE: Rule = Rule {
    name: "handle-registry-in-factory",
    severity: Severity::Error,
    summary: "a registry of handles dies with the server that holds it",
    detect,
    docs: Docs {
        finds: "A store of handles that is created inside the factory of a server which is built per session or per \
            request.",
        why: "The ids are right and still unknown in the next request, since the store was made anew (`lost`). It \
            passes for a migrated server: there is a create tool, and there is an argument.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
function buildServer() {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  const baskets = new Map<string, Basket>(); // by basket_id
  server.registerTool("create_basket", {}, async () => create(baskets));
  return server;
}
"#,
                good: r#"
const baskets = new Handles<Basket>("bsk"); // bounded, entries expire

function buildServer() {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.registerTool("create_basket", {}, async () => create(baskets));
  return server;
}
"#,
            },
            Example {
                language: "Rust",
                bad: r"
|| Ok(Shop { baskets: Arc::new(Mutex::new(HashMap::new())) })
",
                good: r"
let baskets = Arc::new(Mutex::new(HashMap::new()));
move || Ok(Shop { baskets: baskets.clone() })
",
            },
        ],
        migration: "The registry is hoisted: it moves out of the factory, gets a bound and an expiry, and the factory \
            captures it. No second id is minted, and no tool changes.",
        level: Level::Review,
        safety: "No tool schema changes, but the entries become reachable from other requests and live longer: ids \
            must be unguessable, and where callers are authenticated each look-up checks the owner. What a guard \
            or a credential store holds is not hoisted.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.signals
        .registries
        .iter()
        .filter(|registry| cx.here(registry.lookup))
        // What a client of a store outside knows is there without the client.
        .filter(|registry| cx.analysis.flow.object(registry.object).role != Some(Role::External))
        .filter(|registry| {
            let (flow, lives) = (&cx.analysis.flow, &cx.analysis.lives);
            (lives.object_per_session(flow, registry.object) && !lives.object_per_process(flow, registry.object))
                || (lives.object_per_request(flow, registry.object) && lives.made_with_server(flow, registry.object))
        })
        .filter_map(|registry| {
            let holder = cx.analysis.flow.holder(registry.object)?;
            let at = Spot { module: holder.module, span: holder.span };
            let message = format!(
                "`{}` knows handles, but is born with each session or request: the next one does not find them",
                holder.name
            );
            let advice = "move it out of the factory, with an idle expiry and a bound; the handles stay what they are";
            let mut detection = cx.at(&RULE, at, message, advice);
            detection.failure = Some(Failure::Lost);
            detection.related =
                vec![(cx.spot(registry.lookup), format!("looked up here{}", cx.whereabouts(registry.lookup)))];
            Some(detection)
        })
        .collect()
}
