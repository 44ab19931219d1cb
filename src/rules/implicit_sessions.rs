//! `implicit-sessions`: sessions are on by a default of the SDK.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "implicit-sessions",
    severity: Severity::Note,
    summary: "sessions are on by a default of the SDK",
    detect,
    docs: Docs {
        finds: "An HTTP server whose set-up does not say whether there are sessions, on an SDK whose default is to \
            have them: `FastMCP(…)` without `stateless_http`, `StreamableHttpServerConfig::default()`, a \
            transport or handler made without options.",
        why: "Nothing in the code names a session, so nothing in a review shows that the mode changes. Defaults \
            have changed between major versions of SDKs: an update of a dependency then flips the behaviour with \
            no changed line of code. Where the server never uses the session, that is all; the mode is better \
            written down.",
        examples: &[
            Example {
                language: "Python",
                bad: r#"
mcp = FastMCP("clock")
mcp.run(transport="streamable-http")
"#,
                good: r#"
mcp = FastMCP("clock", stateless_http=True)  # no sessions
mcp.run(transport="streamable-http")
"#,
            },
            Example {
                language: "Rust",
                bad: r"
let service = StreamableHttpService::new(factory, manager, StreamableHttpServerConfig::default());
",
                good: r"
// rmcp 3 calls it `with_legacy_session_mode`.
let config = StreamableHttpServerConfig::default().with_stateful_mode(false);
let service = StreamableHttpService::new(factory, manager, config);
",
            },
            Example {
                language: "TypeScript",
                bad: r#"
// The framework opens a session for each client.
server.start({ transportType: "httpStream" });
"#,
                good: r#"
server.start({ transportType: "httpStream", httpStream: { stateless: true } });
"#,
            },
        ],
        migration: "Write the mode into the source, with a comment that says why. A server whose state is moved to \
            handles becomes sessionless in the same change.",
        level: Level::Safe,
        safety: "No tool changes. It is refused where the server sends requests or notifications to its client \
            outside a call, since the sessionless mode drops or refuses them.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let served = cx.signals.setups.sites.iter().filter(|site| !site.stated && cx.here(site.at)).map(|site| {
        cx.at(
            &RULE,
            cx.call_spot(site.at),
            "this serves over HTTP with a session for each client, since nothing says otherwise",
            "say `stateless_http=True` (`stateless=True` for a session manager) where the server is set up",
        )
    });
    cx.ours(&cx.signals.frameworks)
        .map(|at| {
            cx.at(
                &RULE,
                cx.call_spot(at),
                "this framework keeps a session for each client by itself, without a line of code here",
                "see whether the framework has a sessionless mode or a release for revision 2026-07-28; what tools keep on its \
                 session objects needs handles",
            )
        })
        .chain(served)
        .collect()
}
