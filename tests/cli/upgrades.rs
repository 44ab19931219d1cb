//! `--upgrade-to`: what a dependency that moves to another version changes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{folder, program, run};

fn fixture(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)).expect("a fixture")
}

/// `kind message-so-far @places`, for each change of the only server.
fn changes(repository: &TempDir, target: &str) -> Vec<String> {
    let mut command = program();
    command.args(["scan", "--format", "json", "--fail-on", "never", "--upgrade-to", target]).arg(repository.path());
    let (code, stdout, stderr) = run(&mut command);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&stdout).expect("JSON");
    let upgrades = &document["servers"][0]["upgrades"];
    assert_eq!(upgrades.as_array().map(Vec::len), Some(1), "{stdout}");
    let list = upgrades[0]["changes"].as_array().expect("changes");
    list.iter()
        .map(|change| {
            let at: Vec<String> = change["at"]
                .as_array()
                .expect("places")
                .iter()
                .map(|at| format!("{}:{}", at["path"].as_str().unwrap(), at["line"]))
                .collect();
            format!("{}: {} @{}", change["kind"].as_str().unwrap(), change["message"].as_str().unwrap(), at.join(" "))
        })
        .collect()
}

/// Whether there is a change of a kind that says this, at these places.
#[track_caller]
fn says(changes: &[String], kind: &str, words: &str, at: &str) {
    let found = changes.iter().any(|change| {
        change.starts_with(&format!("{kind}: ")) && change.contains(words) && change.ends_with(&format!("@{at}"))
    });
    assert!(found, "{kind}: {words} @{at} is not in {changes:#?}");
}

fn python(example: &str, dependency: &str) -> TempDir {
    let manifest = format!("[project]\nname = \"x\"\ndependencies = [\"{dependency}\"]\n");
    folder(&[("pyproject.toml", &manifest), ("server.py", &fixture(&format!("gold/python/{example}/before.py")))])
}

fn script(files: &[(&str, String)], sdk: &str) -> TempDir {
    let manifest = format!("{{ \"name\": \"x\", \"dependencies\": {{ \"@modelcontextprotocol/sdk\": \"{sdk}\" }} }}");
    let mut all = vec![("package.json", manifest.as_str())];
    all.extend(files.iter().map(|(path, text)| (*path, text.as_str())));
    folder(&all)
}

#[test]
fn a_session_map_to_the_second_major() {
    let server = fixture("gold/typescript/c-session-map/before/src/server.ts");
    let repository = script(&[("src/server.ts", server)], "1.20.0");
    let found = changes(&repository, "@modelcontextprotocol/sdk@2");
    assert!(found[0].starts_with("era: from 2.0.0 on, 2026-07-28 is spoken as well"), "{found:#?}");
    says(&found, "mode", "from 1.25.0 on, `sessionIdGenerator` becomes optional", "src/server.ts:92");
    says(&found, "removed", "is split up", "src/server.ts:3 src/server.ts:4 src/server.ts:5");
    says(&found, "removed", "is `NodeStreamableHTTPServerTransport`", "src/server.ts:4");
    says(&found, "behaviour", "always undefined", "src/server.ts:46 src/server.ts:58 src/server.ts:63");
    says(
        &found,
        "failure",
        "baskets, transports: for requests of 2026-07-28, from 2.0.0 on",
        "src/server.ts:20 src/server.ts:21",
    );
    assert_eq!(found, changes(&repository, "@modelcontextprotocol/server@2"));
    let old = changes(&repository, "@modelcontextprotocol/sdk@1.24");
    assert!(!old.iter().any(|change| change.starts_with("mode") || change.starts_with("removed")), "{old:#?}");
    says(&old, "failure", "no change with this version", "src/server.ts:20 src/server.ts:21");
}

#[test]
fn a_shared_server_from_the_release_on_that_throws() {
    let main = fixture("cases/12-ts-stateless-but-one-server/src/main.ts");
    let gateway = fixture("cases/12-ts-stateless-but-one-server/src/gateway.ts");
    let files = [("src/main.ts", main), ("src/gateway.ts", gateway)];
    let repository = script(&files, "1.24.3");
    let throws = |found: &[String]| found.iter().filter(|change| change.contains("Already connected")).count();
    let found = changes(&repository, "@modelcontextprotocol/sdk@1.26.0");
    assert_eq!(throws(&found), 1, "{found:#?}");
    assert_eq!(throws(&changes(&repository, "@modelcontextprotocol/sdk@1.25.3")), 0);
    let newer = script(&files, "1.29.0");
    assert_eq!(throws(&changes(&newer, "@modelcontextprotocol/sdk@1.32.2")), 0);
}

#[test]
fn state_by_the_session_object() {
    let repository = python("d_session_object_key", "mcp==1.28.0");
    let found = changes(&repository, "mcp@2.3.0");
    assert!(found[0].starts_with("era: "), "{found:#?}");
    says(&found, "removed", "`mcp.server.fastmcp` is gone", "server.py:9");
    says(&found, "behaviour", "`ctx.session` is made anew for every message", "server.py:21 server.py:22");
    says(&found, "behaviour", "from 2.1.1 on, the text of an exception", "server.py:9");
    says(&found, "failure", "_notebooks: for requests of 2026-07-28, from 2.0.0 on: silently empty", "server.py:21");
    says(&found, "failure", "_locks: for requests of 2026-07-28, from 2.0.0 on: one bucket", "server.py:22");
    assert!(!changes(&repository, "mcp@2.1.0").iter().any(|change| change.contains("text of an exception")));
}

#[test]
fn what_the_second_major_of_the_python_sdk_takes_away() {
    let manifest = "[project]\nname = \"x\"\ndependencies = [\"mcp>=1.20,<2\"]\n";
    let server = "from contextlib import asynccontextmanager
from mcp.client.streamable_http import streamablehttp_client
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.lowlevel.server import request_ctx
from elsewhere import FastMCP as Other


@asynccontextmanager
async def lifespan(server):
    yield {}


mcp = FastMCP('x', stateless_http=True, lifespan=lifespan)
other = Other('x', streams=1)


@mcp.tool()
def who(ctx: Context) -> str:
    other.get_context()
    return f'{ctx.client_id} {mcp.get_context()} {request_ctx.get()}'
";
    let repository = folder(&[("pyproject.toml", manifest), ("server.py", server)]);
    let found = changes(&repository, "mcp@2");
    says(&found, "removed", "`streamablehttp_client` is", "server.py:2");
    says(&found, "removed", "`request_ctx` is gone", "server.py:4");
    says(&found, "removed", "`ctx.client_id` is gone", "server.py:20");
    says(&found, "removed", "`get_context()` and `request_context`", "server.py:20");
    says(&found, "mode", "no longer taken by the constructor", "server.py:13");
    says(&found, "mode", "entered once per process", "server.py:13");
    assert!(!found.iter().any(|change| change.contains("_mcp_server")), "{found:#?}");
    let before = changes(&repository, "mcp@1.29");
    assert!(before.iter().all(|change| change.starts_with("era: this version speaks")), "{before:#?}");
}

#[test]
fn state_in_the_frameworks_bag() {
    let repository = python("e_fastmcp_state", "fastmcp==3.4.11");
    let found = changes(&repository, "fastmcp@4");
    assert!(found[0].starts_with("era: "), "{found:#?}");
    let uses = "server.py:15 server.py:16 server.py:23 server.py:27 server.py:30";
    says(&found, "behaviour", "the state ends with the request", uses);
    says(&found, "failure", "topic, answers: for requests of 2026-07-28, from 4.0.0 on", "server.py:15 server.py:16");
    let older = python("e_fastmcp_state", "fastmcp==2.14.7");
    says(&changes(&older, "fastmcp@3.4.11"), "behaviour", "become coroutines", uses);
    assert!(!changes(&older, "fastmcp@4").iter().any(|change| change.contains("become coroutines")));
}

#[test]
fn what_is_not_understood_or_not_there() {
    let repository = python("e_fastmcp_state", "fastmcp==3.4.11");
    let ask = |target: &str| run(program().args(["scan", "--upgrade-to", target]).arg(repository.path()));
    for (target, says) in [
        ("fastmpc@4", "did you mean `fastmcp`?"),
        ("fastmcp", "no version is given"),
        ("fastmcp@newest", "not a version"),
    ] {
        let (code, stdout, stderr) = ask(target);
        assert_eq!((code, stdout.as_str()), (2, ""), "{target}");
        assert!(stderr.contains(says), "{target}: {stderr}");
    }
    let (code, stdout, stderr) = ask("mcp@2");
    assert_eq!(code, 1, "as without it");
    assert!(stderr.contains("note: no server here depends on `mcp`, so nothing is said about mcp@2"), "{stderr}");
    assert!(!stdout.contains("moves to"), "{stdout}");
    let (_, stdout, _) = ask("fastmcp@4.2.3");
    assert!(stdout.contains("If fastmcp moves to 4.2.3"), "{stdout}");
    let (_, stdout, _) = ask("fastmcp@3.0");
    assert!(stdout.contains("Nothing that is known here changes; 3.4.11 is in use."), "{stdout}");
}
