//! `session-state-api`: an SDK's session-shaped API carries state.

use super::detect::{Context, Detection, consequence, tools_of};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::{Carrier, Holds, KeyedBy};

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-state-api",
    severity: Severity::Error,
    summary: "an SDK's session-shaped API carries state",
    detect,
    docs: Docs {
        finds: "Calls of an API that an SDK or framework offers to keep state per session: `ctx.set_state` and \
            `ctx.get_state` across calls, a session bag, `this.state` of a per-session agent, a session object \
            with fields of its own.",
        why: "Behind the API stands the session id, or a new one per request. fastmcp 4 with a modern client \
            returns nothing for a value that the call before has set, over HTTP and over stdio, without an error \
            (`lost`).\n\n\
            State that a middleware sets and a tool reads within the same request is fine, and not reported.",
        examples: &[
            Example {
                language: "Python",
                bad: r#"
@mcp.tool()
async def choose_topic(topic: str, ctx: Context) -> str:
    await ctx.set_state("topic", topic)
    return "chosen"

@mcp.tool()
async def ask(question: str, ctx: Context) -> str:
    return answer(await ctx.get_state("topic"), question)
"#,
                good: r"
@mcp.tool()
async def ask(topic: str, question: str) -> str:
    return answer(topic, question)
",
            },
            Example {
                language: "TypeScript",
                bad: r"
execute: async ({ text }, { session }) => {
  session.notes.push(text);
  return `${session.notes.length} notes`;
}
",
                good: r"
execute: async ({ notebook_id, text }) => {
  const notes = notebooks.use(notebook_id);
  notes.push(text);
  return `${notes.length} notes`;
}
",
            },
        ],
        migration: "A choice becomes an argument, a business object a handle, what belongs to the user is keyed by the \
            principal. fastmcp 4 has handles of its own (`SessionId` arguments, `UserSession`); they suit state \
            that can be serialised, and their errors name no tool to call.",
        level: Level::Review,
        safety: "Tool schemas change. It is manual for frameworks whose whole programming model is the session (an \
            agent object per session): there the framework's own guidance decides.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.keyed_by == KeyedBy::SessionApi)
        .map(|found| {
            let message = format!(
                "`{}` lives in a bag that the SDK keeps for each session{}; {}",
                found.name,
                tools_of(found),
                consequence(found.failure)
            );
            let advice = match found.carrier {
                Carrier::Request => format!(
                    "take what `{}` holds from the request that is being answered: its address, or what authentication hands on",
                    found.name
                ),
                _ if found.holds == Holds::Auth => format!("take `{}` from the request that is being answered", found.name),
                _ => format!("keep `{}` in a store of your own under a handle that the tools take", found.name),
            };
            cx.store(&RULE, found, message, advice)
        })
        .collect()
}
