//! `session-object-key`: state is keyed by an object that stands for the session.

use super::detect::{Context, Detection, consequence, is_state, tools_of};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::KeyedBy;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-object-key",
    severity: Severity::Error,
    summary: "state is keyed by an object that stands for the session",
    detect,
    docs: Docs {
        finds: "A map, a weak map or an attribute that is keyed by (or planted on) the SDK's session, server or \
            connection object: `id(ctx.session)`, `WeakKeyDictionary[ServerSession, …]`, `WeakMap<McpServer, \
            …>`, an attribute set on the session.",
        why: "Modern SDKs make that object anew for every message or request. A weak map is then empty on the next \
            call (`lost`). A key made from an object's address is worse: addresses are reused, so one client \
            meets entries of another (`collapsed`). Measured with the Python SDK 2.3, two clients that \
            took turns met a key of the other in up to 17 of 120 calls.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r"
const tabs = new WeakMap<McpServer, Tab[]>();

function tabsOf(server: McpServer) {
  if (!tabs.has(server)) tabs.set(server, []);
  return tabs.get(server)!;
}
",
                good: r#"
const windows = new Handles<Tab[]>("win");

function tabsOf(window_id: string) {
  return windows.use(window_id);
}
"#,
            },
            Example {
                language: "Python",
                bad: r#"
_notebooks: WeakKeyDictionary[ServerSession, list[str]] = WeakKeyDictionary()

@mcp.tool()
def add_note(text: str, ctx: Context) -> str:
    _notebooks.setdefault(ctx.session, []).append(text)
    return "noted"
"#,
                good: r#"
@mcp.tool()
def add_note(notebook_id: str, text: str) -> str:
    with _notebooks.use(notebook_id) as notes:
        notes.append(text)
    return "noted"
"#,
            },
        ],
        migration: "As for state keyed by session id: a handle for a business object, an argument for a mere choice, the \
            principal for what belongs to the user. The object's life no longer ends the state, so the store has \
            an idle expiry and a bound.",
        level: Level::Review,
        safety: "Tool schemas change. A cache that is keyed by the object only to spare work, and gives the same \
            answer when it is empty, is no state and is left alone.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.keyed_by == KeyedBy::SessionObject && is_state(found))
        .map(|found| {
            let message = format!(
                "`{}` is kept by an object that stands for the session{}; {}",
                found.name,
                tools_of(found),
                consequence(found.failure)
            );
            let advice =
                format!("key `{}` by a handle that a create tool returns and the other tools take", found.name);
            cx.store(&RULE, found, message, advice)
        })
        .collect()
}
