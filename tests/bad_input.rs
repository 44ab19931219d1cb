//! Input that nobody wants: broken, huge, odd or missing. Never a panic, never silence, and right answers for the good files beside it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A server whose finding `session-keyed-state` starts at `drafts` in the line after the greeting.
const GOOD: &str = "import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const greeting = 'ä€😀'; const drafts = new Map<string, string[]>();
const server = new McpServer({ name: greeting, version: '1.0.0' });
server.registerTool('add', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
  const lines = drafts.get(extra.sessionId!) ?? [];
  lines.push(text);
  drafts.set(extra.sessionId!, lines);
  return { content: [{ type: 'text', text: String(lines.length) }] };
});
";
const MANIFEST: &str =
    r#"{"name":"drafts","type":"module","dependencies":{"@modelcontextprotocol/sdk":"^1.26.0","zod":"^3.25.0"}}"#;
const RULE: &str = "session-keyed-state";

struct Answer {
    code: i32,
    json: Value,
    stderr: String,
}

impl Answer {
    fn reasons(&self, path: &str) -> Vec<&str> {
        let skipped = self.json["skipped"].as_array().expect("a list");
        skipped.iter().filter(|s| s["path"] == path).filter_map(|s| s["reason"].as_str()).collect()
    }

    /// How many findings of the rule there are in all files.
    fn count(&self) -> usize {
        let findings = self.json["findings"].as_array().expect("a list");
        findings.iter().filter(|f| f["rule"] == RULE).count()
    }

    fn findings(&self, path: &str) -> Vec<&Value> {
        let findings = self.json["findings"].as_array().expect("a list");
        findings.iter().filter(|f| f["path"] == path && f["rule"] == RULE).collect()
    }
}

fn program(arguments: &[&str], folder: &Path) -> std::process::Output {
    let mut command = Command::cargo_bin("mcp-migrate").expect("the program is built");
    command.env_remove("RUST_BACKTRACE").args(arguments).current_dir(folder).timeout(Duration::from_secs(120));
    command.output().expect("it runs and ends")
}

/// Scans; the answer must be JSON with an exit code of the contract.
fn scan(folder: &Path, arguments: &[&str]) -> Answer {
    let output = program(&[&["scan", "--format", "json"], arguments].concat(), folder);
    let code = output.status.code().expect("not killed");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert!((0..=1).contains(&code), "exit {code}: {stderr}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    Answer { code, json, stderr }
}

/// The exit code and message of a scan that must fail.
fn fails(folder: &Path, arguments: &[&str]) -> String {
    let output = program(&[&["scan", "--format", "json"], arguments].concat(), folder);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty(), "results and an error");
    assert!(!stderr.trim().is_empty(), "a silent error");
    stderr
}

/// A folder with the manifest, the good file and others.
fn repository(others: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), "package.json", MANIFEST.as_bytes());
    write(folder.path(), "src/good.ts", GOOD.as_bytes());
    for (path, bytes) in others {
        write(folder.path(), path, bytes);
    }
    folder
}

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("within the folder")).expect("folders");
    fs::write(path, bytes).expect("a file");
}

/// The bad file is named in `skipped` for one of the reasons, and the good one still has its answer.
fn skipped(path: &str, bytes: &[u8], reasons: &[&str]) -> Answer {
    let folder = repository(&[(path, bytes)]);
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1, "the good file: {}", answer.json);
    assert_eq!(answer.json["summary"]["category"], "app-state");
    let found = answer.reasons(path);
    assert!(found.len() == 1 && reasons.contains(&found[0]), "{path}: {found:?} for {reasons:?}");
    assert_eq!(answer.code, 1);
    answer
}

#[test]
fn syntax_errors() {
    let broken = GOOD.replace("async ({ text }, extra) => {", "async ({ text }, extra => {");
    skipped("src/bad.ts", broken.as_bytes(), &["syntax-error"]);
    let open = format!("{GOOD}\nfunction ( {{ sessionIdGenerator: `${{");
    skipped("src/bad.ts", open.as_bytes(), &["syntax-error"]);
    skipped("src/bad.js", b"const transports = {}; transports[req.headers['mcp-session-id'] = ;", &["syntax-error"]);
}

#[test]
fn merge_conflict() {
    let text = format!("<<<<<<< HEAD\n{GOOD}=======\n{}>>>>>>> other\n", GOOD.replace("drafts", "sketches"));
    skipped("src/merge.ts", text.as_bytes(), &["syntax-error"]);
}

/// Where the good finding must lie: line, column in characters, offset on disk.
fn position(bytes: &[u8], line: u64, column: u64, byte: u64) {
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), "package.json", MANIFEST.as_bytes());
    write(folder.path(), "src/index.ts", bytes);
    let answer = scan(folder.path(), &[]);
    let findings = answer.findings("src/index.ts");
    assert_eq!(findings.len(), 1, "{}", answer.json);
    let start = &findings[0]["start"];
    assert_eq!((start["line"].as_u64(), start["column"].as_u64()), (Some(line), Some(column)));
    assert_eq!(start["byte"].as_u64(), Some(byte));
    let end = &findings[0]["end"];
    assert_eq!((end["line"].as_u64(), end["column"].as_u64()), (Some(line), Some(column + 6)), "the end of `drafts`");
    assert!(answer.reasons("src/index.ts").is_empty());
}

#[test]
fn encodings_and_line_ends() {
    let at = GOOD.find("drafts").expect("it is there");
    let column = GOOD[..at].lines().last().expect("a line").chars().count() as u64 + 1;
    position(GOOD.as_bytes(), 3, column, at as u64);

    let crlf = GOOD.replace('\n', "\r\n");
    position(crlf.as_bytes(), 3, column, at as u64 + 2);

    let mixed = GOOD.replacen('\n', "\r\n", 1);
    position(mixed.as_bytes(), 3, column, at as u64 + 1);

    let bom = ["\u{feff}".as_bytes(), GOOD.as_bytes()].concat();
    position(&bom, 3, column, at as u64 + 3);

    let bom_crlf = ["\u{feff}".as_bytes(), crlf.as_bytes()].concat();
    position(&bom_crlf, 3, column, at as u64 + 5);

    let units = GOOD[..at].encode_utf16().count() as u64;
    let little: Vec<u8> = format!("\u{feff}{GOOD}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    position(&little, 3, column, 2 + units * 2);
    let big: Vec<u8> = format!("\u{feff}{GOOD}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    position(&big, 3, column, 2 + units * 2);

    let shebang = format!("#!/usr/bin/env node\n{GOOD}");
    position(shebang.as_bytes(), 4, column, at as u64 + 20);
}

#[test]
fn other_encodings() {
    let latin: Vec<u8> = GOOD.replace("ä€😀", "ä").chars().map(|c| c as u32 as u8).collect();
    skipped("src/latin.ts", &latin, &["not-utf8"]);
    let unmarked: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = repository(&[("src/unmarked.ts", &unmarked)]);
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    let torn = [&[0xFF, 0xFE][..], &unmarked[..], &[0x00, 0xD8, 0x41][..]].concat();
    skipped("src/torn.ts", &torn, &["not-utf8"]);
}

#[test]
fn binaries_and_nul_bytes() {
    let nul = GOOD.replace("greeting = '", "greeting = '\0");
    skipped("src/nul.ts", nul.as_bytes(), &["not-utf8"]);
    let video: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let folder = repository(&[("src/video.ts", &video), ("src/empty.ts", b""), ("src/space.ts", b" \n\t\n")]);
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    assert!(answer.reasons("src/empty.ts").is_empty());
    let marked = [GOOD.as_bytes(), &video].concat();
    skipped("src/video.ts", &marked, &["not-utf8"]);
}

#[test]
fn a_line_of_five_megabytes() {
    let literal = format!("{GOOD}export const blob = '{}';\n", "x".repeat(5_000_000));
    skipped("src/blob.ts", literal.as_bytes(), &["minified", "too-large"]);
    let code = format!("{}{}", GOOD.replace('\n', " "), "a.b(c.sessionId);".repeat(300_000));
    skipped("src/bundle.js", code.as_bytes(), &["minified", "too-large"]);
    let big = format!("{GOOD}{}", "// nothing but a comment\n".repeat(230_000));
    skipped("src/big.ts", big.as_bytes(), &["too-large"]);
}

#[test]
fn deep_nesting() {
    let began = Instant::now();
    for (open, close) in [("[", "]"), ("(", ")"), ("{ a: ", "}"), ("f(", ")"), ("!", ""), ("() => ", ""), ("-", "")] {
        let deep = format!("{GOOD}export const deep = {}1{};\n", open.repeat(10_000), close.repeat(10_000));
        let folder = repository(&[("src/deep.ts", deep.as_bytes())]);
        let answer = scan(folder.path(), &[]);
        assert_eq!(answer.findings("src/good.ts").len(), 1, "{open}");
        let reasons = answer.reasons("src/deep.ts");
        let known = ["too-deep", "minified", "syntax-error", "parse-budget"];
        let read = answer.findings("src/deep.ts").len() == 1;
        assert!(read || reasons.iter().any(|reason| known.contains(reason)), "{open}: silent ({reasons:?})");
    }
    let chains = [
        format!("{GOOD}export const sum = {}0;\n", "1 +\n".repeat(10_000)),
        format!("{GOOD}export const member = a{};\n", "\n.b".repeat(10_000)),
        format!("{GOOD}{}{}\n", "if (x) {\n".repeat(5_000), "}".repeat(5_000)),
        format!("{GOOD}{}", "if (x) {} else ".repeat(5_000) + "{}\n"),
        format!("{GOOD}export const either = {}'x';\n", "extra.sessionId ??\n".repeat(10_000)),
        format!("{GOOD}export type T = {}string{};\n", "Promise<\n".repeat(5_000), ">".repeat(5_000)),
        format!("{GOOD}export const t = {}1{};\n", "`${\n".repeat(3_000), "}`".repeat(3_000)),
    ];
    for text in &chains {
        let folder = repository(&[("src/deep.ts", text.as_bytes())]);
        let answer = scan(folder.path(), &[]);
        assert_eq!(answer.findings("src/good.ts").len(), 1);
        let named = !answer.reasons("src/deep.ts").is_empty() || answer.findings("src/deep.ts").len() == 1;
        assert!(named, "silent about {}", &text[GOOD.len()..GOOD.len() + 40]);
    }
    assert!(began.elapsed() < Duration::from_secs(240), "{:?}", began.elapsed());
}

#[test]
fn long_names_and_many_of_them() {
    let name = "s".repeat(100_000);
    let long = GOOD.replace("drafts", &name);
    let folder = repository(&[("src/long.ts", long.as_bytes())]);
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    assert!(answer.findings("src/long.ts").len() == 1 || !answer.reasons("src/long.ts").is_empty());

    let aliases: String = (0..3_000).map(|i| format!("const k{} = k{i};\n", i + 1)).collect();
    let chain = format!("{}const k0 = drafts;\n{aliases}k3000.set(extra.sessionId!, []);\n", GOOD);
    let folder = repository(&[("src/chain.ts", chain.as_bytes())]);
    let began = Instant::now();
    assert_eq!(scan(folder.path(), &[]).findings("src/good.ts").len(), 1);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn thousands_of_tools_that_share_a_table_take_no_time_of_their_own() {
    let tool = |n: usize| {
        format!(
            "@mcp.tool()\ndef tool_{n}(text: str, ctx) -> str:\n    kept[ctx.session_id] = text\n    return kept.get(ctx.session_id, 'none')\n\n"
        )
    };
    let tools: String = (0..4_000).map(tool).collect();
    let text = format!(
        "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('desk')\nkept = {{}}\n{tools}mcp.run(transport='streamable-http')\n"
    );
    let folder = repository(&[("tools/server.py", text.as_bytes())]);
    let began = Instant::now();
    assert!(!scan(folder.path(), &[]).findings("tools/server.py").is_empty());
    // It took minutes when each access was compared with everything else in the file.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn broken_manifests() {
    for (path, text) in [
        ("packages/a/package.json", &b"{ \"name\": \"a\", "[..]),
        ("packages/a/package.json", b"[]"),
        ("packages/a/package.json", b"\"text\""),
        ("packages/a/package.json", b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n"),
        ("packages/a/package.json", b"\xff\xfe{\x00}"),
    ] {
        let folder = repository(&[(path, text), ("packages/a/index.ts", GOOD.as_bytes())]);
        let answer = scan(folder.path(), &[]);
        assert_eq!(answer.findings("src/good.ts").len(), 1, "{}", answer.stderr);
        assert_eq!(answer.reasons(path), ["broken-manifest"], "{}", String::from_utf8_lossy(text));
    }
    for path in ["tsconfig.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "deno.json"] {
        for text in [&b"{ \"compilerOptions\": { \"paths\": "[..], b"", b"\0\0\0", b"lockfileVersion: '9.0'\n\t- : ["] {
            let folder = repository(&[(path, text)]);
            let answer = scan(folder.path(), &[]);
            assert_eq!(answer.findings("src/good.ts").len(), 1, "{path}: {}", answer.stderr);
        }
    }
    let cycle = br#"{"extends":"./tsconfig.json","compilerOptions":{"baseUrl":"../../../..","paths":{"*":["*"]}}}"#;
    let folder = repository(&[("tsconfig.json", cycle)]);
    assert_eq!(scan(folder.path(), &[]).findings("src/good.ts").len(), 1);
}

#[test]
fn manifest_with_odd_values() {
    for dependencies in [
        r#"{"@modelcontextprotocol/sdk": 1}"#,
        r#"{"@modelcontextprotocol/sdk": null}"#,
        r#"{"@modelcontextprotocol/sdk": "workspace:*"}"#,
        r#"{"@modelcontextprotocol/sdk": "not a version"}"#,
        r#"{"@modelcontextprotocol/sdk": "^99999999999999999999.0.0"}"#,
        r#"{"@modelcontextprotocol/sdk": "git+https://git.example/sdk.git#main"}"#,
    ] {
        let folder = TempDir::new().expect("a folder");
        write(folder.path(), "package.json", format!(r#"{{"name":"x","dependencies":{dependencies}}}"#).as_bytes());
        write(folder.path(), "src/good.ts", GOOD.as_bytes());
        let answer = scan(folder.path(), &[]);
        assert_eq!(answer.findings("src/good.ts").len(), 1, "{dependencies}");
    }
}

#[test]
fn nothing_to_read() {
    let folder = TempDir::new().expect("a folder");
    assert!(fails(folder.path(), &[]).contains("--allow-empty"));
    let answer = scan(folder.path(), &["--allow-empty"]);
    assert_eq!((answer.code, &answer.json["summary"]["category"]), (0, &Value::Null));
    assert!(fails(folder.path(), &["nowhere"]).contains("nowhere"));
    assert!(fails(folder.path(), &["nowhere/at/all.ts"]).contains("nowhere"));
    assert!(!fails(folder.path(), &[""]).is_empty());
    write(folder.path(), "index.ts", b"");
    let answer = scan(folder.path(), &[]);
    assert_eq!((answer.code, &answer.json["summary"]["category"]), (0, &Value::Null));
}

#[test]
fn arguments_that_are_files() {
    let folder = repository(&[("notes.txt", b"mcp-session-id"), ("src/other.ts", b"export {};\n")]);
    let answer = scan(folder.path(), &["src/good.ts"]);
    assert_eq!(answer.count(), 1, "{}", answer.json);
    assert!(answer.json["findings"][0]["path"].as_str().is_some_and(|path| path.ends_with("good.ts")));
    let twice = scan(folder.path(), &["src/good.ts", "src", "src/good.ts", "."]);
    assert_eq!(twice.findings("src/good.ts").len(), 1);
    let message = fails(folder.path(), &["notes.txt"]);
    assert!(message.contains("--allow-empty"), "{message}");
    assert!(fails(folder.path(), &["src/good.ts/x"]).contains("good.ts"));
}

#[cfg(unix)]
#[test]
fn a_pipe_as_an_argument() {
    let folder = repository(&[]);
    let pipe = folder.path().join("pipe.ts");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo makes a pipe");
    assert!(fails(folder.path(), &["pipe.ts"]).contains("--allow-empty"));
    let answer = scan(folder.path(), &["pipe.ts", "src/good.ts"]);
    assert_eq!(answer.reasons("pipe.ts"), ["unreadable"]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
}

#[test]
fn a_folder_named_like_a_file() {
    let folder = repository(&[("src/x.ts/inner.ts", GOOD.replace("drafts", "sketches").as_bytes())]);
    write(folder.path(), "src/use.ts", b"import { a } from './x.ts';\nexport const sessionIdGenerator = a;\n");
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    assert_eq!(answer.findings("src/x.ts/inner.ts").len(), 1);
    assert_eq!(scan(folder.path(), &["src/x.ts"]).count(), 1);
    fs::create_dir(folder.path().join("tsconfig.json")).expect("a folder");
    fs::create_dir(folder.path().join("yarn.lock")).expect("a folder");
    assert_eq!(scan(folder.path(), &[]).findings("src/good.ts").len(), 1);
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let outside = TempDir::new().expect("a folder");
    write(outside.path(), "far.ts", GOOD.as_bytes());
    let folder = repository(&[]);
    let at = |path: &str| folder.path().join(path);
    symlink(at("src"), at("src/again")).expect("a link");
    symlink(at("a.ts"), at("b.ts")).expect("a link");
    symlink(at("b.ts"), at("a.ts")).expect("a link");
    symlink(outside.path(), at("elsewhere")).expect("a link");
    symlink(outside.path().join("far.ts"), at("src/far.ts")).expect("a link");
    symlink(at("gone.ts"), at("src/dangling.ts")).expect("a link");
    symlink(at("src/good.ts"), at("src/same.ts")).expect("a link");
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    assert_eq!(answer.count(), 1, "a link is no second file");
    assert_eq!(answer.reasons("src/again"), ["link-cycle"]);
    assert_eq!(answer.reasons("a.ts"), ["link-cycle"]);
    assert_eq!(answer.reasons("b.ts"), ["link-cycle"]);
    assert_eq!(answer.reasons("elsewhere"), ["outside-root"]);
    assert_eq!(answer.reasons("src/far.ts"), ["outside-root"]);
    assert_eq!(answer.reasons("src/dangling.ts"), ["unreadable"]);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = repository(&[("locked/a.ts", GOOD.as_bytes()), ("src/secret.ts", GOOD.as_bytes())]);
    let chmod = |path: &str, mode| {
        fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode)).expect("permissions");
    };
    chmod("locked", 0o000);
    chmod("src/secret.ts", 0o000);
    let may_read_all = fs::read(folder.path().join("src/secret.ts")).is_ok();
    let answer = scan(folder.path(), &[]);
    chmod("locked", 0o755);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    if !may_read_all {
        assert_eq!(answer.reasons("locked"), ["unreadable"]);
        assert_eq!(answer.reasons("src/secret.ts"), ["unreadable"]);
    }
}

#[cfg(unix)]
#[test]
fn odd_kinds_and_names() {
    let folder = repository(&[
        ("src/with space & 'quote'.ts", GOOD.as_bytes()),
        ("src/ünïcode-文件.ts", GOOD.as_bytes()),
        ("src/new\nline.ts", GOOD.as_bytes()),
        ("src/.ts", GOOD.as_bytes()),
    ]);
    let fifo = folder.path().join("src/pipe.ts");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success());
    let socket = std::os::unix::net::UnixListener::bind(folder.path().join("src/socket.ts"));
    let answer = scan(folder.path(), &[]);
    for path in ["src/good.ts", "src/with space & 'quote'.ts", "src/ünïcode-文件.ts", "src/new\nline.ts"] {
        assert_eq!(answer.findings(path).len(), 1, "{path:?}");
    }
    assert!(!made || answer.findings("src/pipe.ts").is_empty());
    drop(socket);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = repository(&[]);
    let name = OsStr::from_bytes(b"bad-\xff\xfe.ts");
    if fs::write(folder.path().join("src").join(name), GOOD).is_ok() {
        assert_eq!(scan(folder.path(), &[]).findings("src/good.ts").len(), 1);
        let output = {
            let mut command = Command::cargo_bin("mcp-migrate").expect("the program is built");
            command.arg("scan").arg(OsStr::from_bytes(b"src/bad-\xff\xfe.ts")).current_dir(folder.path());
            command.output().expect("it runs")
        };
        assert!(matches!(output.status.code(), Some(0..=2)), "{:?}", output.status);
    }
}

#[test]
fn hundreds_of_caps_on_one_table_are_each_compared_with_their_own_code() {
    let tool = |n: usize| {
        format!(
            "  server.registerTool('pay_{n}', {{ inputSchema: {{ cost: z.number() }} }}, async ({{ cost }}, extra) => {{\n    const spent = kept.get(extra.sessionId!) ?? 0;\n    if (cost > {n}) throw new Error('too much');\n    kept.set(extra.sessionId!, spent + cost);\n    return {{ content: [] }};\n  }});\n"
        )
    };
    let tools: String = (0..600).map(tool).collect();
    let text = format!(
        "import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';\nimport {{ z }} from 'zod';\nconst kept = new Map<string, number>();\nexport function make(server: McpServer) {{\n{tools}}}\n"
    );
    let folder = repository(&[("src/caps.ts", text.as_bytes())]);
    let began = Instant::now();
    assert!(!scan(folder.path(), &[]).findings("src/caps.ts").is_empty());
    // It took minutes when each read was looked for in each comparison of the file.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn thousands_of_files() {
    let folder = repository(&[]);
    for i in 0..4_000 {
        let next = (i + 1) % 4_000;
        let text = format!(
            "import {{ f{next} }} from './f{next}.js';\nexport const f{i} = (sessionId: string) => f{next}(sessionId);\n"
        );
        write(folder.path(), &format!("src/many/f{i}.ts"), text.as_bytes());
    }
    let start = GOOD.replace("lines.push(text);", "lines.push(text); f0(extra.sessionId!);");
    write(folder.path(), "src/many/start.ts", format!("import {{ f0 }} from './f0.js';\n{start}").as_bytes());
    let began = Instant::now();
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    assert_eq!(answer.findings("src/many/start.ts").len(), 1);
    assert_eq!(answer.json["summary"]["files"]["walked"], 4_002);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn imports_that_lead_nowhere_or_round() {
    let folder = repository(&[
        ("src/wide.ts", "import { settings } from '中文/config';\nexport const sessionIdGenerator = settings;\n".as_bytes()),
        ("src/a.ts", b"export * from './b.js';\nexport { x as y } from './b.js';\nexport const sessionIdGenerator = 1;\n"),
        ("src/b.ts", b"export * from './a.js';\nexport { y as x } from './a.js';\n"),
        ("src/self.ts", b"export * from './self.js';\nimport * as me from './self.js';\nexport const transports = me.transports['mcp-session-id'];\n"),
        ("src/up.ts", b"import { x } from '../../../../../../../../etc/passwd';\nimport y from '';\nimport z from './';\nimport w from '..';\nexport const sessionIdGenerator = [x, y, z, w];\n"),
    ]);
    let extended =
        format!("import {{ x }} from './a.js';\nclass A extends B {{}}\nclass B extends A {{ s = x; }}\n{GOOD}");
    write(folder.path(), "src/round.ts", extended.as_bytes());
    let answer = scan(folder.path(), &[]);
    assert_eq!(answer.findings("src/good.ts").len(), 1);
    assert_eq!(answer.findings("src/round.ts").len(), 1);
}
