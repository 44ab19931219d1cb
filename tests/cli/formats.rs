//! Formats of `scan` and the command `report`, as scripts meet them.

use std::fs;

use crate::{folder, program, run};

/// A server whose session map any format has to speak of.
const SERVER: &str = r#"import { randomUUID } from "node:crypto";
import express from "express";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = express();

app.post("/mcp", async (req, res) => {
  const id = req.headers["mcp-session-id"] as string | undefined;
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void transports.set(sid, transport!),
    });
    await server.connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
"#;

const PACKAGE: &str = r#"{ "dependencies": { "@modelcontextprotocol/sdk": "^1.20.0" } }"#;

fn server() -> tempfile::TempDir {
    folder(&[("package.json", PACKAGE), ("src/server.ts", SERVER)])
}

#[test]
fn every_format_is_alone_on_stdout() {
    let folder = server();
    for (format, start) in [
        ("text", "transport-map: "),
        ("terse", "transport-map: 0 errors, "),
        ("json", "{\n"),
        ("jsonl", "{\"schema\":\"mcp-migrate/scan-lines/v1\",\"kind\":\"summary\""),
        ("sarif", "{\n  \"$schema\""),
        ("github", "::warning file=src/server.ts,line="),
        ("gitlab", "[\n"),
        ("rdjson", "{\n  \"source\""),
        ("junit", "<?xml version=\"1.0\""),
        ("markdown", "# "),
    ] {
        let (code, stdout, stderr) = run(program().args(["scan", "--format", format]).current_dir(folder.path()));
        assert_eq!((code, stderr.as_str()), (1, ""), "{format}");
        assert!(stdout.starts_with(start), "{format}: {stdout}");
        assert!(!stdout.contains('\u{1b}'), "{format} has no colour");
        assert!(!stdout.contains(&*folder.path().to_string_lossy()), "{format} names no absolute path");
    }
}

#[test]
fn paths_are_those_of_the_repository_or_of_the_current_folder() {
    let folder = folder(&[("apps/cart/package.json", PACKAGE), ("apps/cart/src/server.ts", SERVER)]);
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    for (format, here, path) in [
        ("github", ".", "file=apps/cart/src/server.ts,"),
        ("github", "apps", "file=apps/cart/src/server.ts,"),
        ("sarif", "apps/cart", "\"uri\": \"apps/cart/src/server.ts\""),
        ("gitlab", "apps/cart", "\"path\": \"apps/cart/src/server.ts\""),
        ("rdjson", "apps", "\"path\": \"cart/src/server.ts\""),
        ("terse", "apps", "\ncart/src/server.ts:"),
        ("json", "apps", "\"path\": \"src/server.ts\""),
    ] {
        let mut command = program();
        command.args(["scan", "--format", format]).current_dir(folder.path().join(here));
        match here {
            "." => command.arg("apps/cart"),
            "apps" => command.arg("cart"),
            _ => &mut command,
        };
        let (_, stdout, _) = run(&mut command);
        assert!(stdout.contains(path), "{format} from {here}: {stdout}");
    }
}

#[test]
fn the_summary_of_a_step_gets_the_report() {
    let folder = server();
    let summary = folder.path().join("summary.md");
    fs::write(&summary, "before\n").expect("a file");
    let scan = |format: &str, actions: &str| {
        let mut command = program();
        command.args(["scan", "--format", format]).current_dir(folder.path());
        run(command.env("GITHUB_ACTIONS", actions).env("GITHUB_STEP_SUMMARY", &summary))
    };
    assert_eq!(scan("github", "").0, 1);
    assert_eq!(scan("json", "true").0, 1);
    assert_eq!(fs::read_to_string(&summary).expect("text"), "before\n");

    let (code, stdout, stderr) = scan("github", "true");
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert!(stdout.lines().all(|line| line.starts_with("::")), "{stdout}");
    let text = fs::read_to_string(&summary).expect("text");
    assert!(text.starts_with("before\n# Protocol sessions"), "{text}");
}

#[test]
fn a_summary_that_cannot_be_written_fails_nothing() {
    let folder = server();
    let mut command = program();
    command.args(["scan", "--format", "github"]).current_dir(folder.path());
    let (code, stdout, stderr) =
        run(command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", folder.path().join("no/such/folder")));
    assert_eq!(code, 1);
    assert!(stdout.starts_with("::warning"), "{stdout}");
    assert!(stderr.contains("the summary of the step can't be written"), "{stderr}");
}

#[test]
fn a_report_is_0_and_goes_where_it_is_told() {
    let folder = server();
    let (code, stdout, stderr) = run(program().arg("report").current_dir(folder.path()));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("# Protocol sessions") && stdout.contains("`src/server.ts:5`"), "{stdout}");

    assert!(stdout.contains("## What fix does") && stdout.contains("```diff\n"), "{stdout}");

    let (code, out, stderr) =
        run(program().args(["report", "--format", "pr", "--output", "report.md"]).current_dir(folder.path()));
    assert_eq!((code, out.as_str(), stderr.as_str()), (0, "", ""));
    let short = fs::read_to_string(folder.path().join("report.md")).expect("text");
    assert!(short.contains("**What `fix` does**") && !short.contains("```"), "{short}");
    assert!(short.starts_with("### MCP sessions: `transport-map`") && short.len() < stdout.len(), "{short}");

    let (code, out, stderr) = run(program().args(["report", "--output", "no/such/file"]).current_dir(folder.path()));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(stderr.contains("`no/such/file` can't be written"), "{stderr}");
    let (code, _, _) = run(program().args(["report", "nowhere"]).current_dir(folder.path()));
    assert_eq!(code, 2);
}
