//! `server-initiated-request`: the server sends a request to its client.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "server-initiated-request",
    severity: Severity::Note,
    summary: "the server sends a request to its client",
    detect,
    docs: Docs {
        finds: "Calls that go from server to client: elicitation (`elicitInput`, `ctx.elicit`), sampling \
            (`createMessage`), `roots/list`, `ping`, in a server that is reached over HTTP.",
        why: "They need a stream that outlives the call. In the sessionless mode of the first TypeScript SDK, \
            `elicitInput` throws (\"Client does not support form elicitation\"), and `createMessage` and \
            `listRoots` hang until the request times out, because the client's answer arrives at another \
            instance. In revision 2026-07-28 these requests are gone: a tool answers `input_required` and the \
            client calls again with the answers.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const answer = await server.server.elicitInput({
  message: "Delete the project?",
  requestedSchema: confirmSchema,
});
if (answer.action !== "accept") return cancelled();
return remove(project);
"#,
            good: r#"
// On an SDK that speaks 2026-07-28; the names differ between SDKs.
if (!confirmed) {
  return inputRequired({ confirm: confirmRequest("Delete the project?") });
}
return remove(project);
"#,
        }],
        migration: "Split the handler where it asks: the first call answers `input_required`, the retry brings the \
            input. State that must survive between the two is signed, expires, and is bound to the arguments. \
            Sampling and roots are deprecated: call a model directly, and take paths as arguments.",
        level: Level::Manual,
        safety: "Nothing is edited: what stands before the question may run twice, and only its author knows whether \
            it may. Until this is solved, the set-up of the same server is not made sessionless, since that \
            would turn a working question into one that hangs.",
        references: &[
            "SEP-2322: requests from server to client are replaced by multi-round-trip results (`input_required`)",
            "SEP-2577: roots, sampling and logging are deprecated",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    // Over stdio the answer finds its way back.
    if !cx.http {
        return Vec::new();
    }
    cx.ours(&cx.signals.asks)
        .map(|at| {
            cx.at(
                &RULE,
                cx.call_spot(at),
                "this call waits for an answer of the client, which has no way back without a session",
                "answer `input_required` and take the answer from the retried request",
            )
        })
        .collect()
}
