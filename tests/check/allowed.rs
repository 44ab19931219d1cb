//! Suppression comments.

use super::support::{CLEAN, NOTES, Repository};

const LINE: &str = "const notes = new Map<string, string[]>();";

fn with(line: &str) -> (Repository, (i32, Vec<String>)) {
    let repository = Repository::bare(CLEAN);
    repository.write("src/notes.ts", &NOTES.replace(LINE, line));
    let found = repository.findings(&[]);
    (repository, found)
}

fn messages(repository: &Repository) -> Vec<String> {
    let run = repository.run(&["scan", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let findings = document["findings"].as_array().expect("a list").iter();
    findings.map(|finding| finding["message"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_comment_with_a_reason_allows() {
    for line in [
        format!("// mcp-migrate-allow: session-keyed-state -- goes with the next release\n{LINE}"),
        format!("{LINE} // mcp-migrate-allow: session-keyed-state -- goes with the next release"),
        format!("/* mcp-migrate-allow: session-keyed-state -- goes with the next release */\n{LINE}"),
        format!("// mcp-migrate-allow: session-keyed-state -- goes with the\n// next release\n\n{LINE}"),
    ] {
        assert_eq!(with(&line).1, (0, vec![]), "{line}");
    }
}

#[test]
fn what_allows_nothing_is_reported() {
    let state = "src/notes.ts:5 session-keyed-state".to_owned();
    let unused = |line: u32| format!("src/notes.ts:{line} unused-allow");
    for (comment, word) in [
        ("// mcp-migrate-allow: session-keyed-state", "no reason"),
        ("// mcp-migrate-allow: session-keyed-state --", "no reason"),
        ("// mcp-migrate-allow: session-guard -- never there", "nothing on line 5"),
        ("// mcp-migrate-allow: session-keyed-sate -- a slip", "did you mean `session-keyed-state`?"),
        ("// mcp-migrate-allow -- all of it", "names no rule"),
    ] {
        let (repository, found) = with(&format!("{comment}\n{LINE}"));
        assert_eq!(found, (1, vec![unused(4), state.clone()]), "{comment}");
        assert!(messages(&repository)[0].contains(word), "{comment}: {:?}", messages(&repository));
    }
    // One of two names is right.
    let (_, found) = with(&format!("// mcp-migrate-allow: session-guard, session-keyed-state -- why\n{LINE}"));
    assert_eq!(found, (1, vec![unused(4)]));
}

#[test]
fn strings_and_talk_allow_nothing() {
    for line in [
        format!("const s = 'mcp-migrate-allow: session-keyed-state -- no'; {LINE}"),
        format!("// Say mcp-migrate-allow: session-keyed-state -- why, if it stays.\n{LINE}"),
        format!("const s = `\n// mcp-migrate-allow: session-keyed-state -- no\n`; {LINE}"),
    ] {
        let (_, found) = with(&line);
        assert_eq!((found.0, found.1.len()), (1, 1), "{line}: {found:?}");
        assert!(found.1[0].ends_with("session-keyed-state"), "{found:?}");
    }
}

#[test]
fn a_leftover_is_found_where_no_session_is_left() {
    let repository = Repository::bare(CLEAN);
    repository.write("src/plain.ts", "// mcp-migrate-allow: session-keyed-state -- was once\nexport const a = 1;\n");
    assert_eq!(repository.findings(&[]), (1, vec!["src/plain.ts:1 unused-allow".to_owned()]));
    // Rules that were not asked for are not judged.
    assert_eq!(repository.findings(&["--rule", "session-guard"]), (0, vec![]));
    assert_eq!(repository.findings(&["--rule", "session-keyed-state"]), (0, vec![]));
    assert_eq!(repository.findings(&["--rule", "session-keyed-state,unused-allow"]).1.len(), 1);
    // One file alone does not show what others make of it.
    assert_eq!(repository.findings(&["src/plain.ts"]), (0, vec![]));
}
