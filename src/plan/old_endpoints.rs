//! Servers that offer the endpoints of HTTP+SSE alone: there is nothing to migrate to yet, so that is said.

use super::{Manual, Site, site};
use crate::rules::detect::Context;
use crate::rules::session_transport_map;

/// What is said of tables of such transports, where the package has no other transport over HTTP.
pub(super) fn plan(context: &Context<'_, '_>, told: &[Manual]) -> Vec<Manual> {
    let mut transports = context.transports().peekable();
    if transports.peek().is_none() || transports.any(|transport| !transport.sse) {
        return Vec::new();
    }
    let Some(made) = context.transports().next().map(|transport| site(context, context.call_spot(transport.at))) else {
        return Vec::new();
    };
    let path = |module: u32| context.analysis.flow.program.module(module).path.clone();
    let tables = context.stores().filter(|found| found.with_transport);
    tables
        .map(|found| Manual {
            rule: session_transport_map::RULE.name,
            at: Site { path: path(found.holder.module), span: found.holder.span },
            what: format!("`{}` keeps the streams of HTTP+SSE clients, and there is no other endpoint", found.name),
            why: "each message of such a client is answered on the stream that it opened before: this kind of transport has no form \
                  without sessions, and clients have to be given another address first"
                .to_owned(),
            cause: Some(made.clone()),
            todo: vec![
                "add a route for POST that builds a server, makes a `StreamableHTTPServerTransport` with `sessionIdGenerator: \
                 undefined`, connects the two, calls `transport.handleRequest(req, res, req.body)` and closes the server on \
                 the response's `close`; answer GET and DELETE of that path with 405"
                    .to_owned(),
                format!(
                    "keep the routes of HTTP+SSE beside it until clients have moved, then delete them together with `{}`",
                    found.name
                ),
            ],
        })
        .filter(|manual| !told.iter().any(|other| other.at == manual.at))
        .collect()
}
