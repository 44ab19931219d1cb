//! The gold servers.

use std::path::{Path, PathBuf};

use mcp_migrate::lower::typescript::lower;
use mcp_migrate::model::facts::{ExprKind, FuncKind, Language, Module, SymbolId, SymbolKind, TOP};

use super::dump;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript")
}

pub fn sources() -> Vec<(String, String)> {
    let mut open = vec![root()];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).expect("a folder") {
            let path = entry.expect("an entry").path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                if !path.ends_with("node_modules") {
                    open.push(path);
                }
            } else if matches!(extension, Some("ts" | "js" | "mjs")) {
                let text = std::fs::read_to_string(&path).expect("a text");
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

fn fixture(path: &str) -> (Module, String) {
    let text = std::fs::read_to_string(root().join(path)).expect("a fixture");
    let module = lower(path, Language::TypeScript, &text).expect("lowers");
    (module, text)
}

#[test]
fn every_gold_source_lowers_without_errors() {
    let sources = sources();
    assert!(sources.len() > 80, "{}", sources.len());
    for (path, text) in sources {
        let module = lower(&path, Language::TypeScript, &text).expect("lowers");
        assert!(module.errors.is_empty(), "{path}: {:?}", module.errors);
        sound(&module, &path);
    }
}

/// What holds of every module.
pub fn sound(module: &Module, path: &str) {
    for id in module.expr_ids() {
        let expr = module.expr(id);
        assert!(expr.span.start <= expr.span.end, "{path}");
        if let Some(parent) = expr.parent {
            assert!(parent.index() < module.exprs.len(), "{path}");
            assert_ne!(parent, id, "{path}");
            let mut listed = matches!(module.kind(parent), ExprKind::Require(_));
            module.kind(parent).each_child(|child| listed |= child == id);
            assert!(listed, "{path}: {} in {}", dump::expr(module, id), dump::expr(module, parent));
        }
    }
    for (position, function) in module.functions.iter().enumerate() {
        assert_eq!(function.parent.is_none(), position == TOP.index(), "{path}");
    }
    for class in &module.classes {
        let constructor = module.function(class.constructor);
        assert_eq!(constructor.kind, FuncKind::Constructor, "{path}");
    }
    for (position, import) in module.imports.iter().enumerate() {
        if let Some(symbol) = import.symbol {
            let kind = module.symbol(symbol).kind;
            assert_eq!(kind, SymbolKind::Import(position as u32), "{path}");
        }
    }
}

/// Uses of `name`, as (line, symbol).
fn uses(module: &Module, text: &str, name: &str) -> Vec<(usize, Option<SymbolId>)> {
    module
        .expr_ids()
        .filter_map(|id| {
            let expr = module.expr(id);
            let line = text[..expr.span.start as usize].lines().count();
            match expr.kind {
                ExprKind::Symbol(symbol) if module.symbol(symbol).name == name => Some((line, Some(symbol))),
                ExprKind::Global(global) if global == name => Some((line, None)),
                _ => None,
            }
        })
        .collect()
}

#[test]
fn the_session_map_is_one_symbol_wherever_it_is_used() {
    let (module, text) = fixture("c-session-map/before/src/server.ts");
    for name in ["baskets", "transports"] {
        let declared = module.symbols.iter().position(|symbol| symbol.name == name).expect("declared");
        let symbol = SymbolId(declared as u32);
        assert_eq!(module.symbol(symbol).func, TOP);
        let uses = uses(&module, &text, name);
        assert!(uses.len() >= 4, "{name}: {uses:?}");
        assert!(uses.iter().all(|(_, used)| *used == Some(symbol)), "{name}: {uses:?}");
        let init = module.symbol(symbol).init.expect("a value");
        let types: Vec<String> = module.type_args_of(init).iter().map(|&ty| dump::ty_text(&module, ty)).collect();
        let value = if name == "baskets" { "Basket!" } else { "#StreamableHTTPServerTransport" };
        assert_eq!(types, ["string", value]);
    }
    let globals: std::collections::BTreeSet<&str> = module
        .exprs
        .iter()
        .filter_map(|expr| match expr.kind {
            ExprKind::Global(name) => Some(name.text()),
            _ => None,
        })
        .collect();
    let expected = ["Error", "Map", "Number", "console", "process"];
    assert_eq!(globals.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_closure_captures_the_locals_of_the_factory() {
    let (module, text) = fixture("d-factory-closure/before/src/server.ts");
    let factory = module
        .functions
        .iter()
        .position(|function| function.name.is_some_and(|name| name == "getServer"))
        .expect("the factory");
    for name in ["entries", "goal"] {
        let uses = uses(&module, &text, name);
        assert!(uses.len() >= 3, "{name}: {uses:?}");
        for (line, symbol) in uses {
            let symbol = symbol.unwrap_or_else(|| panic!("{name} unresolved in line {line}"));
            assert_eq!(module.symbol(symbol).func.index(), factory);
        }
    }
}

#[test]
fn a_gold_server_reads_like_its_source() {
    let (module, _) = fixture("c-session-map/before/src/server.ts");
    let code = dump::code(&module);
    for line in [
        "getBasket: throw new ~Error('No session')",
        "getBasket: basket := baskets.get(sessionId)",
        "getBasket: basket = {currency: 'EUR', lines: []}",
        "getBasket: return basket",
        "sessionIdGenerator: return randomUUID()",
        "onsessionclosed: baskets.delete(id'2)",
        "top: method := item(['get', 'delete'])",
    ] {
        assert!(code.lines().any(|found| found == line), "{line}\n{code}");
    }
}
