//! The program as people and scripts meet it: exit codes, streams, messages.

mod choices;
mod fix;
mod formats;
mod plan;
mod processes;
mod upgrades;

use std::fs;
use std::io::Read;
use std::process::{Command as Process, Output, Stdio};

use assert_cmd::Command;
use tempfile::TempDir;

fn program() -> Command {
    let mut command = Command::cargo_bin("mcp-migrate").expect("the program is built");
    for name in ["NO_COLOR", "COLUMNS", "CLICOLOR_FORCE", "RUST_BACKTRACE", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(name);
    }
    command.env("COLUMNS", "100");
    command
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("within the folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("not killed"), text(stdout), text(stderr))
}

#[test]
fn readable_files_without_a_server_are_fine() {
    let folder = folder(&[("index.ts", "export const answer = 42;\n")]);
    let (code, stdout, stderr) = run(program().arg("scan").arg(folder.path()));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.starts_with("No MCP server found (1 file)."), "{stdout}");
    assert_eq!(stderr, "");
}

#[test]
fn json_goes_to_stdout_alone() {
    let folder = folder(&[("index.ts", "export const answer = 42;\n")]);
    let (code, stdout, stderr) = run(program().args(["scan", "--format", "json"]).current_dir(folder.path()));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("JSON and nothing else");
    assert_eq!(document["schema"], "mcp-migrate/scan/v1");
    assert_eq!(document["root"], ".");
    assert_eq!(document["summary"]["category"], serde_json::Value::Null);
}

#[test]
fn stats_go_to_stderr() {
    let folder = folder(&[("index.ts", "export const answer = 42;\n")]);
    let (code, stdout, stderr) = run(program().args(["scan", "--format", "json", "--stats"]).arg(folder.path()));
    assert_eq!(code, 0);
    assert!(serde_json::from_str::<serde_json::Value>(&stdout).is_ok());
    assert!(stderr.contains("1 file walked"), "{stderr}");
}

#[test]
fn a_missing_path_names_the_nearest_folder() {
    let folder = folder(&[("packages/cart/index.ts", "")]);
    let missing = folder.path().join("packages/zzz/src");
    let (code, stdout, stderr) = run(program().arg("scan").arg(&missing));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("does not exist"), "{stderr}");
    assert!(stderr.contains("give a file or folder in it"), "{stderr}");
}

#[test]
fn a_misspelt_path_gets_a_proposal() {
    let folder = folder(&[("packages/cart/index.ts", "")]);
    let (code, _, stderr) = run(program().args(["scan", "package/cart"]).current_dir(folder.path()));
    assert_eq!(code, 2);
    assert!(stderr.contains("Did you mean") && stderr.contains("packages"), "{stderr}");
}

#[test]
fn nothing_readable_is_an_error_unless_allowed() {
    let folder = folder(&[("README.md", "# Hello\n"), ("main.go", "package main\n")]);
    let (code, stdout, stderr) = run(program().arg("scan").arg(folder.path()));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("--allow-empty") && stderr.contains("Go"), "{stderr}");

    let (code, stdout, stderr) = run(program().args(["scan", "--allow-empty"]).arg(folder.path()));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("Go, not supported yet: 1 file (main.go)"), "{stdout}");
}

#[test]
fn excluded_files_do_not_count() {
    let folder = folder(&[("gen/a.ts", "export {};\n")]);
    let (code, _, stderr) = run(program().args(["scan", "--exclude", "gen/**"]).current_dir(folder.path()));
    assert_eq!(code, 2, "{stderr}");
    let (code, _, stderr) = run(program().args(["scan", "--exclude", "a{"]).current_dir(folder.path()));
    assert_eq!(code, 2);
    assert!(stderr.contains("is not a glob") && stderr.contains("quote them"), "{stderr}");
}

#[test]
fn an_unknown_rule_gets_a_proposal() {
    for arguments in [&["scan", "--rule", "session-keyed-sate"][..], &["explain", "session-keyed-sate"]] {
        let (code, stdout, stderr) = run(program().args(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert!(stderr.contains("did you mean `session-keyed-state`?"), "{stderr}");
        assert!(stderr.contains("mcp-migrate rules"), "{stderr}");
    }
}

#[test]
fn rules_may_be_repeated_or_separated_by_commas() {
    let names = |arguments: &[&str]| {
        let (code, stdout, _) = run(program().args(["rules", "--format", "json"]).args(arguments));
        assert_eq!(code, 0);
        let document: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
        document["rules"].as_array().expect("a list").len()
    };
    assert_eq!(names(&["--rule", "session-guard,session-gateway"]), 2);
    assert_eq!(names(&["--rule", "session-guard", "--rule", "session-gateway"]), 2);
    assert_eq!(names(&[]), 23);
}

#[test]
fn usage_errors_are_2_and_help_is_0() {
    for arguments in
        [&["scna"][..], &["scan", "--format", "yaml"], &["scan", "--threads", "0"], &[], &["scan", "-q", "-v"]]
    {
        let (code, stdout, stderr) = run(program().args(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(!stderr.is_empty());
    }
    for arguments in [&["--help"][..], &["scan", "--help"], &["--version"]] {
        let (code, stdout, stderr) = run(program().args(arguments));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(!stdout.is_empty());
    }
}

#[test]
fn help_names_only_what_there_is() {
    let (_, stdout, _) = run(program().arg("--help"));
    for command in ["scan", "report", "explain", "rules", "init-ci", "completions"] {
        assert!(stdout.contains(&format!("\n  {command} ")), "{command}: {stdout}");
    }
    insta::assert_snapshot!(stdout);
}

#[test]
fn colour_only_when_asked_for() {
    let explain = || {
        let mut command = program();
        command.args(["explain", "session-guard"]);
        command
    };
    assert!(!run(&mut explain()).1.contains('\u{1b}'));
    assert!(run(explain().args(["--color", "always"])).1.contains('\u{1b}'));
    assert!(run(explain().args(["--color", "always"]).env("NO_COLOR", "1")).1.contains('\u{1b}'));
    assert!(!run(explain().args(["--color", "never"])).1.contains('\u{1b}'));
}

#[test]
fn quiet_is_the_verdict_and_the_summary() {
    let folder = folder(&[("index.ts", ""), ("main.go", "package main\n")]);
    let (code, stdout, _) = run(program().args(["scan", "-q"]).arg(folder.path()));
    assert_eq!(code, 0);
    assert!(!stdout.contains("Not read"), "{stdout}");
    let (_, stdout, _) = run(program().args(["scan"]).arg(folder.path()));
    assert!(stdout.contains("Not read"), "{stdout}");
}

#[test]
fn completions_know_the_commands_and_the_rules() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, stdout, _) = run(program().args(["completions", shell]));
        assert_eq!(code, 0);
        assert!(stdout.contains("completions") && stdout.contains("mcp-migrate"), "{shell}");
    }
    let (_, stdout, _) = run(program().args(["completions", "bash"]));
    assert!(stdout.contains("session-keyed-state"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Process::new(assert_cmd::cargo::cargo_bin!("mcp-migrate"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(stderr, "");
}

#[test]
fn the_list_of_rules() {
    insta::assert_snapshot!(run(program().arg("rules")).1);
}

#[test]
fn one_explanation() {
    insta::assert_snapshot!(run(program().args(["explain", "shared-stateless-server"])).1);
}
