//! `fix`: what it prints, what it writes, when it does not.

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use serde_json::Value;
use tempfile::TempDir;

use super::{folder, program, run};

const SERVER: &str = "src/server.ts";

/// The example server `name` in a git repository of its own, committed.
pub fn repository(name: &str) -> TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript").join(name);
    let folder = TempDir::new().expect("a folder");
    copy(&from, folder.path());
    git(folder.path(), &["init", "--quiet"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "-m", "as it was"]);
    folder
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("an example") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a copy")),
        }
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let output = Process::new("git").args(settings).args(arguments).current_dir(folder).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub fn fix(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let author = [("GIT_AUTHOR_NAME", "t"), ("GIT_AUTHOR_EMAIL", "t@example.org")];
    let committer = [("GIT_COMMITTER_NAME", "t"), ("GIT_COMMITTER_EMAIL", "t@example.org")];
    run(program().arg("fix").args(arguments).envs(author).envs(committer).current_dir(folder))
}

fn server(folder: &Path) -> String {
    fs::read_to_string(folder.join(SERVER)).expect("the server")
}

#[test]
fn a_dry_run_writes_nothing_and_prints_a_patch() {
    let folder = repository("c-session-map/before");
    let before = server(folder.path());
    let (code, stdout, stderr) = fix(folder.path(), &["--dry-run"]);
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert_eq!(server(folder.path()), before);
    assert_eq!(git(folder.path(), &["status", "--porcelain"]), "");
    assert!(stdout.starts_with("# 1. Turn baskets into handles [review, session-keyed-state]\n"), "{stdout}");
    let patch = folder.path().join(".git/dry-run.patch");
    fs::write(&patch, &stdout).expect("a file");
    git(folder.path(), &["apply", ".git/dry-run.patch"]);
    let by_patch = server(folder.path());
    git(folder.path(), &["stash", "--quiet", "--include-untracked"]);
    assert_eq!(fix(folder.path(), &[]).0, 0);
    assert_eq!(server(folder.path()), by_patch, "the patch does what the program does");
}

#[test]
fn a_run_writes_all_says_how_to_take_it_back_and_leaves_nothing_for_a_second() {
    let folder = repository("b-transport-map/before");
    let before = server(folder.path());
    let (code, stdout, stderr) = fix(folder.path(), &[]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("transport-map before, none after"), "{stdout}");
    assert!(stdout.contains("To undo: `git restore -- src/server.ts`"), "{stdout}");
    let after = server(folder.path());
    assert!(!after.contains("mcp-session-id"), "{after}");
    let (code, stdout, _) = fix(folder.path(), &["--allow-dirty"]);
    assert_eq!((code, stdout.contains("Nothing to change.")), (0, true), "{stdout}");
    assert_eq!(server(folder.path()), after);
    git(folder.path(), &["restore", "--", SERVER]);
    assert_eq!(server(folder.path()), before);
}

#[test]
fn what_git_can_not_take_back_is_said() {
    let folder = repository("b-transport-map/before");
    fs::write(folder.path().join(SERVER), server(folder.path()) + "\n// mine\n").expect("a change");
    let (code, stdout, stderr) = fix(folder.path(), &["--allow-dirty"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(!stdout.contains("git restore") && stdout.contains("that `src/server.ts` held before"), "{stdout}");

    let alone = repository("b-transport-map/before");
    fs::remove_dir_all(alone.path().join(".git")).expect("a repository");
    let (_, stdout, _) = fix(alone.path(), &["--allow-dirty"]);
    assert!(!stdout.contains("git restore") && stdout.contains("no git repository knows"), "{stdout}");
}

#[test]
fn a_patch_of_a_folder_says_where_it_applies() {
    let folder = repository("b-transport-map/before");
    let (_, stdout, stderr) = fix(folder.path(), &["--patch", "p.diff", "src"]);
    assert!(stderr.contains("`git apply --directory=src` takes it"), "{stdout}{stderr}");
    let before = server(folder.path());
    git(folder.path(), &["apply", "--directory=src", "p.diff"]);
    assert_ne!(server(folder.path()), before);
    git(folder.path(), &["restore", "--", SERVER]);
    let (_, stdout, _) = fix(folder.path(), &["src"]);
    assert!(stdout.contains("`git restore -- server.ts`, in `src`"), "{stdout}");
}

#[test]
fn changes_that_are_not_committed_stop_it() {
    let folder = repository("b-transport-map/before");
    let tools = folder.path().join("src/tools.ts");
    fs::write(&tools, fs::read_to_string(&tools).expect("a file") + "\n// another file\n").expect("a change");
    fs::write(folder.path().join(SERVER), server(folder.path()) + "\n// mine\n").expect("a change");
    let before = server(folder.path());
    let (code, stdout, stderr) = fix(folder.path(), &[]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains(SERVER) && stderr.contains("--allow-dirty"), "{stderr}");
    assert!(!stderr.contains("tools.ts"), "a file that would not be written counts for nothing: {stderr}");
    assert_eq!(server(folder.path()), before);
    let _ = fix(folder.path(), &["--allow-dirty"]);
    assert!(server(folder.path()).contains("// mine"));
    assert_ne!(server(folder.path()), before);
}

#[test]
fn the_document_is_valid_and_complete() {
    let schema: Value = serde_json::from_str(mcp_migrate::report::fix_json::SCHEMA_TEXT).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for name in ["c-session-map/before", "f-session-auth/before", "g-gateway-child/before", "b-transport-map/after"] {
        let folder = repository(name);
        let (code, stdout, _) = fix(folder.path(), &["--dry-run", "--format", "json"]);
        let document: Value = serde_json::from_str(&stdout).expect("JSON and nothing else");
        let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assert_eq!(code, i32::from(name != "b-transport-map/after"), "{name}");
    }
}

#[test]
fn what_is_to_stay_is_in_the_document() {
    let folder = repository("c-session-map/before");
    let text = server(folder.path());
    let line = text.lines().find(|line| line.contains("const baskets =")).expect("the store");
    let allowed = format!("// mcp-migrate-allow: session-keyed-state -- goes next month\n{line}");
    fs::write(folder.path().join(SERVER), text.replacen(line, &allowed, 1)).expect("a file");
    let (_, stdout, _) = fix(folder.path(), &["--dry-run", "--format", "json"]);
    let document: Value = serde_json::from_str(&stdout).expect("JSON and nothing else");
    let schema: Value = serde_json::from_str(mcp_migrate::report::fix_json::SCHEMA_TEXT).expect("JSON");
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).expect("a schema").iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(document["summary"]["allowed"], 1, "{stdout}");
    let groups = document["groups"].as_array().expect("a list").iter();
    let stays: Vec<&Value> = groups.filter(|group| group["status"] == "allowed").collect();
    assert!(stays.len() == 1 && stays[0]["reason"].as_str().is_some_and(|why| why.contains("goes next month")));
}

#[test]
fn what_models_read_is_counted_tool_by_tool() {
    let folder = repository("c-session-map/before");
    let (_, stdout, _) = fix(folder.path(), &["--dry-run", "--format", "json"]);
    let document: Value = serde_json::from_str(&stdout).expect("JSON");
    let told = &document["tool_text"];
    let tools = told["tools"].as_array().expect("a list");
    let tool = |name: &str| tools.iter().find(|tool| tool["tool"] == name).expect("it changes");
    // Its name, description, two parameters and three choices; then the handle with its description.
    let add_item = ["add_item", "Add an item to the basket.", "sku", "mug", "lamp", "rug", "quantity"].concat().len();
    assert_eq!(tool("add_item")["before"], add_item, "{told}");
    assert_eq!(tool("add_item")["after"], add_item + "basket_id".len() + "basket_id returned by create_basket".len());
    assert_eq!(tool("create_basket")["before"], Value::Null);
    let sum: i64 = tools.iter().map(|t| t["after"].as_i64().unwrap_or(0) - t["before"].as_i64().unwrap_or(0)).sum();
    assert_eq!(told["added"], sum);
    // It says the same when all is written.
    let (_, written, _) = fix(folder.path(), &["--format", "json"]);
    let written: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(&written["tool_text"], told);
    let (_, again, _) = fix(folder.path(), &["--dry-run", "--allow-dirty", "--format", "json"]);
    let again: Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["tool_text"], serde_json::json!({ "added": 0, "tools": [] }));
}

#[test]
fn what_a_person_decides_is_left_with_place_reason_and_ways() {
    for name in ["f-session-auth/before", "g-gateway-child/before"] {
        let folder = repository(name);
        let before = server(folder.path());
        let (code, stdout, _) = fix(folder.path(), &["--format", "json"]);
        let document: Value = serde_json::from_str(&stdout).expect("JSON");
        assert_eq!(code, 1, "{stdout}");
        assert_eq!(document["summary"]["applied"], 0, "{name}: nothing is edited beside what is not decided");
        let manual = document["manual"].as_array().expect("a list");
        assert!(!manual.is_empty());
        for left in manual {
            assert!(
                left["line"].as_u64() > Some(0) && left["why"] != "" && !left["todo"].as_array().unwrap().is_empty()
            );
        }
        assert_eq!(server(folder.path()), before);
    }
}

#[test]
fn safe_leaves_out_what_changes_a_tool_and_what_needs_it() {
    let folder = repository("c-session-map/before");
    let (code, stdout, _) = fix(folder.path(), &["--level", "safe", "--dry-run", "--format", "json"]);
    let document: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, document["summary"]["applied"].as_u64()), (1, Some(0)));
    let groups = document["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 2, "{stdout}");
    assert!(groups.iter().all(|group| group["status"] == "refused" && group["reason"].is_string()), "{stdout}");
}

#[test]
fn a_patch_file_is_all_that_is_written() {
    let folder = repository("a-setup-only/before");
    let (code, stdout, stderr) = fix(folder.path(), &["--patch", "my.patch"]);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert_eq!(git(folder.path(), &["status", "--porcelain"]), "?? my.patch\n");
    git(folder.path(), &["apply", "my.patch"]);
    assert!(server(folder.path()).contains("function buildServer()"));
}

#[test]
fn each_idea_can_be_a_commit_of_its_own() {
    let folder = repository("c-session-map/before");
    let (code, stdout, stderr) = fix(folder.path(), &["--commit-per-group"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let log = git(folder.path(), &["log", "--reverse", "--format=%s"]);
    let titles: Vec<&str> = log.lines().collect();
    let made = ["Turn baskets into handles", "Make server and transport for each request, without sessions"];
    assert_eq!(titles, [&["as it was"], made.as_slice()].concat());
    assert_eq!(git(folder.path(), &["status", "--porcelain"]), "");
    // The later one goes alone.
    git(folder.path(), &["revert", "--no-edit", "HEAD"]);
    assert!(server(folder.path()).contains("basket_id") && server(folder.path()).contains("transports"));
}

#[test]
fn whoever_only_reads_is_told_of_an_interrupted_run() {
    let folder = repository("b-transport-map/before");
    fs::write(folder.path().join(".mcp-migrate-journal"), "{}\n").expect("a file");
    for dry in [["--dry-run"].as_slice(), &["--patch", "my.patch"]] {
        let (_, _, stderr) = fix(folder.path(), dry);
        assert!(stderr.contains("was interrupted here"), "{stderr}");
    }
    let (_, _, stderr) = run(program().arg("scan").arg(folder.path()));
    assert!(stderr.contains("was interrupted here"), "{stderr}");
}

#[test]
fn a_group_with_which_the_check_fails_is_left_out() {
    let folder = repository("c-session-map/before");
    let check = "grep -q transports src/server.ts";
    let (code, stdout, stderr) = fix(folder.path(), &["--check-cmd", check, "--format", "json"]);
    let document: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, document["summary"]["applied"].as_u64()), (1, Some(1)), "{stderr}");
    assert!(stderr.contains("left out"), "{stderr}");
    // What it printed tells why.
    let check = "grep -q transports src/server.ts || { echo one; echo 'transports: not found' >&2; exit 1; }";
    let told = fix(repository("c-session-map/before").path(), &["--check-cmd", check]).2;
    assert!(told.contains("it printed at its end:\n  one\n  transports: not found\n"), "{told}");
    let text = server(folder.path());
    assert!(text.contains("basket_id") && text.contains("transports"), "{text}");

    let folder = repository("b-transport-map/before");
    let (_, _, stderr) = fix(folder.path(), &["--check-cmd", "false"]);
    assert!(stderr.contains("fails before anything is changed"), "{stderr}");
}

#[test]
fn languages_without_a_back_end_are_left_whole() {
    let server = "from mcp.server.fastmcp import Context, FastMCP\n\nmcp = FastMCP('x')\nnotes: dict[str, list[str]] = {}\n\n\n\
                  @mcp.tool()\ndef add(text: str, ctx: Context) -> str:\n    \
                  key = ctx.request_context.request.headers['mcp-session-id']\n    \
                  notes.setdefault(key, []).append(text)\n    return text\n\n\nmcp.run(transport='streamable-http')\n";
    let manifest = "[project]\nname = 'x'\nversion = '1'\ndependencies = ['mcp==1.30.0']\n";
    let folder = folder(&[("server.py", server), ("pyproject.toml", manifest)]);
    let (code, stdout, stderr) = fix(folder.path(), &[]);
    assert_eq!((code, stderr.as_str()), (1, ""), "{stdout}");
    assert!(stdout.contains("server.py:4:1") && stdout.contains("TypeScript and JavaScript only"), "{stdout}");
    assert_eq!(fs::read_to_string(folder.path().join("server.py")).expect("a file"), server);
}

fn answered(folder: &Path, answers: &str) -> (i32, String, String) {
    run(program().args(["fix", "--interactive=stdin"]).write_stdin(answers).current_dir(folder))
}

#[test]
fn each_change_is_asked_for_and_made_only_on_a_yes() {
    let folder = repository("c-session-map/before");
    let before = server(folder.path());
    let (code, stdout, stderr) = answered(folder.path(), "n\n");
    assert_eq!(code, 1, "{stdout}");
    assert!(stderr.contains("Turn baskets into handles [review, session-keyed-state]"), "{stderr}");
    assert!(stdout.contains("# Stays as it is") && stdout.contains("you left it out"), "{stdout}");
    assert_eq!(stderr.matches("Make this change?").count(), 1, "what needs it is not asked for: {stderr}");
    assert_eq!(server(folder.path()), before);

    let (code, _, stderr) = answered(folder.path(), "?\nd\ny\ny\n");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("leave it out, and what needs it") && stderr.contains("+++ b/src/handles.ts"), "{stderr}");
    let asked = server(folder.path());
    git(folder.path(), &["stash", "--quiet", "--include-untracked"]);
    assert_eq!(fix(folder.path(), &[]).0, 0);
    assert_eq!(server(folder.path()), asked, "a yes to all is what happens unasked");
}

#[test]
fn one_change_can_be_made_and_the_rest_left() {
    for answers in ["y\nq\n", "y\n", "y\nn\n"] {
        let folder = repository("c-session-map/before");
        let (_, stdout, stderr) = answered(folder.path(), answers);
        let after = server(folder.path());
        assert!(after.contains("new MemoryHandles(") && after.contains("sessionIdGenerator: ()"), "{stderr}{stdout}");
    }
    let folder = repository("c-session-map/before");
    assert_eq!(answered(folder.path(), "a\n").0, 0);
    assert!(!server(folder.path()).contains("sessionIdGenerator: ()"));
}

#[test]
fn without_a_terminal_nothing_is_asked_and_nothing_written() {
    let folder = repository("c-session-map/before");
    let before = server(folder.path());
    let (code, stdout, stderr) =
        run(program().args(["fix", "--interactive"]).write_stdin("y\n").current_dir(folder.path()));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("asks at a terminal"), "{stderr}");
    assert_eq!(server(folder.path()), before);
}
