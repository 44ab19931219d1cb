//! What comments and settings say is to stay, stays; what they say in vain, goes.

use serde_json::Value;

use super::support::{CLEAN, MAPPED, Repository};

fn fix(repository: &Repository, arguments: &[&str]) -> (i32, Value) {
    let run = repository.run(&[&["fix", "--allow-dirty", "--format", "json"], arguments].concat());
    assert_eq!(run.stderr, "");
    (run.code, serde_json::from_str(&run.stdout).expect("JSON"))
}

/// `status reason` of each group.
fn groups(told: &Value) -> Vec<String> {
    let groups = told["groups"].as_array().expect("groups").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    groups.map(|group| format!("{} {}", text(&group["status"]), text(&group["reason"])).trim().to_owned()).collect()
}

const BASKETS: &str = "const baskets = new Map<string, Basket>();";

/// A server with state by session and a transport map, its store declared in this way.
fn keyed(line: &str) -> Repository {
    let repository = Repository::bare("fixtures/gold/typescript/c-session-map/before");
    repository.edit("src/server.ts", BASKETS, line);
    repository
}

/// What waits for a change that is not made.
const WAITS: &str = "refused it needs another change first, which was not made: Turn baskets into handles";

#[test]
fn state_that_nobody_allowed_is_changed() {
    let (code, told) = fix(&keyed(BASKETS), &[]);
    assert_eq!((code, groups(&told)), (0, vec!["applied".to_owned(), "applied".to_owned()]));
}

#[test]
fn what_a_comment_allows_is_left_with_its_reason() {
    let repository = keyed(&format!("// mcp-migrate-allow: session-keyed-state -- goes with version 3\n{BASKETS}"));
    let before = repository.read("src/server.ts");
    let (code, told) = fix(&repository, &[]);
    assert_eq!(
        (code, groups(&told)),
        (1, vec!["allowed a comment allows it: goes with version 3".to_owned(), WAITS.to_owned()])
    );
    assert_eq!((&told["summary"]["allowed"], &told["summary"]["refused"]), (&1.into(), &1.into()));
    assert_eq!(repository.read("src/server.ts"), before);
    let run = repository.run(&["fix", "--dry-run", "--rule", "session-keyed-state"]);
    assert!(run.code == 0 && run.stdout.contains("# Stays as it is\n"), "{run:?}");
}

#[test]
fn what_settings_turn_off_or_ignore_is_left() {
    let repository = keyed(BASKETS);
    let before = repository.read("src/server.ts");
    for (settings, reason) in [
        ("[rules]\nsession-keyed-state = 'off'\n", "the settings turn `session-keyed-state` off"),
        (
            "[[ignore]]\npaths = ['src/server.ts']\nrules = ['session-keyed-state']\nreason = 'old'\n",
            "the settings ignore it there: old",
        ),
    ] {
        repository.write("mcp-migrate.toml", settings);
        let (code, told) = fix(&repository, &[]);
        assert_eq!((code, groups(&told)), (1, vec![format!("allowed {reason}"), WAITS.to_owned()]), "{settings}");
        assert_eq!(repository.read("src/server.ts"), before);
    }
    // Where nothing counts, nothing remains.
    repository.write("mcp-migrate.toml", "[[ignore]]\npaths = ['src/**']\nreason = 'old'\n");
    let (code, told) = fix(&repository, &[]);
    assert_eq!((code, groups(&told).len()), (0, 2), "{told}");
    // A rule that is named is wanted.
    repository.write("mcp-migrate.toml", "[rules]\nsession-keyed-state = 'off'\n");
    assert_eq!(groups(&fix(&repository, &["--rule", "session-keyed-state"]).1), ["applied"]);
}

#[test]
fn manual_work_on_what_is_allowed_is_not_listed() {
    let repository = Repository::bare("fixtures/gold/typescript/f-session-auth/before");
    let (_, told) = fix(&repository, &["--dry-run"]);
    let manual = told["manual"].as_array().expect("a list");
    assert!(!manual.is_empty(), "{told}");
    repository.write("mcp-migrate.toml", "[[ignore]]\npaths = ['**']\nreason = 'old'\n");
    let (_, told) = fix(&repository, &["--dry-run"]);
    assert_eq!(told["manual"], serde_json::json!([]));
}

#[test]
fn a_group_is_made_where_one_of_its_findings_counts() {
    let repository = Repository::bare(MAPPED);
    repository.write("mcp-migrate.toml", "[rules]\nsession-transport-map = 'off'\n");
    let (_, told) = fix(&repository, &[]);
    assert_eq!(groups(&told), ["applied"]);
}

#[test]
fn comments_that_allow_nothing_go() {
    for (before, after) in [
        ("// mcp-migrate-allow: session-guard -- was once\nexport const a = 1;\n", "export const a = 1;\n"),
        ("export const a = 1; // mcp-migrate-allow: session-guard -- was once\n", "export const a = 1;\n"),
        ("export const a = /* mcp-migrate-allow: session-guard -- was once */ 1;\n", "export const a = 1;\n"),
        (
            "// mcp-migrate-allow: session-guard -- was once\nexport const a = 1;\n\
             // mcp-migrate-allow: session-guard -- was once\nexport const b = 1;\n",
            "export const a = 1;\nexport const b = 1;\n",
        ),
    ] {
        let repository = Repository::bare(CLEAN);
        repository.write("src/plain.ts", before);
        let (code, told) = fix(&repository, &["--level", "safe"]);
        assert_eq!(code, 0, "{told}");
        assert!(groups(&told).iter().all(|group| group == "applied"), "{told}");
        assert_eq!(repository.read("src/plain.ts"), after);
        assert_eq!(repository.findings(&[]), (0, vec![]));
    }
}

#[test]
fn only_the_name_that_allows_nothing_goes() {
    let comment = "// mcp-migrate-allow: session-guard, session-keyed-state -- goes with version 3";
    let repository = keyed(&format!("{comment}\n{BASKETS}"));
    let (_, told) = fix(&repository, &["--level", "safe"]);
    assert_eq!(told["summary"]["applied"], 1, "{told}");
    let text = repository.read("src/server.ts");
    assert!(text.contains("\n// mcp-migrate-allow: session-keyed-state -- goes with version 3\n"), "{text}");
}

#[test]
fn a_comment_is_gone_with_what_it_allowed() {
    let repository = Repository::bare(MAPPED);
    // One of two findings of the group is allowed; with the group, the line below the comment goes.
    repository.edit(
        "src/server.ts",
        "const transports:",
        "// mcp-migrate-allow: session-transport-map -- until version 3\nconst transports:",
    );
    let (_, told) = fix(&repository, &[]);
    assert!(groups(&told).iter().all(|group| group == "applied"), "{told}");
    let note = "it changes src/server.ts:12 as well, though a comment allows it: until version 3";
    let notes = told["groups"][0]["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|said| said == note), "{told}");
    assert!(!repository.read("src/server.ts").contains("mcp-migrate-allow"), "{}", repository.read("src/server.ts"));
    assert_eq!(repository.findings(&[]), (0, vec![]));
}

#[test]
fn what_a_person_may_have_meant_stays() {
    for comment in [
        // No reason, and no such rule: it may be a slip of the pen.
        "// mcp-migrate-allow: session-keyed-state",
        "// mcp-migrate-allow: session-gard -- was once",
        // The next line may be more of the reason.
        "// mcp-migrate-allow: session-guard -- was once\n// and is no more",
        "/* mcp-migrate-allow: session-guard -- was once\n   About a. */",
    ] {
        let repository = Repository::bare(CLEAN);
        let text = format!("{comment}\nexport const a = 1;\n");
        repository.write("src/plain.ts", &text);
        let (code, told) = fix(&repository, &[]);
        assert_eq!((code, &told["summary"]["applied"]), (1, &0.into()), "{told}");
        assert_eq!(repository.read("src/plain.ts"), text);
    }
}

#[test]
fn comments_of_other_languages_go_too() {
    let repository = Repository::bare(CLEAN);
    let python = "import mcp\n\ndef f():\n    # mcp-migrate-allow: session-guard -- was once\n    return 1\n";
    repository.write("tool/a.py", python);
    let (_, told) = fix(&repository, &[]);
    assert_eq!(groups(&told), ["applied"], "{told}");
    assert_eq!(repository.read("tool/a.py"), "import mcp\n\ndef f():\n    return 1\n");
}
