//! `handle-not-usable`: a handle exists, but a model can hardly carry it.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::minted::When;

/// The rule.
pub const RULE: Rule = Rule {
    name: "handle-not-usable",
    severity: Severity::Note,
    summary: "a handle exists, but a model can hardly carry it",
    detect,
    docs: Docs {
        finds: "Handles that get lost on the way: an argument called `session_id`, `sessionId` or with a leading \
            underscore, which some client bridges drop or rewrite; an optional handle that mints a new one when it \
            is absent, and does not answer it; an id unknown to a registry of minted ones that is accepted as new.",
        why: "The state is named, and callers still lose it. Each call without the handle starts afresh and leaves \
            an entry behind; a model that never saw the id can't send it.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
server.registerTool("add_item",
  { inputSchema: { session_id: z.string().optional(), sku: z.string() } },
  async ({ session_id = newBasket(), sku }) => add(session_id, sku));
"#,
                good: r#"
server.registerTool("add_item",
  { inputSchema: { basket_id: z.string(), sku: z.string() } },
  async ({ basket_id, sku }) => add(basket_id, sku));
// create_basket answers the id in structuredContent and in text.
"#,
            },
            Example {
                language: "Python",
                bad: r"
@mcp.tool()
def add_item(sku: str, session_id: str | None = None) -> str:
    basket = _baskets.setdefault(session_id or uuid4().hex, [])
",
                good: r"
@mcp.tool()
def add_item(basket_id: str, sku: str) -> str:
    with _baskets.use(basket_id) as basket:
        ...
",
            },
        ],
        migration: "Name the argument after what it names (`basket_id`), make it required, and let an unknown one be an \
            error that names the create tool. The create tool answers the id both in `structuredContent` and in \
            text, and its description says how long it lives and when not to call it again. Accept the old name \
            for a while where clients are installed.",
        level: Level::Manual,
        safety: "Nothing is edited: the names and the optional argument are a contract with installed clients. The \
            finding says what to change, and in which order.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let mut out: Vec<Detection> = Vec::new();
    for registry in cx.signals.registries.iter().filter(|registry| cx.here(registry.lookup)) {
        let Some(name) = registry.argument else { continue };
        if matches!(name.text(), "sessionId" | "session_id") || name.text().starts_with('_') {
            out.push(cx.at(
                &RULE,
                cx.spot(registry.lookup),
                format!(
                    "some clients drop or rewrite an argument called `{name}`, so the model can't pass this handle"
                ),
                "name it after the thing it stands for, such as `basket_id`",
            ));
        }
    }
    for minted in cx.signals.minted.iter().filter(|minted| cx.here(minted.at)) {
        let argument = minted.argument;
        let message = match minted.when {
            When::NoneGiven => format!(
                "without `{argument}` a new one is made up and not answered: such a call starts afresh and leaves an entry behind"
            ),
            When::Unknown => {
                format!(
                    "an unknown `{argument}` is taken as new: a handle that is mistyped or has expired starts afresh"
                )
            }
        };
        let advice = "require it, and answer an unknown one with an error that names the tool that creates it";
        out.push(cx.at(&RULE, cx.spot(minted.at), message, advice));
    }
    out
}
