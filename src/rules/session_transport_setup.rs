//! `session-transport-setup`: sessions are switched on in the transport's set-up.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::model::facts::Language;
use crate::model::lives::Mode;

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-transport-setup",
    severity: Severity::Warning,
    summary: "sessions are switched on in the transport's set-up",
    detect,
    docs: Docs {
        finds: "A line that switches protocol sessions on: a session id generator given to a transport, a stateful \
            mode set in a configuration, a session manager that keeps sessions. It is reported whether or not \
            anything reads the id.",
        why: "Revision 2026-07-28 has no sessions and no `Mcp-Session-Id` header. For modern requests the line has \
            no effect; for older clients it ties a deployment to sticky routing.\n\n\
            Deleting the option alone is rarely enough. Where server and transport are made once for the whole \
            process, a TypeScript SDK up to 1.25 then mixes the answers of different clients, and from 1.26 on \
            the first request succeeds and every later one ends as HTTP 500 with an empty body. The same set-up \
            serves only one client today: a second one is told that the server is initialized already.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
const server = buildServer();
const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: () => randomUUID(),
});
await server.connect(transport);
app.post("/mcp", (req, res) => transport.handleRequest(req, res, req.body));
"#,
                good: r#"
app.post("/mcp", async (req, res) => {
  // Runs on each request: only the server and its registrations belong here.
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  res.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
"#,
            },
            Example {
                language: "Python",
                bad: r#"
mcp = FastMCP("clock", stateless_http=False)
"#,
                good: r#"
mcp = FastMCP("clock", stateless_http=True)
"#,
            },
            Example {
                language: "Rust",
                bad: r"
let config = StreamableHttpServerConfig::default().with_stateful_mode(true);
",
                good: r"
// rmcp 3 calls it `with_legacy_session_mode`.
let config = StreamableHttpServerConfig::default().with_stateful_mode(false);
",
            },
        ],
        migration: "Switch the SDK to its sessionless mode and make server and transport per request. In TypeScript the \
            spelling that works with every release of the first SDK is `sessionIdGenerator: undefined`; where \
            `exactOptionalPropertyTypes` is set and the SDK is 1.25 or newer, the key is left out instead. GET \
            and DELETE answer 405. The SDK stays at the version that the package uses; old and new clients are \
            both served.",
        level: Level::Safe,
        safety: "No tool changes. What was shared between requests and is not a server (clients, pools, caches, \
            schemas) stays outside the request. The edit waits for every store of the same server that still \
            hangs on the session. It is refused where the server sends requests to its client, since those need \
            the stream that a session keeps open.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
        ],
    },
};

/// How a transport is made to open none.
fn sessionless(language: Language) -> &'static str {
    match language {
        Language::Rust => {
            "serve without sessions: `stateful_mode: false` (rmcp 3: `with_legacy_session_mode(false)`); the factory then runs \
                for each request"
        }
        Language::Python => {
            "serve without sessions: `stateless=True` for a session manager, and no session id for a transport of one's own"
        }
        _ => {
            "build server and transport for each request with `sessionIdGenerator: undefined`; deleting the option \
                alone leaves one transport for all clients, which fails on the second request"
        }
    }
}

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    let mut out = Vec::new();
    for site in cx.transports().filter(|site| !site.sse && site.mode != Mode::Off) {
        let at = site.generator.filter(|at| cx.here(*at)).map_or_else(|| cx.call_spot(site.at), |at| cx.spot(at));
        let message = if site.mode == Mode::Either {
            "this transport opens a session for each client in one of its two modes"
        } else {
            "this transport opens a session for each client"
        };
        let advice = sessionless(cx.analysis.flow.program.module(site.at.module).language);
        out.push(cx.at(&RULE, at, message, advice));
    }
    let stated = cx.signals.setups.sites.iter().filter(|site| site.stated && site.mode != Mode::Off);
    for site in stated.filter(|site| cx.here(site.at)) {
        let message = if site.mode == Mode::Either {
            "this server opens a session for each client in one of its two modes"
        } else {
            "this switches on a session for each client"
        };
        out.push(cx.at(
            &RULE,
            cx.spot(site.at),
            message,
            "serve without sessions: `stateless_http=True`, or `stateless=True` for a session manager",
        ));
    }
    for at in cx.ours(&cx.signals.generators) {
        let message = "this generator makes a framework open a session for each client";
        out.push(cx.at(&RULE, cx.spot(at), message, "see whether the framework has a sessionless mode, and use it"));
    }
    out
}
