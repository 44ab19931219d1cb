//! What a program calls its servers.

use super::names::is_bookkeeping;
use crate::classify::words::words;
use crate::model::facts::{ExprKind, Key};
use crate::model::program::FuncRef;
use crate::model::vocabulary::Role;
use crate::rules::detect::Context;

/// What the name of a server or of its class says beside that it is one.
pub fn domain(name: &str) -> String {
    const PLAIN: &[&str] = &[
        "server",
        "mcp",
        "demo",
        "example",
        "service",
        "my",
        "test",
        "sample",
        "app",
        "tool",
        "tools",
        "http",
        "streamable",
        "stateful",
        "stateless",
        "simple",
        "basic",
        "minimal",
        "typescript",
        "ts",
        "js",
        "node",
        "manager",
        "handler",
        "controller",
        "provider",
        "factory",
        "api",
        "sdk",
    ];
    let words = words(name.rsplit('/').next().unwrap_or(name));
    let plain = |word: &String| PLAIN.contains(&word.as_str()) || is_bookkeeping(word);
    words.into_iter().filter(|word| !plain(word)).collect::<Vec<String>>().join("-")
}

/// The names that servers are made with (`new McpServer({ name: … })`), those within a function if one is given.
fn server_names(context: &Context<'_, '_>, scope: Option<FuncRef>) -> Vec<String> {
    let flow = &context.analysis.flow;
    let program = flow.program;
    let within = |at| scope.is_none_or(|scope| program.within(program.func_of(at), scope));
    let mut out: Vec<String> = Vec::new();
    for at in program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::New { args, .. } = program.kind(at) else { continue };
        if !flow.objects_at(at).any(|id| flow.object(id).role == Some(Role::Server)) || !within(at) {
            continue;
        }
        let facts = program.module(at.module);
        let Some(ExprKind::Object(fields)) = args.first().map(|first| facts.kind(first.value)) else { continue };
        let name = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == "name"));
        if let Some(ExprKind::Text(text)) = name.map(|name| facts.kind(name.value)) {
            out.push(text.text().to_owned());
        }
    }
    out.dedup();
    out
}

/// What the name of the only server says.
pub fn only_domain(context: &Context<'_, '_>, scope: Option<FuncRef>) -> Option<String> {
    let mut said: Vec<String> = server_names(context, scope).iter().map(|name| domain(name)).collect();
    said.dedup();
    let [only] = said.as_slice() else { return None };
    Some(only.clone()).filter(|only| !only.is_empty())
}
