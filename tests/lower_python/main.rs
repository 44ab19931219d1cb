//! The Python front end, construct by construct, on the examples, and on input that nobody would write.

mod constructs;
#[path = "../lower_typescript/dump.rs"]
#[allow(dead_code)]
mod dump;
mod hostile;
mod roads;

use mcp_migrate::lower::python::lower;
use mcp_migrate::model::facts::{FuncKind, Language, Module, SymbolKind, TOP};

fn py(text: &str) -> Module {
    let module = lower("a.py", Language::Python, text).expect("lowers");
    assert!(module.errors.is_empty(), "{:?} in {text}", module.errors);
    sound(&module, text);
    module
}

/// Compares the code of `text` with the expected lines; what stands left and right of a line does not matter.
#[track_caller]
fn is(text: &str, expected: &str) {
    same(&dump::code(&py(text)), expected);
}

#[track_caller]
fn same(found: &str, expected: &str) {
    let trim = |text: &str| {
        let lines: Vec<String> =
            text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    };
    let (found, expected) = (trim(found), trim(expected));
    assert!(found == expected, "\n--- expected\n{expected}\n--- found\n{found}\n");
}

/// What holds of every module.
fn sound(module: &Module, of: &str) {
    for id in module.expr_ids() {
        let expr = module.expr(id);
        assert!(expr.span.start <= expr.span.end, "{of}");
        if let Some(parent) = expr.parent {
            let mut listed = false;
            module.kind(parent).each_child(|child| listed |= child == id);
            assert!(listed, "{of}: {} in {}", dump::expr(module, id), dump::expr(module, parent));
        }
    }
    for (position, function) in module.functions.iter().enumerate() {
        assert_eq!(function.parent.is_none(), position == TOP.index(), "{of}");
    }
    for class in &module.classes {
        assert_eq!(module.function(class.constructor).kind, FuncKind::Constructor, "{of}");
    }
    for (position, import) in module.imports.iter().enumerate() {
        if let Some(symbol) = import.symbol {
            assert_eq!(module.symbol(symbol).kind, SymbolKind::Import(position as u32), "{of}");
        }
    }
}
