//! `session-fallback-bucket`: a constant, or nothing, stands in for an absent session id.

use super::detect::{Context, Detection, Spot};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::Failure;
use crate::classify::stand_ins::{StandIn, stand_in};
use crate::model::name::Name;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-fallback-bucket",
    severity: Severity::Error,
    summary: "a constant stands in for an absent session id",
    detect,
    docs: Docs {
        finds: "A fallback that turns an absent session id into a constant key: `?? \"default\"`, `|| \"stdio\"`, \
            `or \"anonymous\"`, a default value of a parameter. Also a key under which tools write without asking \
            whether the id is there: an assertion that it is (`extra.sessionId!`, `as string`, `cast(str, …)`), or a \
            text made of it (a template string, `String()`, an f-string, `str()`), which says \"undefined\" or \
            \"None\" where there is none.",
        why: "It looks like care for one rare case. With revision 2026-07-28 it is the only case: no request has \
            an id, so all callers share the one bucket and see each other's data. Type checks pass, and so does \
            every test with one client.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
const key = extra.sessionId ?? "default";
const draft = drafts.get(key);
"#,
                good: r"
const draft = drafts.use(draft_id);
",
            },
            Example {
                language: "Python",
                bad: r#"
session = request.headers.get("mcp-session-id") or "default"
draft = _drafts.setdefault(session, Draft())
"#,
                good: r"
with _drafts.use(draft_id) as draft:
    ...
",
            },
        ],
        migration: "The fallback goes together with the key: the store behind it gets a handle, an argument or the \
            principal. Where a server also runs over stdio, the constant was meant for that; a handle serves \
            both.",
        level: Level::Review,
        safety: "It has the level of the store behind it: manual for credentials and guards, review for state and for \
            counts. The fallback alone is never removed, since that would turn a leak into an error on every \
            call.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter_map(|found| {
            let key = found.fallback?;
            let (message, advice) = words(found.name, &stand_in(cx.analysis, key)?);
            let mut detection = cx.at(&RULE, cx.spot(key), message, advice);
            detection.failure = Some(Failure::Collapsed);
            detection.related = vec![(
                Spot { module: found.holder.module, span: found.holder.span },
                format!("`{}` is declared here", found.name),
            )];
            Some(detection)
        })
        .collect()
}

/// What is wrong, and what to do.
fn words(store: Name, stand_in: &StandIn) -> (String, &'static str) {
    const SHARED: &str = "all clients read and write one entry";
    match stand_in {
        StandIn::Constant(text) => (
            format!("without a session the key of `{store}` is the constant `'{text}'`: {SHARED}"),
            "remove the fallback together with the key; do not give it another default",
        ),
        StandIn::Nothing(nothing) => (
            format!("without a session the key of `{store}` is `{nothing}`, which nothing checks: {SHARED}"),
            "replace the key; a check of the id alone makes every call an error",
        ),
        StandIn::Text(text) => (
            format!("without a session the key of `{store}` is the text `'{text}'`: {SHARED}"),
            "replace the key; a check of the id alone makes every call an error",
        ),
    }
}
