//! `session-keyed-telemetry`: logs, metrics or limits are keyed by session.

use super::detect::{Context, Detection, consequence};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::Holds;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-keyed-telemetry",
    severity: Severity::Warning,
    summary: "logs, metrics or limits are keyed by session",
    detect,
    docs: Docs {
        finds: "A session id that labels: a log line, a span, a metric, a rate-limit bucket, a counter. Nothing the \
            application answers depends on it, or only a mere count does.",
        why: "Labels are empty, and all callers fall into one bucket (`collapsed`): one busy client then uses up \
            the limit of everybody, and numbers of \"sessions\" mean nothing.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
const calls = new Map<string, number>();

function allowed(extra: { sessionId?: string }) {
  const key = extra.sessionId ?? "anonymous";
  calls.set(key, (calls.get(key) ?? 0) + 1);
  return calls.get(key)! <= 100;
}
"#,
                good: r"
function allowed(extra: Extra, address: string) {
  const key = principalOf(extra.authInfo) ?? address;
  calls.set(key, (calls.get(key) ?? 0) + 1);
  return calls.get(key)! <= 100;
}
",
            },
            Example {
                language: "Python",
                bad: r#"
logger.info("call", extra={"session": request.headers.get("mcp-session-id")})
"#,
                good: r#"
logger.info("call", extra={"request": ctx.request_id})
"#,
            },
        ],
        migration: "Key limits by the principal, else by the network address; label logs and spans with an id of the \
            request or with the trace context in `_meta`. No constant takes the place of the id, and no raw \
            subject of a token goes into a log.",
        level: Level::Review,
        safety: "No tool changes, but a limit changes whom it limits: two clients behind one address now share a \
            bucket, and one client that opened two sessions no longer has two.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-414: trace context travels in `_meta`",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let mut out: Vec<Detection> = cx
        .stores()
        .filter(|found| found.holds == Holds::Telemetry)
        .map(|found| {
            let message = format!("`{}` counts or limits by session; {}", found.name, consequence(found.failure));
            let advice = "count by the authenticated user, else by the network address";
            cx.store(&RULE, found, message, advice.to_owned())
        })
        .collect();
    let mut labels = cx.ours(&cx.signals.labels);
    if let Some(first) = labels.next() {
        let mut detection = cx.at(
            &RULE,
            cx.spot(first),
            "the session id labels a log line, span or metric; without a session the label is empty",
            "label with an id of the request, or with the authenticated user",
        );
        detection.related = labels.take(8).map(|at| (cx.spot(at), "and here".to_owned())).collect();
        out.push(detection);
    }
    out
}
