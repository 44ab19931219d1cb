//! The Python front end, construct by construct, on the examples, and on input that nobody would write.

mod constructs;
#[path = "../lower_typescript/dump.rs"]
#[allow(dead_code)]
mod dump;
mod hostile;
mod roads;

use std::path::Path;

use mcp_migrate::lower::python::lower;
use mcp_migrate::model::facts::{FuncKind, Language, Module, SymbolKind, TOP};

/// The Python files under a folder of the project, with their texts, sorted by path.
fn python_files(under: &str) -> Vec<(String, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(under)];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "py")
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

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
