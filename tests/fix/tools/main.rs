//! Tools of the SDK as text: every way to register one, given a further argument or a tool beside it; and the module of handles, run.

mod cases;
mod module;
mod new_tools;
mod program;

use std::fs;
use std::path::Path;

/// All cases of a file, each reported by its title.
fn check(file: &str, run: fn(&cases::Case) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix/tools").join(file);
    let text = fs::read_to_string(&path).expect("the cases");
    let mut wrong = Vec::new();
    for case in cases::read(&text) {
        let got = run(&case);
        if got != case.expected {
            wrong.push(format!("=== {}\n--- expected\n{}--- got\n{got}", case.title, case.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_form_of_registration_takes_an_argument() {
    check("arguments.txt", program::with_argument);
}

#[test]
fn every_form_of_registration_takes_an_argument_that_may_be_left_out() {
    check("optional.txt", program::with_argument);
}

#[test]
fn what_is_not_understood_is_refused_where_it_stands() {
    check("refusals.txt", program::with_argument);
}

#[test]
fn new_tools_are_written_like_the_one_beside_them() {
    check("new_tools.txt", new_tools::with_tool);
}

#[test]
fn a_tool_that_creates_a_value_tells_its_id() {
    check("answers.txt", new_tools::with_id);
}

#[test]
fn line_ends_and_tabs_are_kept() {
    for file in ["arguments.txt", "new_tools.txt"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix/tools").join(file);
        let text = fs::read_to_string(&path).expect("the cases");
        for case in cases::read(&text).iter().filter(|case| !case.expected.starts_with("src/")) {
            let foreign = case.foreign();
            let got =
                if file == "arguments.txt" { program::with_argument(&foreign) } else { new_tools::with_tool(&foreign) };
            let said = |line: &&str| !line.starts_with("named ") && !line.starts_with("--- ");
            for line in got.split_inclusive('\n').filter(said) {
                assert!(line.ends_with("\r\n") || !line.ends_with('\n'), "{}: {line:?}", case.title);
                let indent: String = line.chars().take_while(|char| *char == ' ').collect();
                assert!(indent.is_empty(), "{}: {line:?}", case.title);
            }
        }
    }
}
