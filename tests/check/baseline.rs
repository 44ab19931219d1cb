//! Baselines.

use super::support::{MAPPED, NOTES, Repository};

fn entries(repository: &Repository) -> usize {
    repository.read("base.json").matches("\"rule\"").count()
}

#[test]
fn what_is_known_does_not_fail_and_what_is_new_does() {
    let repository = Repository::bare(MAPPED);
    let run = repository.run(&["scan", "--baseline", "base.json"]);
    assert_eq!(run.code, 2);
    assert!(run.said().contains("--write-baseline"), "{}", run.stderr);

    let run = repository.run(&["scan", "--baseline", "base.json", "--write-baseline"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.said().contains("the baseline holds"), "{}", run.stderr);
    let first = repository.read("base.json");
    assert_eq!(repository.findings(&["--baseline", "base.json"]), (0, vec![]));

    // Moved code is known code, also for a run from elsewhere.
    let text = repository.read("src/server.ts");
    repository.write("src/server.ts", &format!("// moved\n\n{text}"));
    assert_eq!(repository.findings(&["--baseline", "base.json"]), (0, vec![]));
    assert_eq!(repository.findings(&["--baseline", "base.json", "src"]), (0, vec![]));
    repository.run(&["scan", "--baseline", "base.json", "--write-baseline"]);
    assert_eq!(repository.read("base.json"), first);

    repository.write("src/notes.ts", NOTES);
    let new = (1, vec!["src/notes.ts:4 session-keyed-state".to_owned()]);
    assert_eq!(repository.findings(&["--baseline", "base.json"]), new);

    // Another one of the same kind on the same text is one too many.
    repository.run(&["scan", "--baseline", "base.json", "--write-baseline"]);
    assert_eq!(repository.findings(&["--baseline", "base.json"]), (0, vec![]));
    let twice = NOTES.replace(
        "const notes = new Map<string, string[]>();\n",
        "const notes = new Map<string, string[]>();\n{\nconst notes = new Map<string, string[]>();\nnotes.set(globalThis.x, []);\n}\n",
    );
    let again = twice.replace(
        "notes.set(globalThis.x, []);\n",
        "(server: McpServer) => server.registerTool('b', {}, (extra) => notes.get(extra.sessionId) ?? []);\n",
    );
    repository.write("src/notes.ts", &again);
    let (code, found) = repository.findings(&["--baseline", "base.json"]);
    assert!(code == 1 && found.len() == 1, "{found:?}");
}

#[test]
fn what_is_gone_is_said_and_taken_out() {
    let repository = Repository::bare(MAPPED);
    repository.write("src/notes.ts", NOTES);
    repository.run(&["scan", "--baseline", "base.json", "--write-baseline"]);
    let before = entries(&repository);
    std::fs::remove_file(repository.path().join("src/notes.ts")).expect("it is there");
    let run = repository.run(&["scan", "--baseline", "base.json"]);
    assert_eq!(run.code, 0);
    assert!(run.said().contains("1 finding of the baseline gone"), "{}", run.stderr);
    // A run that did not look there says nothing and takes nothing out.
    for narrow in [&["--rule", "session-guard"][..], &["src/server.ts"]] {
        let run = repository.run(&[&["scan", "--baseline", "base.json"], narrow].concat());
        assert!(!run.said().contains("gone"), "{narrow:?}: {}", run.stderr);
        repository.run(&[&["scan", "--baseline", "base.json", "--write-baseline"], narrow].concat());
        assert_eq!(entries(&repository), before, "{narrow:?}");
    }
    repository.run(&["scan", "--baseline", "base.json", "--write-baseline"]);
    assert_eq!(entries(&repository), before - 1);
}

#[test]
fn a_broken_baseline_is_an_error_and_is_left_alone() {
    let repository = Repository::bare(MAPPED);
    for text in ["{", "{\"schema\": \"other/v1\", \"entries\": []}", "[]", "{\"schema\": \"mcp-migrate/baseline/v1\"}"]
    {
        repository.write("base.json", text);
        for more in [&[][..], &["--write-baseline"]] {
            let run = repository.run(&[&["scan", "--baseline", "base.json"], more].concat());
            assert_eq!(run.code, 2, "{text}");
            assert!(run.said().contains("can't be read"), "{}", run.stderr);
        }
        assert_eq!(repository.read("base.json"), text);
    }
    let run = repository.run(&["scan", "--write-baseline"]);
    assert_eq!(run.code, 2);
    assert!(run.said().contains("no file to write the baseline to"), "{}", run.stderr);
}
