//! Code that runs a server in several processes: workers, forks, functions that a platform starts as often as it likes.

use super::stores::Analysis;
use crate::model::facts::{Exported, ExprId, ExprKind, Key, Module, Span, SymbolKind, TOP};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef, Sort};

/// A place where it does so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// The module.
    pub module: u32,
    /// The place in it.
    pub span: Span,
    /// What it is.
    pub words: String,
    /// Where the number of processes stands; it counts where one of these is more than 1. Empty: it counts as it is.
    pub counts: Vec<Span>,
}

/// Packages that make a server a function of a platform.
const ADAPTERS: &[&str] = &[
    "serverless-http",
    "@vendia/serverless-express",
    "@codegenie/serverless-express",
    "aws-serverless-express",
    "@fastify/aws-lambda",
    "hono/aws-lambda",
    "hono/lambda-edge",
    "hono/vercel",
    "hono/netlify",
    "mangum",
    "awslabs.mcp_lambda_handler",
];

/// Words without which a file says nothing of the kind: which files to read that are of no interest otherwise.
pub const WORDS: &[&str] =
    &["workers=", "\"workers\"", ".fork(", "serverless-http", "serverless-express", "mangum", "aws-lambda"];

/// All such places of the modules that are solved together.
pub fn find(analysis: &Analysis<'_>) -> Vec<Several> {
    let program = analysis.flow.program;
    let mut out = Vec::new();
    for (index, module) in (0u32..).zip(&program.modules) {
        adapters(index, module, &mut out);
        handlers(index, module, &mut out);
    }
    for at in program.exprs_of([Sort::Call, Sort::New]) {
        if let ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } = program.kind(at) {
            call(analysis, at, *callee, &mut out);
        }
    }
    out
}

fn adapters(index: u32, module: &Module, out: &mut Vec<Several>) {
    let mut add = |source: &str, span| {
        if ADAPTERS.contains(&source) {
            let words = format!("a serverless function, through {source}");
            out.push(Several { module: index, span, words, counts: Vec::new() });
        }
    };
    for import in module.imports.iter().filter(|import| !import.type_only) {
        add(import.source.text(), import.span);
    }
    for expr in &module.exprs {
        if let ExprKind::Require(source) = &expr.kind {
            add(source.text(), expr.span);
        }
    }
}

fn handlers(index: u32, module: &Module, out: &mut Vec<Several>) {
    let mut add = |span, words: &str| {
        out.push(Several { module: index, span, words: words.to_owned(), counts: Vec::new() });
    };
    for export in &module.exports {
        match &export.what {
            // With settings of a listener beside it, it is one process that listens.
            Exported::Value(value) if export.name == "default" && is_worker(module, *value) => {
                add(module.expr(*value).span, "a worker's `export default { fetch }`");
            }
            Exported::Local(symbol) if export.name == "handler" => {
                let symbol = module.symbol(*symbol);
                let func = match (symbol.kind, symbol.init.map(|init| module.kind(init))) {
                    (SymbolKind::Function(func), _) => func,
                    (_, Some(ExprKind::Function(func))) => *func,
                    _ => continue,
                };
                let first = module.function(func).params.first().map(|param| module.symbol(param.symbol).name);
                let typed = module.imports.iter().any(|import| import.source == "aws-lambda");
                if typed && first.is_some_and(|name| name == "event") {
                    add(symbol.span, "a handler of AWS Lambda");
                }
            }
            _ => {}
        }
    }
    for function in &module.functions {
        let lambda = function.name.is_some_and(|name| name == "lambda_handler") && function.params.len() == 2;
        if lambda && function.parent == Some(TOP) && function.class.is_none() {
            add(function.name_span, "a handler of AWS Lambda");
        }
    }
}

fn is_worker(module: &Module, value: ExprId) -> bool {
    let ExprKind::Object(fields) = module.kind(value) else { return false };
    let has = |names: &[&str]| {
        fields.iter().any(|field| matches!(&field.key, Key::Name(name) if names.contains(&name.text())))
    };
    has(&["fetch"]) && !has(&["port", "hostname", "websocket", "idleTimeout", "development", "tls", "unix"])
}

fn call(analysis: &Analysis<'_>, at: ExprRef, callee: ExprId, out: &mut Vec<Several>) {
    let flow = &analysis.flow;
    let module = flow.program.module(at.module);
    let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = module.kind(at.id) else { return };
    let span = module.expr(callee).span;
    let mut add = |words: &str, counts| {
        out.push(Several { module: at.module, span, words: words.to_owned(), counts });
    };
    for value in flow.at(At { module: at.module, id: callee }) {
        let Value::External(package, path) = value else { continue };
        let last = path.text().rsplit('.').next().unwrap_or_default();
        match (package.text(), last) {
            ("cluster", "fork") => add("cluster.fork()", Vec::new()),
            ("", "streamifyResponse") if path.text().starts_with("awslambda") => {
                add("a handler of AWS Lambda", Vec::new())
            }
            // A configuration alone starts no workers: only `run` looks at their number.
            ("uvicorn", "run") | ("granian", "Granian") => {
                if let Some(arg) = args.iter().find(|arg| arg.name.is_some_and(|name| name == "workers")) {
                    let words = if *package == "uvicorn" { "workers of uvicorn.run()" } else { "workers of Granian()" };
                    if let Some(counts) = counts(analysis, At { module: at.module, id: arg.value }) {
                        add(words, counts);
                    }
                }
            }
            _ => {}
        }
    }
    // What a framework hands on to uvicorn.
    let config = args.iter().find(|arg| arg.name.is_some_and(|name| name == "uvicorn_config"));
    if let Some(ExprKind::Object(fields)) = config.map(|arg| module.kind(arg.value))
        && let Some(field) = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == "workers"))
        && let Some(counts) = counts(analysis, At { module: at.module, id: field.value })
    {
        add("workers in uvicorn_config", counts);
    }
}

/// Where numbers of processes stand in a value; empty where it is that of the processors, `None` where nothing is written out.
fn counts(analysis: &Analysis<'_>, at: ExprRef) -> Option<Vec<Span>> {
    let flow = &analysis.flow;
    let module = flow.program.module(at.module);
    let mut spans = Vec::new();
    let mut stack = vec![(at.id, 0)];
    while let Some((id, depth)) = stack.pop() {
        if depth > 8 {
            continue;
        }
        match module.kind(id) {
            ExprKind::Literal | ExprKind::Text(_) => spans.push(module.expr(id).span),
            ExprKind::Symbol(symbol) => stack.extend(module.symbol(*symbol).init.map(|init| (init, depth + 1))),
            ExprKind::Call { callee, .. } => {
                let processors = flow.at(At { module: at.module, id: *callee }).iter().any(|value| {
                    matches!(value, Value::External(_, path) if path.text().ends_with("cpu_count") || path.text().ends_with("sched_getaffinity"))
                });
                if processors {
                    return Some(Vec::new());
                }
                module.kind(id).each_child(|child| stack.push((child, depth + 1)));
            }
            kind => kind.each_child(|child| stack.push((child, depth + 1))),
        }
    }
    (!spans.is_empty()).then_some(spans)
}
