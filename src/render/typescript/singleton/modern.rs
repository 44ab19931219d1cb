//! The second SDK: a handler that makes a server for each request takes the place of the transport.

use super::{Code, insert_before, remove};
use crate::model::facts::Span;
use crate::plan::web::Framework;
use crate::render::typescript::entry::Modern;
use crate::render::typescript::imports::{self, Wanted};
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{enclosing_function, span};
use crate::render::{Refused, Rendered};

use super::handlers::make_async;

/// Whether the code can be served by a handler: the factory has to be a function that is seen outside of the request.
pub(super) fn fits(code: &Code<'_>) -> bool {
    let named = code.build.factory.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'));
    let here = code.made.call.is_none() && code.made.gone.is_empty();
    let factory = here && !code.build.factory.is_empty() && (named || !code.per_request());
    let known = ["enableJsonResponse: true", "keepAliveMs", "maxRequestBodySize"];
    let options = code.made.options.iter().all(|option| known.iter().any(|known| option.starts_with(known)));
    factory && options && code.made.hooks.is_empty() && code.handled.iter().all(|handled| handled.only.is_none())
}

/// Replaces transport and connection by a handler.
pub(super) fn render(code: &Code<'_>, out: &mut Rendered) -> Result<(), Refused> {
    let script = code.script;
    let returns = code.handled.iter().any(|handled| handled.framework.returns());
    let closed: Vec<Span> =
        code.made.closed.iter().map(|node| span(*node)).chain(code.build.closed.iter().copied()).collect();
    let node = free_name(script, &["mcp", "mcpHandler", "handleMcp"]);
    let handler = match (returns, closed.is_empty()) {
        (false, true) => String::new(),
        _ => free_name(script, &["handler", "mcpHandler", "mcpServing"]),
    };
    let mapped: Vec<String> =
        code.made.options.iter().map(|option| modern_option(option, script.style.string("json"))).collect();
    let options: Vec<&str> = mapped.iter().map(String::as_str).collect();
    let modern = Modern { factory: &code.build.factory, handler: &handler, node: &node, options: &options };
    let first = &code.handled[0];
    let entry = code.entry(first);
    place(code, entry.modern(&modern), out);
    for handled in &code.handled {
        let call = code.entry(handled).modern_call(&modern, handled.arguments);
        out.changes.push(script.change(span(handled.call), call));
        if handled.framework == Framework::Fastify {
            make_async(script, handled.handler, out);
        }
    }
    let mut closed: Vec<_> = closed.iter().filter_map(|closed| script.node(*closed)).collect();
    closed.sort_by_key(tree_sitter::Node::start_byte);
    if let Some(first) = closed.first() {
        let waits = script.of(*first).starts_with("await") && enclosing_function(*first).is_some();
        let end = if script.style.semicolons { ";" } else { "" };
        let word = if waits || script.of(*first).starts_with("await") { "await" } else { "void" };
        out.changes.push(script.change(span(*first), format!("{word} {handler}.close(){end}")));
    }
    let gone = closed.into_iter().skip(1).chain(code.connect.iter().map(|connect| connect.statement));
    let gone = gone.chain(code.build.gone.iter().filter_map(|gone| script.node(*gone)));
    let gone = gone.filter(|gone| !code.build.kept.contains(&span(*gone)));
    remove(script, gone.collect(), &mut out.changes);
    let create =
        Wanted { source: "@modelcontextprotocol/server", name: "createMcpHandler", alias: None, is_type: false };
    let wrap = Wanted { source: "@modelcontextprotocol/node", name: "toNodeHandler", alias: None, is_type: false };
    let wanted = if returns { vec![create] } else { vec![wrap, create] };
    out.changes.extend(imports::add(script, &wanted));
    comment(code, out);
    Ok(())
}

/// The declarations stand where the transport was, or, where it was one of each request, in front of the routes.
fn place(code: &Code<'_>, text: String, out: &mut Rendered) {
    let script = code.script;
    if !code.per_request() {
        if let Some(made) = code.made.statement {
            let indent = script.indentation(made);
            out.changes.push(script.change(span(made), script.indented(&text, indent)));
        }
        return;
    }
    let route = code.handled[0].routes.first().map_or(code.handled[0].handler, |route| route.statement);
    insert_before(script, route, &text, out);
    remove(script, code.made.statement.into_iter().collect(), &mut out.changes);
}

/// Says above the first route that it answers all methods.
fn comment(code: &Code<'_>, out: &mut Rendered) {
    let script = code.script;
    let any = code.handled.iter().flat_map(|handled| &handled.routes).find(|route| {
        use super::routes::Method;
        matches!(route.method, Method::Any | Method::Below)
    });
    if let Some(route) = any {
        let at = route.statement.start_byte();
        let line = format!(
            "// GET and DELETE reach the handler too: it answers them with 405.{}{}",
            script.style.newline,
            script.indentation(route.statement)
        );
        out.changes.push(script.change(Span::new(at, at), line));
    }
}

fn modern_option(option: &str, json: String) -> String {
    if option.starts_with("enableJsonResponse") { format!("responseMode: {json}") } else { option.to_owned() }
}
