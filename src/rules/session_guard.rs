//! `session-guard`: a guard decides by session.

use super::detect::{Context, Detection, consequence, tools_of};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::{Carrier, Holds};

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-guard",
    severity: Severity::Error,
    summary: "a guard decides by session",
    detect,
    docs: Docs {
        finds: "A store keyed by session that admits or refuses: a lease, a consent that was given once, evidence \
            that a file was read before it is written, a spend cap, an admission rule in a session manager of \
            one's own. The sign is a value that is read in a condition that ends in a refusal.",
        why: "Guards are not data. Where a caller without an id is let through, the check protects nobody any more \
            (`unguarded`). Where all callers share one entry, the consent of one is the consent of all \
            (`collapsed`). Where the guard forgets, it asks on every call (`lost`), which is safe; where it \
            refuses every call for ever (`refused`), the tool is unusable.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const read = new Map<string, Set<string>>();

server.registerTool("write_file", schema, async ({ path, text }, extra) => {
  if (!read.get(extra.sessionId!)?.has(path)) return refuse("read it first");
  return write(path, text);
});
"#,
            good: r#"
// The evidence is in the call: what the caller has read.
server.registerTool("write_file",
  { inputSchema: { path: z.string(), text: z.string(), revision: z.string() } },
  async ({ path, text, revision }) => {
    if (revision !== (await revisionOf(path))) return refuse("read it again");
    return write(path, text);
  });
"#,
        }],
        migration: "Decide what the guard is about. Permission of a person: the principal. Consent to one call: an \
            `input_required` result that the client answers. Evidence of an earlier read: a revision argument. \
            Exclusive use: a lease on the resource, with a holder and an expiry.",
        level: Level::Manual,
        safety: "Nothing is edited. A guard never becomes a handle (the model would carry its own permission), is \
            never moved elsewhere unseen, and never goes as if it were transport code. Changes of the transport \
            in the same server wait for it, unless the guard fails safe.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-2322: requests from server to client are replaced by multi-round-trip results (`input_required`)",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.holds == Holds::Guard)
        .map(|found| {
            let message = format!(
                "`{}` admits or refuses calls by what happened earlier in the session{}; {}",
                found.name,
                tools_of(found),
                consequence(found.failure)
            );
            let advice = if found.carrier == Carrier::Mrtr {
                "ask within the request (`input_required`, with the arguments bound into `requestState`); a handle would let the \
                 model carry its own permission"
            } else {
                "decide by hand what proves it: a revision that the earlier tool returns and the later one requires, or the \
                 authenticated user. A handle would let the model carry its own permission"
            };
            cx.store(&RULE, found, message, advice.to_owned())
        })
        .collect()
}
