//! `session-transport-map`: a map from session id to transport routes requests.

use super::detect::{Context, Detection, consequence};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::classify::answer::{Failure, Holds};

/// The rule.
pub const RULE: Rule = Rule {
    name: "session-transport-map",
    severity: Severity::Warning,
    summary: "a map from session id to transport routes requests",
    detect,
    docs: Docs {
        finds: "A container keyed by session id whose values are transports (alone, or in a record with the server \
            beside them), and the routes that look the transport up by the header of the request.",
        why: "No session id is issued any more, so the map is never filled. The branch behind it, usually a 400 \
            with a text like \"no valid session\", then answers everything after `initialize`, and clients fail \
            to connect. A deletion of the generator alone leads to exactly that: half of this change is worse \
            than none of it.\n\n\
            What hangs on the map must keep its meaning: a shutdown that waits for open transports, a cap on \
            their number, a health check that counts them.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: r#"
const transports = new Map<string, StreamableHTTPServerTransport>();

app.post("/mcp", async (req, res) => {
  const id = req.headers["mcp-session-id"] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => transports.set(sid, transport!),
    });
    await buildServer().connect(transport);
  }
  if (!transport) return res.status(400).end();
  await transport.handleRequest(req, res, req.body);
});
"#,
                good: r#"
app.post("/mcp", async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  res.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.all("/mcp", (_req, res) => {
  res.status(405).set("Allow", "POST").end();
});
"#,
            },
            Example {
                language: "Python",
                bad: r"
transports: dict[str, StreamableHTTPServerTransport] = {}
",
                good: r"
manager = StreamableHTTPSessionManager(app=server, stateless=True)
",
            },
        ],
        migration: "Generator, callbacks, map, routes, reaper, shutdown loop and imports go together, in one change over \
            all files. Shutdown drains the requests in flight and answers 503 meanwhile; a cap on sessions \
            becomes a cap on requests in flight; a health key that counted sessions stays and counts those \
            requests.",
        level: Level::Safe,
        safety: "No tool changes. It is a matter for review where the path of an older HTTP+SSE endpoint goes, where \
            a health key changes its meaning, or where a comment would be lost. It waits for every store of the \
            same server that is keyed by the same id, and is refused where code does more with `Last-Event-ID` \
            than to log it, or closes streams on purpose.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-2596: the HTTP+SSE transport is deprecated",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.stores()
        .filter(|found| found.with_transport && found.holds != Holds::Upstream)
        .map(|found| {
            let message = format!("`{}` finds the transport of a session by its id; {}", found.name, consequence(Failure::Refused));
            let advice = "it goes away with the sessions: build server and transport inside the request, and answer GET and \
                DELETE with 405. Do it in one step, half of it refuses every client";
            Detection { failure: Some(Failure::Refused), ..cx.store(&RULE, found, message, advice.to_owned()) }
        })
        .collect()
}
