//! Set-ups without a table of transports: small programs, one for each way in which people write them. `cases/NAME/before` is the
//! program; beside it stands `after`, or `refused.txt` with what is left to a person. `MCP_MIGRATE_UPDATE=1` writes what is missing or
//! changed; read it before you keep it.

mod folder;

use std::fs;
use std::path::{Path, PathBuf};

use folder::{Files, Fixed, assert_parses, fix, read};

fn case_folders() -> Vec<PathBuf> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix/entry/cases");
    let mut out: Vec<PathBuf> =
        fs::read_dir(cases).expect("cases").map(|entry| entry.expect("an entry").path()).collect();
    out.sort();
    assert!(out.len() >= 15, "only {} cases", out.len());
    out
}

/// What a person is told, as text.
fn told(fixed: &Fixed) -> String {
    let mut out = String::new();
    for manual in &fixed.manual {
        out += &format!("{manual}\n");
    }
    out
}

fn check(folder: &Path, fixed: &Fixed, problems: &mut Vec<String>) {
    let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
    let update = std::env::var("MCP_MIGRATE_UPDATE").is_ok();
    let refused = told(fixed);
    let (after, refusal) = (folder.join("after"), folder.join("refused.txt"));
    if update && fixed.changed {
        folder::write(&after, &fixed.files);
    } else if update {
        fs::write(&refusal, &refused).expect("a refusal");
    }
    if after.exists() {
        let wanted = read(&after);
        for (path, text) in &wanted {
            let found = fixed.files.get(path).map_or("", String::as_str);
            if found != text {
                problems.push(format!("{name}: {path} is\n{found}\n{refused}"));
            }
        }
    } else {
        let wanted = fs::read_to_string(&refusal).unwrap_or_default();
        if fixed.changed || refused != wanted {
            problems.push(format!("{name}: changed {}, told\n{refused}", fixed.changed));
        }
    }
}

#[test]
fn every_spelling_becomes_what_is_written_beside_it() {
    let mut problems = Vec::new();
    for folder in case_folders() {
        let before = read(&folder.join("before"));
        check(&folder, &fix(&before), &mut problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_is_written_is_valid_and_nothing_is_left_to_do() {
    for folder in case_folders() {
        let fixed = fix(&read(&folder.join("before")));
        for (path, text) in &fixed.files {
            assert_parses(path, text);
        }
        if fixed.changed {
            let again = fix(&fixed.files);
            assert!(!again.changed, "{}: a second run changes {:?}", folder.display(), again.files);
            assert_eq!(again.findings, Vec::<String>::new(), "{}", folder.display());
        }
    }
}

#[test]
fn line_ends_and_tabs_are_kept() {
    type Way = fn(&str) -> String;
    let ways: [(&str, Way); 2] = [("CRLF", |text| text.replace('\n', "\r\n")), ("tabs", with_tabs)];
    for folder in case_folders() {
        let before = read(&folder.join("before"));
        let plain = fix(&before);
        for (what, way) in ways {
            let other = fix(&convert(&before, way));
            let wanted = convert(&plain.files, way);
            assert_eq!(other.changed, plain.changed, "{}: {what}", folder.display());
            for (path, text) in wanted {
                assert_eq!(other.files[&path], text, "{}: {path}, {what}", folder.display());
            }
        }
    }
}

/// The sources in another way of writing; manifests stay.
fn convert(files: &Files, way: fn(&str) -> String) -> Files {
    let convert = |path: &String, text: &String| if path.ends_with(".json") { text.clone() } else { way(text) };
    files.iter().map(|(path, text)| (path.clone(), convert(path, text))).collect()
}

fn with_tabs(text: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let depth = (line.len() - rest.len()) / 2;
        format!("{}{rest}", "\t".repeat(depth))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_gold_server_becomes_what_a_careful_hand_made_of_it() {
    let gold = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript/a-setup-only");
    let fixed = fix(&read(&gold.join("before")));
    assert_eq!(fixed.files["src/server.ts"], read(&gold.join("after"))["src/server.ts"]);
    assert_eq!(fixed.levels, ["safe"]);
    // The hand wrote the handler beside the route and the route as one expression; what is served is the same.
    let modern = &fix(&read(&gold.join("before-v2"))).files["src/server.ts"];
    let by_hand = &read(&gold.join("after-v2"))["src/server.ts"];
    for line in [
        "import { toNodeHandler } from '@modelcontextprotocol/node';",
        "import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';",
        "const mcp = toNodeHandler(createMcpHandler(buildServer));",
        "function buildServer(): McpServer {",
        "// GET and DELETE reach the handler too: it answers them with 405.",
    ] {
        assert!(modern.contains(line) && by_hand.contains(line), "{line}\n{modern}");
    }
    assert!(!modern.contains("StreamableHTTP") && !modern.contains("randomUUID"), "{modern}");
    assert!(modern.contains("await mcp(req, res, req.body);"), "{modern}");
}
