//! `session-bound-auth`: credentials or identities are bound to the session.

use super::detect::{Context, Detection, consequence, tools_of};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::{Holds, KeyedBy};

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-bound-auth",
    severity: Severity::Error,
    summary: "credentials or identities are bound to the session",
    detect,
    docs: Docs {
        finds: "A store keyed by session whose values are credentials or identities: an OAuth code verifier, an \
            access token, claims, a user pinned to the session at the first request; and checks that compare the \
            request's user with the one who opened the session.",
        why: "Without an id all callers share one entry, so one user may act with another's token (`collapsed`), \
            or every call is refused. A check \"is this the user who opened the session?\" has nothing left to \
            compare.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const verifiers = new Map<string, string>();

server.registerTool("begin_login", {}, async (extra) => {
  const verifier = makeVerifier();
  verifiers.set(extra.sessionId!, verifier);
  return link(authorizeUrl({ challenge: challengeOf(verifier) }));
});
"#,
            good: r#"
// Short-lived, used once, and found by a nonce that no client chooses.
const pending = new Map<string, { verifier: string; owner: string }>();

server.registerTool("begin_login", {}, async (extra) => {
  const owner = userOf(extra.authInfo); // throws where nobody is signed in
  const nonce = randomBytes(16).toString("base64url");
  const verifier = makeVerifier();
  pending.set(nonce, { verifier, owner });
  return link(authorizeUrl({ state: nonce, challenge: challengeOf(verifier) }));
});
"#,
        }],
        migration: "Every request authenticates on its own; user pinning then has no purpose and goes. A verifier is \
            kept under a server-made nonce in the OAuth `state`, for minutes, and used once; it is never sealed \
            into `state` itself. Tokens are kept by principal: issuer, client and subject. Credentials never \
            become handles, since a handle passes through the model.",
        level: Level::Manual,
        safety: "Nothing is edited. Which identity may be trusted, and what happens to people who are signed in now, \
            are decisions for the owner of the server. The finding names every reader and writer, so that the \
            decision can be made on facts.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.holds == Holds::Auth || found.with_auth)
        .map(|found| {
            let how = match found.keyed_by {
                KeyedBy::SessionLifetime => "is taken from the request that opens a session and used by all later ones",
                _ => "ties credentials or an identity to the session",
            };
            let message = format!("`{}` {how}{}; {}", found.name, tools_of(found), consequence(found.failure));
            let advice = "authenticate each request on its own; keep what spans requests by the authenticated user, and what \
                links two steps of a login by a nonce in the OAuth `state`. A credential never becomes a handle";
            cx.store(&RULE, found, message, advice.to_owned())
        })
        .collect()
}
