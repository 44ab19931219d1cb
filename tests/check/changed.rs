//! A pull request, scripted: only what it brings is reported.

use std::io::Write;
use std::process::Stdio;

use super::support::{CLEAN, MAPPED, NOTES, Repository};

fn none() -> Vec<String> {
    Vec::new()
}

#[test]
fn a_session_map_that_a_pull_request_adds_is_all_that_is_reported() {
    let repository = Repository::of(MAPPED);
    let (code, before) = repository.findings(&[]);
    assert!(code == 1 && !before.is_empty());
    assert_eq!(repository.findings(&["--diff-base", "main"]), (0, none()));

    repository.branch("notes");
    repository.write("src/notes.ts", NOTES);
    // Also before it is committed, and before git knows the file.
    let expected = (1, vec!["src/notes.ts:4 session-keyed-state".to_owned()]);
    assert_eq!(repository.findings(&["--diff-base", "main"]), expected);
    repository.commit("Keep notes");
    assert_eq!(repository.findings(&["--diff-base", "main"]), expected);

    let run = repository.run(&["scan", "--diff-base", "main"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("session-keyed-state") && !run.stdout.contains("[session-transport-map]"),
        "{}",
        run.stdout
    );
    let left = before.len();
    assert!(run.said().contains(&format!("note: {left} findings on lines that did not change")), "{}", run.stderr);
    assert_eq!(repository.run(&["scan", "-q", "--diff-base", "main"]).stderr, "");

    // Whoever is behind: what main got meanwhile is not this branch's.
    repository.git(&["checkout", "-q", "main"]);
    repository.write("src/more.ts", &NOTES.replace("notes", "other"));
    repository.commit("More");
    repository.git(&["checkout", "-q", "notes"]);
    assert_eq!(repository.findings(&["--diff-base", "main"]), expected);
}

#[test]
fn a_clean_server_stays_clean_until_state_comes() {
    let repository = Repository::of(CLEAN);
    assert_eq!(repository.findings(&["--diff-base", "main"]), (0, none()));
    repository.branch("notes");
    repository.write("src/notes.ts", NOTES);
    repository.edit(
        "src/server.ts",
        "const server = new McpServer({ name: 'basket', version: '0.1.0' });",
        "const server = new McpServer({ name: 'basket', version: '0.1.0' });\n  register(server);",
    );
    repository.edit(
        "src/server.ts",
        "import express from 'express';",
        "import express from 'express';\nimport { register } from './notes.js';",
    );
    repository.commit("Keep notes");
    let (code, found) = repository.findings(&["--diff-base", "main"]);
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    assert_eq!(repository.findings(&["--diff-base", "main", "--fail-on", "never"]).0, 0);
}

#[test]
fn a_new_reader_of_old_state_brings_its_finding_back() {
    let repository = Repository::of(CLEAN);
    repository.write("src/notes.ts", NOTES);
    repository.commit("Notes are there already");
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), (0, none()));
    repository.edit(
        "src/notes.ts",
        "    mine.push(text);\n",
        "    mine.push(text);\n    notes.delete(extra.sessionId);\n",
    );
    assert_eq!(
        repository.findings(&["--diff-base", "HEAD"]),
        (1, vec!["src/notes.ts:4 session-keyed-state".to_owned()])
    );
}

#[test]
fn a_reader_beyond_those_that_are_shown_counts_as_well() {
    let repository = Repository::of(CLEAN);
    let readers = |count: usize| {
        let more = "    notes.get(extra.sessionId);\n".repeat(count);
        NOTES.replace("    mine.push(text);\n", &format!("    mine.push(text);\n{more}"))
    };
    repository.write("src/notes.ts", &readers(12));
    repository.commit("Notes are read often");
    repository.write("src/notes.ts", &readers(13));
    assert_eq!(
        repository.findings(&["--diff-base", "HEAD"]),
        (1, vec!["src/notes.ts:4 session-keyed-state".to_owned()])
    );
}

#[test]
fn renames_do_not_count_but_what_changes_with_them_does() {
    let repository = Repository::of(CLEAN);
    repository.write("src/notes.ts", NOTES);
    repository.commit("Notes are there already");
    repository.git(&["mv", "src/notes.ts", "src/my notes ä.ts"]);
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), (0, none()));
    repository.edit("src/my notes ä.ts", "new Map<string, string[]>()", "new Map<string, Array<string>>()");
    repository.git(&["add", "-A"]);
    let expected = (1, vec!["src/my notes ä.ts:4 session-keyed-state".to_owned()]);
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), expected);
    assert_eq!(repository.findings(&["--staged"]), expected);
}

#[test]
fn staged_lines_are_followed_into_the_working_tree() {
    let repository = Repository::of(CLEAN);
    repository.write("src/notes.ts", NOTES);
    assert_eq!(repository.findings(&["--staged"]), (0, none()));
    repository.git(&["add", "-A"]);
    let at = |line: u32| (1, vec![format!("src/notes.ts:{line} session-keyed-state")]);
    assert_eq!(repository.findings(&["--staged"]), at(4));
    repository.commit("Notes");

    repository.edit(
        "src/notes.ts",
        "    mine.push(text);",
        "    mine.push(text.trim());\n    notes.get(extra.sessionId);",
    );
    repository.git(&["add", "-A"]);
    repository.write("src/notes.ts", &format!("// One more line.\n{}", repository.read("src/notes.ts")));
    let run = repository.run(&["scan", "--format", "json", "--staged"]);
    assert_eq!((run.code, run.findings()), at(5));
    assert!(run.said().contains("not staged"), "{}", run.stderr);

    // What is changed but not staged does not count.
    repository.git(&["reset", "-q"]);
    assert_eq!(repository.findings(&["--staged"]), (0, none()));
}

#[test]
fn a_diff_may_come_from_anywhere() {
    let repository = Repository::of(MAPPED);
    repository.branch("notes");
    repository.write("src/notes.ts", NOTES);
    repository.commit("Keep notes");
    let expected = (1, vec!["src/notes.ts:4 session-keyed-state".to_owned()]);
    for options in [&["-U0"][..], &["-U5"], &["--no-prefix"], &["--src-prefix=old/", "--dst-prefix=new/"]] {
        let diff = repository.git(&[&["diff"], options, &["main...HEAD"]].concat());
        repository.write("../pr.diff", &diff);
        let from_file = repository.findings(&["--changed-lines", "../pr.diff"]);
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("mcp-migrate"));
        let mut child = command
            .args(["scan", "--format", "json", "--changed-lines", "-", "src"])
            .current_dir(repository.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        child.stdin.take().expect("piped").write_all(diff.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let below = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(below.contains("\"notes.ts\""), "{options:?}: {below}");
        assert_eq!(from_file, expected, "{options:?}");
        std::fs::remove_file(repository.path().join("../pr.diff")).expect("it is there");
    }
    repository.write("empty.diff", "");
    assert_eq!(repository.findings(&["--changed-lines", "empty.diff"]), (0, none()));
    repository.write("bad.diff", "hello\n");
    let run = repository.run(&["scan", "--changed-lines", "bad.diff"]);
    assert_eq!(run.code, 2);
    assert!(run.said().contains("no unified diff"), "{}", run.stderr);
}

#[test]
fn a_missing_base_is_an_error_that_tells_how_to_get_it() {
    let repository = Repository::of(CLEAN);
    let refused = |run: super::support::Run, words: &[&str]| {
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        for word in words {
            assert!(run.said().contains(word), "{word}: {}", run.stderr);
        }
    };
    refused(repository.run(&["scan", "--diff-base", "develop"]), &["`develop` is no commit", "git fetch"]);
    refused(repository.run(&["scan", "--diff-base=--output=x"]), &["no commit"]);

    repository.write("a.txt", "1");
    repository.commit("two");
    repository.write("a.txt", "2");
    repository.commit("three");
    let shallow = Repository::empty();
    let source = format!("file://{}", repository.path().display());
    shallow.git(&["clone", "-q", "--depth", "1", &source, "clone"]);
    let clone = shallow.path().join("clone");
    let base = repository.git(&["rev-parse", "HEAD~2"]);
    let run = shallow.run(&["scan", "--diff-base", base.trim(), clone.to_str().expect("UTF-8")]);
    refused(run, &["is no commit", "shallow", "fetch-depth: 0"]);
    shallow.git(&["-C", "clone", "fetch", "-q", "--depth", "1", "origin", base.trim()]);
    let run = shallow.run(&["scan", "--diff-base", base.trim(), clone.to_str().expect("UTF-8")]);
    refused(run, &["no common history", "fetch-depth: 0"]);

    let outside = Repository::bare(CLEAN);
    refused(outside.run(&["scan", "--diff-base", "main"]), &["in no git repository", "--changed-lines"]);
    let run = repository.run_with(&["scan", "--staged"], |command| {
        command.env("PATH", "");
    });
    refused(run, &["`git` was not found"]);
    refused(repository.run(&["scan", "--staged", "--diff-base", "main"]), &["cannot be used with"]);
}

const LOCK: &str = "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"node_modules/@modelcontextprotocol/sdk\": {\n      \
                    \"version\": \"1.29.0\",\n      \"license\": \"MIT\"\n    }\n  }\n}\n";

#[test]
fn another_version_of_the_sdk_makes_findings_count_again() {
    let repository = Repository::bare(MAPPED);
    repository.write("package-lock.json", LOCK);
    repository.git(&["init", "-q", "-b", "main"]);
    repository.commit("base");
    let (_, all) = repository.findings(&[]);
    repository.edit("package-lock.json", "\"license\": \"MIT\"", "\"license\": \"ISC\"");
    assert_eq!(repository.findings(&["--diff-base", "main"]), (0, none()), "another line of the lock file");

    repository.edit("package-lock.json", "1.29.0", "1.30.0");
    let run = repository.run(&["scan", "--format", "json", "--diff-base", "main"]);
    assert_eq!((run.code, run.findings()), (1, all.clone()));
    assert!(run.said().contains("@modelcontextprotocol/sdk 1.29.0 to 1.30.0"), "{}", run.stderr);
    repository.git(&["add", "-A"]);
    assert_eq!(repository.findings(&["--staged"]), (1, all.clone()));
    // The lock file lies above what is scanned.
    let (code, below) = repository.findings(&["--diff-base", "main", "src"]);
    assert_eq!((code, below.len()), (1, all.len()));
    let diff = repository.git(&["diff", "--cached"]);
    repository.write("pr.diff", &diff);
    assert_eq!(repository.findings(&["--changed-lines", "pr.diff"]), (1, all.clone()));

    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["rm", "-q", "package-lock.json"]);
    repository.git(&["commit", "-q", "-m", "No lock file"]);
    repository.edit("package.json", "\"@modelcontextprotocol/sdk\": \"^", "\"@modelcontextprotocol/sdk\": \"~");
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), (1, all));
}
