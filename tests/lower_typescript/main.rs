//! The TypeScript front end, construct by construct, on the gold servers, and on input that nobody would write.

mod constructs;
mod declarations;
mod dump;
mod fixtures;
mod hostile;

use mcp_migrate::lower::typescript::lower;
use mcp_migrate::model::facts::{Language, Module};

fn ts(text: &str) -> Module {
    let module = lower("a.ts", Language::TypeScript, text).expect("lowers");
    assert!(module.errors.is_empty(), "{:?} in {text}", module.errors);
    module
}

fn tsx(text: &str) -> Module {
    let module = lower("a.tsx", Language::TypeScript, text).expect("lowers");
    assert!(module.errors.is_empty(), "{:?} in {text}", module.errors);
    module
}

/// Compares the code of `text` with the expected lines; what stands left and right of a line does not matter.
#[track_caller]
fn is(text: &str, expected: &str) {
    same(&dump::code(&ts(text)), expected);
}

#[track_caller]
fn same(found: &str, expected: &str) {
    let trim = |text: &str| {
        let lines: Vec<String> =
            text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    };
    pretty(&trim(found), &trim(expected));
}

#[track_caller]
fn pretty(found: &str, expected: &str) {
    assert!(found == expected, "\n--- expected\n{expected}\n--- found\n{found}\n");
}
