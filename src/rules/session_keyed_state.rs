//! `session-keyed-state`: application state is kept by session id.

use super::detect::{Context, Detection, consequence, is_state, tools_of};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::{Carrier, KeyedBy};
use crate::classify::stores::Found;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-keyed-state",
    severity: Severity::Error,
    summary: "application state is kept by session id",
    detect,
    docs: Docs {
        finds: "A container of the application (a map, a record, a class field, a cache, a key in Redis or SQL) that \
            is indexed by a value that comes from the session id. The value is followed through assignments, \
            parameters, helpers, class fields, template strings and imports; the spelling of the header does not \
            matter.",
        why: "With revision 2026-07-28 no session id arrives. What then happens depends on the code, and each \
            finding names it. Where the absent id is used as a key all the same, all callers share one entry \
            (`collapsed`). Where the code throws, every call is an error (`refused`). Where an SDK invents an id \
            per request, the state is silently empty on the next call (`lost`). Where a tool reads the raw \
            header itself, the caller chooses the key (`spoofed`).\n\n\
            None of these is a compile error, and a test with one client does not show the first one.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
const baskets = new Map<string, Basket>();

server.registerTool("add_item", { inputSchema: { sku: z.string() } },
  async ({ sku }, extra) => {
    const basket = baskets.get(extra.sessionId!) ?? { items: [] };
    basket.items.push(sku);
    baskets.set(extra.sessionId!, basket);
    return { content: [{ type: "text", text: "added" }] };
  });
"#,
                good: r#"
server.registerTool("add_item",
  { inputSchema: { basket_id: z.string(), sku: z.string() } },
  async ({ basket_id, sku }) => {
    // Unknown or expired: "call create_basket".
    const basket = baskets.use(basket_id);
    basket.items.push(sku);
    return { content: [{ type: "text", text: "added" }] };
  });
"#,
            },
            Example {
                language: "Python",
                bad: r#"
@mcp.tool()
def add_item(sku: str, ctx: Context) -> str:
    session = ctx.request_context.request.headers["mcp-session-id"]
    _baskets.setdefault(session, []).append(sku)
    return "added"
"#,
                good: r#"
@mcp.tool()
def add_item(basket_id: str, sku: str) -> str:
    with _baskets.use(basket_id) as basket:
        basket.append(sku)
    return "added"
"#,
            },
            Example {
                language: "Rust",
                bad: r#"
async fn add_item(&self, Extension(parts): Extension<Parts>, Parameters(item): Parameters<AddItem>) -> String {
    let session = parts.headers["mcp-session-id"].to_str().unwrap().to_owned();
    self.baskets.write().await.entry(session).or_default().push(item.sku);
    "added".into()
}
"#,
                good: r#"
async fn add_item(&self, Parameters(item): Parameters<AddItem>) -> Result<String, String> {
    // AddItem has a field `basket_id`.
    self.baskets.with(&item.basket_id, |basket| basket.push(item.sku))?;
    Ok("added".into())
}
"#,
            },
        ],
        migration: "Each store gets the carrier that its use calls for. A business object becomes a handle: a `create_*` \
            tool mints an unguessable id, every tool that reaches the state takes it as its first, required \
            argument, and a look-up that fails says which tool creates one. A mere choice of something that the \
            model can name already (a project, a worker) becomes an ordinary required argument, and the tool \
            that set it goes. What belongs to the user is keyed by the authenticated principal.\n\n\
            A store in Redis or SQL keeps its backend and its expiry; only the id in the key changes.",
        level: Level::Review,
        safety: "Tool schemas change: installed clients that cached the tool list send the old call until they \
            refresh. It is manual where the code itself runs several processes over state in memory, where the \
            state can't be told apart from a guard, and where a resource or a prompt reads the state, since \
            these have no place for a handle.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.keyed_by == KeyedBy::SessionId && is_state(found))
        .map(|found| {
            let message =
                format!("`{}` is kept by session id{}; {}", found.name, tools_of(found), consequence(found.failure));
            cx.store(&RULE, found, message, advice(found))
        })
        .collect()
}

fn advice(found: &Found) -> String {
    match found.carrier {
        Carrier::Argument => {
            "let the tools that read it take the id as a required argument, and drop the tool that sets it".to_owned()
        }
        Carrier::Handle => format!(
            "let a create tool return a handle for `{}` and let the tools that use it take that handle as an argument",
            found.name
        ),
        Carrier::Request => "take it from the request itself".to_owned(),
        _ => "decide by hand: it follows a standing connection, which `subscriptions/listen` replaces".to_owned(),
    }
}
