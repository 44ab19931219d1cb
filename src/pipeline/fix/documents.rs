//! Documents and tests that speak of sessions: what they say is not so any more.

use std::path::Path;

use super::aside::{self, Kind};

/// What is to be told when the sessions of the server in `folder` go.
pub fn notes(root: &Path, folder: &str) -> Vec<String> {
    let (mut documents, mut tests) = (Vec::new(), Vec::new());
    aside::each(root, folder, &mut |kind, path, text| match kind {
        Kind::Document => documents.extend(aside::place(path, &aside::lines(text, of_protocol))),
        Kind::Test => tests.extend(aside::place(path, &test_lines(text))),
    });
    let documents = aside::told("Documents that speak of sessions are to be changed by hand", documents);
    let tests = aside::told("Tests that count on sessions are to be changed by hand", tests);
    documents.into_iter().chain(tests).collect()
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
    let line = line.to_ascii_lowercase();
    PHRASES.iter().any(|phrase| line.contains(phrase))
}

/// The lines of a test that has to do with sessions, and the codes that it expects where there is none.
fn test_lines(text: &str) -> Vec<usize> {
    let speaks = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.contains("mcp-session-id") || line.contains("sessionid")
    };
    if !text.lines().any(speaks) {
        return Vec::new();
    }
    aside::lines(text, |line| speaks(line) || ["(400)", "(404)"].iter().any(|code| line.contains(code)))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
