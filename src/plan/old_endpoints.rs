//! Servers that offer the endpoints of HTTP+SSE alone, and those that speak the protocol themselves: there is nothing to migrate to
//! yet, or nothing that is known of what their messages mean, so that is said.

use super::{Manual, Site, site};
use crate::classify::answer::Holds;
use crate::classify::stores::Found;
use crate::rules::detect::Context;
use crate::rules::session_transport_map;

/// What is said of tables of such transports, where the package has no other transport over HTTP.
pub(super) fn plan(context: &Context<'_, '_>, told: &[Manual]) -> Vec<Manual> {
    let mut transports = context.transports().peekable();
    if transports.peek().is_none() {
        return by_hand(context, told);
    }
    if transports.any(|transport| !transport.sse) {
        return Vec::new();
    }
    let Some(made) = context.transports().next().map(|transport| site(context, context.call_spot(transport.at))) else {
        return Vec::new();
    };
    let tables = context.stores().filter(|found| found.with_transport);
    tables
        .map(|found| Manual {
            rule: session_transport_map::RULE.name,
            at: declared(context, found),
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

/// What is said of tables of sessions in a package that makes no transport of an SDK.
fn by_hand(context: &Context<'_, '_>, told: &[Manual]) -> Vec<Manual> {
    let tables = context.stores().filter(|found| found.holds == Holds::Transport);
    tables
        .map(|found| Manual {
            rule: session_transport_map::RULE.name,
            at: declared(context, found),
            what: format!("`{}` keeps the sessions of a server that speaks the protocol by itself", found.name),
            why: "no transport of an SDK is made in this package: which message its own code expects on which request, and answers \
                  where, is known to that code alone"
                .to_owned(),
            cause: None,
            todo: vec![
                "answer each POST by what it says alone, with JSON or a stream of its own: `initialize` without an \
                 `Mcp-Session-Id` header, every other message without looking for one; GET and DELETE of that path get 405"
                    .to_owned(),
                format!(
                    "where clients open a stream by GET and send to another address that names the session (HTTP+SSE): keep both \
                     until they have moved to the POST route, then delete them together with `{}`",
                    found.name
                ),
                "or leave the protocol to the SDK: register the tools with its `McpServer`, in a function that builds one for each \
                 request"
                    .to_owned(),
            ],
        })
        .filter(|manual| !told.iter().any(|other| other.at == manual.at))
        .collect()
}

/// Where a table is declared.
fn declared(context: &Context<'_, '_>, found: &Found) -> Site {
    Site { path: context.analysis.flow.program.module(found.holder.module).path.clone(), span: found.holder.span }
}
