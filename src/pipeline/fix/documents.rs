//! Documents and tests that speak of sessions: nothing of ours changes them, and what they say is not so any more.

use std::fs;
use std::path::Path;

/// How many lines of a file are named.
const MOST_LINES: usize = 8;
/// How many files are named.
const MOST_FILES: usize = 12;
/// How many entries of folders are looked at.
const MOST_ENTRIES: usize = 4_000;
/// How large a file may be.
const MOST_BYTES: u64 = 1 << 20;

/// What is to be told when the sessions of the server in `folder` go.
pub fn notes(root: &Path, folder: &str) -> Vec<String> {
    let mut found = Found::default();
    let mut left = MOST_ENTRIES;
    let own = if folder == "." { String::new() } else { folder.to_owned() };
    look(root, &own, 0, &mut left, &mut found);
    if !own.is_empty() {
        file(root, "README.md", &mut found);
    }
    let mut out = Vec::new();
    for (what, mut places) in [
        ("Documents that speak of sessions are to be changed by hand", found.documents),
        ("Tests that count on sessions are to be changed by hand", found.tests),
    ] {
        places.sort();
        let more = places.len().saturating_sub(MOST_FILES);
        places.truncate(MOST_FILES);
        if !places.is_empty() {
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            out.push(format!("{what}: {}{more}", places.join("; ")));
        }
    }
    out
}

#[derive(Default)]
struct Found {
    documents: Vec<String>,
    tests: Vec<String>,
}

fn look(root: &Path, folder: &str, depth: usize, left: &mut usize, found: &mut Found) {
    const FOREIGN: &[&str] = &["node_modules", "dist", "build", "out", "target", "vendor", "coverage"];
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth < 5 && !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
            look(root, &path, depth + 1, left, found);
        } else if kind.is_file() {
            file(root, &path, found);
        }
    }
}

fn file(root: &Path, path: &str, found: &mut Found) {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let document = [".md", ".mdx"].iter().any(|end| name.ends_with(end)) && !name.starts_with("changelog");
    let source = [".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs"].iter().any(|end| name.ends_with(end));
    let test = source
        && (name.contains(".test.")
            || name.contains(".spec.")
            || lower.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "e2e")));
    if !(document || test) {
        return;
    }
    let at = root.join(path);
    if fs::metadata(&at).map_or(true, |meta| meta.len() > MOST_BYTES) {
        return;
    }
    let Ok(text) = fs::read_to_string(&at) else { return };
    let lines = if document { lines(&text, of_protocol) } else { test_lines(&text) };
    if let Some(place) = place(path, &lines) {
        if document { found.documents.push(place) } else { found.tests.push(place) }
    }
}

fn lines(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let numbered = text.lines().enumerate().filter(|(_, line)| wanted(&line.to_ascii_lowercase()));
    numbered.map(|(index, _)| index + 1).collect()
}

/// Whether a line speaks of the sessions of the protocol.
fn of_protocol(line: &str) -> bool {
    const PHRASES: &[&str] = &[
        "mcp-session-id",
        "delete /mcp",
        "`delete`",
        "session id",
        "sessionid",
        "session_id",
        "session termination",
        "session management",
        "terminate session",
        "last-event-id",
        "resumab",
        "per session",
        "per-session",
        "stateful",
        "active sessions",
    ];
    PHRASES.iter().any(|phrase| line.contains(phrase))
}

/// The lines of a test that has to do with sessions, and the codes that it expects where there is none.
fn test_lines(text: &str) -> Vec<usize> {
    let speaks = |line: &str| line.contains("mcp-session-id") || line.contains("sessionid");
    if !text.lines().any(|line| speaks(&line.to_ascii_lowercase())) {
        return Vec::new();
    }
    lines(text, |line| speaks(line) || ["(400)", "(404)"].iter().any(|code| line.contains(code)))
}

/// `README.md:12, 40`.
fn place(path: &str, lines: &[usize]) -> Option<String> {
    let first: Vec<String> = lines.iter().take(MOST_LINES).map(usize::to_string).collect();
    let more = if lines.len() > MOST_LINES { ", …" } else { "" };
    (!first.is_empty()).then(|| format!("{path}:{}{more}", first.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_and_tests_are_named_with_their_lines() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let at = root.path().join(path);
            fs::create_dir_all(at.parent().expect("a parent")).expect("folders");
            fs::write(at, text).expect("a file");
        };
        write("README.md", "# Clock\n\n- `DELETE /mcp`: session termination\n- browser sessions are kept\n");
        write("CHANGELOG.md", "sessionId\n");
        write("node_modules/x/README.md", "sessionId\n");
        write("src/clock.test.ts", "const id = headers['mcp-session-id'];\nexpect(res.status).toBe(400);\n");
        write("src/other.test.ts", "expect(res.status).toBe(400);\n");
        assert_eq!(
            notes(root.path(), "."),
            [
                "Documents that speak of sessions are to be changed by hand: README.md:3",
                "Tests that count on sessions are to be changed by hand: src/clock.test.ts:1, 2",
            ]
        );
    }
}
