//! The Rust front end, construct by construct, and on input that nobody would write.

mod constructs;
#[path = "../lower_typescript/dump.rs"]
#[allow(dead_code)]
mod dump;
mod hostile;

use mcp_migrate::lower::rust::lower;
use mcp_migrate::model::facts::{Language, Module};

fn rust(text: &str) -> Module {
    let module = lower("src/main.rs", Language::Rust, text).expect("lowers");
    assert!(module.errors.is_empty(), "{:?} in {text}", module.errors);
    sound(&module, text);
    module
}

/// The code of `text`, without what was synthesised for types; what stands left and right of a line does not matter.
#[track_caller]
fn is(text: &str, expected: &str) {
    let trim = |text: &str| {
        let lines: Vec<String> =
            text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    };
    let (found, expected) = (trim(&dump::code(&rust(text))), trim(expected));
    assert!(found == expected, "\n--- expected\n{expected}\n--- found\n{found}\n");
}

/// What holds of every module, whatever it was made from.
fn sound(module: &Module, text: &str) {
    let inside = |span: mcp_migrate::model::facts::Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        start <= end && end <= text.len() && text.is_char_boundary(start) && text.is_char_boundary(end)
    };
    for (index, expr) in module.exprs.iter().enumerate() {
        assert!(inside(expr.span), "{:?} of {:?}", expr.span, expr.kind);
        assert!(expr.func.index() < module.functions.len());
        expr.kind.each_child(|child| assert!(child.index() < index, "{:?}", expr.kind));
        if let Some(parent) = expr.parent {
            assert!(parent.index() > index);
        }
    }
    for function in &module.functions {
        assert!(inside(function.span) && inside(function.name_span));
        assert!(function.returns.iter().chain(&function.throws).all(|id| id.index() < module.exprs.len()));
    }
    for symbol in &module.symbols {
        assert!(inside(symbol.span), "{symbol:?}");
    }
    for branch in &module.branches {
        assert!(inside(branch.then) && inside(branch.span), "{branch:?}");
    }
    for error in &module.errors {
        assert!(inside(*error), "{error:?}");
    }
}
