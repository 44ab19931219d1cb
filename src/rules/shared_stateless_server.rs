//! `shared-stateless-server`: one server object answers concurrent requests without a session.

use super::detect::{Context, Detection, Spot};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};
use crate::model::vocabulary::Role;

/// The rule.
pub const RULE: Rule = Rule {
    name: "shared-stateless-server",
    severity: Severity::Error,
    summary: "one server object answers concurrent requests without a session",
    detect,
    docs: Docs {
        finds: "A sessionless set-up in which a server (or a transport) made once for the process is connected in \
            every request.",
        why: "There is no session left here, and it still goes wrong. A TypeScript SDK up to 1.25 silently rebinds \
            the server to the newest transport, so that the answers of concurrent requests cross between \
            clients. From 1.26 on, connecting it a second time throws \"Already connected to a transport\", and \
            reusing a transport ends as HTTP 500 with an empty body and no log line. A test that sends one \
            request after the other may show nothing.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const server = buildServer();

app.post("/mcp", async (req, res) => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
  });
  await server.connect(transport);
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
"#,
        }],
        migration: "Build the server in the request, from a function that holds only `new McpServer` and its \
            registrations; clients, pools, schemas and caches stay outside. A comment at the function says that \
            it runs on each request. Registering some dozen tools costs around a millisecond.",
        level: Level::Safe,
        safety: "No tool changes. It is refused where the server object is used elsewhere (a push to all clients, a \
            health check that asks it), since that use has to be decided first.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
            "SEP-2575: the `initialize` handshake is removed; version, client info and capabilities travel with each request",
        ],
    },
};

fn detect(cx: &Context<'_, '_>) -> Vec<Detection> {
    cx.signals
        .shared
        .iter()
        .filter(|(at, _)| cx.here(*at))
        .map(|(at, object)| {
            let server = cx.analysis.flow.object(*object).role == Some(Role::Server);
            let name = cx.analysis.flow.holder(*object).map_or("it".to_owned(), |holder| format!("`{}`", holder.name));
            let message = if server {
                format!("{name} is one server for the process, connected anew for each request: two requests at once fail or cross")
            } else {
                format!("{name} is one sessionless transport for all requests: the second request fails")
            };
            let advice = "build server and transport inside the request; clients, pools and caches stay outside";
            let mut detection = cx.at(&RULE, cx.spot(*at), message, advice);
            if let Some(holder) = cx.analysis.flow.holder(*object) {
                let spot = Spot { module: holder.module, span: holder.span };
                detection.related = vec![(spot, "made once for the process here".to_owned())];
            }
            detection
        })
        .collect()
}
