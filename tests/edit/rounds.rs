//! Rounds: levels, requirements, conflicts, the gate, and what is taken back.

use std::path::Path;

use mcp_migrate::edit::{Clash, Conflict, Edit, Group, Level, NewFile, Outcome, Proposal, Refusal, Settings, patch};

use super::support::{folder, group, put, read, run, without_mark};

fn needs(id: &str, requires: &[&str], edits: Vec<Edit>) -> Group {
    Group { requires: requires.iter().map(|id| (*id).to_owned()).collect(), ..group(id, edits) }
}

fn proposal(groups: Vec<Group>) -> Proposal {
    Proposal { groups, ..Proposal::default() }
}

/// Proposes these groups on the files as they are, and nothing once anything was applied.
fn first_round(root: &Path, settings: Settings, groups: &[Group]) -> Outcome {
    all_but(root, settings, groups, groups.len())
}

/// Proposes these groups on the files as they are, and without the last ones once anything was applied.
fn all_but(root: &Path, settings: Settings, groups: &[Group], last: usize) -> Outcome {
    let left = &groups[..groups.len() - last];
    run(root, settings, |overlay| proposal(if overlay.is_empty() { groups } else { left }.to_vec()))
}

fn applied(outcome: &Outcome) -> Vec<&str> {
    outcome.applied().map(|done| done.group.id.as_str()).collect()
}

fn refusal<'a>(outcome: &'a Outcome, id: &str) -> &'a Refusal {
    let refused = outcome.refused.iter().find(|refused| refused.group.id == id);
    &refused.unwrap_or_else(|| panic!("{id} was not refused: {outcome:?}")).refusal
}

fn after<'a>(outcome: &'a Outcome, path: &str) -> Option<&'a str> {
    outcome.files.overlay().get(path).map(|text| &**text)
}

#[test]
fn levels_above_the_limit_are_refused_and_so_is_what_needs_them() {
    let dir = folder(&[("a", "123")]);
    let review = Group { level: Level::Review, ..group("store", vec![Edit::insert("a", 0, "x")]) };
    let transport = needs("transport", &["store"], vec![Edit::insert("a", 3, "y")]);
    let manual = Group { level: Level::Manual, ..group("hand", Vec::new()) };
    let groups = [transport, review, manual];
    let safe = Settings { level: Level::Safe, ..Settings::default() };
    let outcome = first_round(dir.path(), safe, &groups);
    assert_eq!(applied(&outcome), Vec::<&str>::new());
    assert_eq!(*refusal(&outcome, "store"), Refusal::Level { level: Level::Review, limit: Level::Safe });
    assert_eq!(*refusal(&outcome, "transport"), Refusal::Requires { id: "store".to_owned(), refused: true });
    assert!(matches!(refusal(&outcome, "hand"), Refusal::Level { level: Level::Manual, .. }));

    let outcome = first_round(dir.path(), Settings::default(), &groups);
    assert_eq!(applied(&outcome), ["store", "transport"], "what is required comes first");
    assert_eq!(after(&outcome, "a"), Some("x123y"));
    assert!(outcome.settled);
    assert_eq!(read(dir.path(), "a"), "123", "nothing is written");
}

#[test]
fn a_requirement_that_nothing_proposes_is_named() {
    let dir = folder(&[("a", "123")]);
    let outcome =
        first_round(dir.path(), Settings::default(), &[needs("g", &["gone"], vec![Edit::insert("a", 0, "x")])]);
    assert_eq!(*refusal(&outcome, "g"), Refusal::Requires { id: "gone".to_owned(), refused: false });
}

#[test]
fn who_is_in_the_way_of_an_earlier_group_comes_again_on_the_new_text() {
    let dir = folder(&[("a", "old tail")]);
    let outcome = run(dir.path(), Settings::default(), |overlay| {
        let text = overlay.get("a").map_or("old tail", |text| &**text);
        let mut groups = Vec::new();
        if text.contains("old") {
            groups.push(group("first", vec![Edit::replace("a", 0..4, "newer ")]));
        }
        if let Some(at) = text.find(" tail") {
            groups.push(group("second", vec![Edit::delete("a", at..at + 5)]));
        }
        proposal(groups)
    });
    assert_eq!(applied(&outcome), ["first", "second"]);
    assert_eq!(outcome.rounds.len(), 2);
    assert_eq!(after(&outcome, "a"), Some("newer"));
    assert!(outcome.refused.is_empty() && outcome.superseded.is_empty() && outcome.settled);
}

#[test]
fn who_waited_and_is_not_needed_any_more_is_superseded() {
    let dir = folder(&[("a", "123")]);
    let groups = [group("all", vec![Edit::delete("a", 0..3)]), group("part", vec![Edit::delete("a", 1..2)])];
    let outcome = first_round(dir.path(), Settings::default(), &groups);
    assert_eq!(applied(&outcome), ["all"]);
    let superseded: Vec<(&str, &str)> =
        outcome.superseded.iter().map(|other| (other.group.id.as_str(), other.by.as_str())).collect();
    assert_eq!(superseded, [("part", "all")]);
}

#[test]
fn when_the_rounds_are_over_what_waits_is_refused() {
    let dir = folder(&[("a", "123456")]);
    let once = Settings { rounds: 1, ..Settings::default() };
    let all = [
        group("one", vec![Edit::delete("a", 0..1)]),
        group("two", vec![Edit::delete("a", 2..4)]),
        group("three", vec![Edit::delete("a", 3..4)]),
    ];
    let outcome = run(dir.path(), once, |overlay| {
        proposal(if overlay.is_empty() { all[..1].to_vec() } else { all[1..].to_vec() })
    });
    assert_eq!(applied(&outcome), ["one"]);
    assert!(!outcome.settled);
    assert_eq!(*refusal(&outcome, "two"), Refusal::RoundsOver);
    let conflict = Conflict { with: "two".to_owned(), path: "a".to_owned(), at: 3, clash: Clash::Inside };
    assert_eq!(*refusal(&outcome, "three"), Refusal::Conflict(conflict));
    assert_eq!(after(&outcome, "a"), Some("23456"));
}

#[test]
fn the_same_edit_of_two_groups_is_made_once_and_both_own_it() {
    let dir = folder(&[("a", "import\nbody\n")]);
    let import = Edit::insert("a", 0, "use x\n");
    let file = NewFile { path: "n".to_owned(), text: "new\n".to_owned() };
    let one = Group { new_files: vec![file.clone()], ..group("one", vec![import.clone()]) };
    let other = Group { new_files: vec![file], ..group("other", vec![import, Edit::insert("a", 7, "y\n")]) };
    let outcome = first_round(dir.path(), Settings::default(), &[one, other]);
    assert_eq!(after(&outcome, "a"), Some("use x\nimport\ny\nbody\n"));
    let other = outcome.applied().nth(1).expect("two groups");
    assert_eq!(other.shared, ["one"]);
    let alone = patch(other.changes.iter().map(|change| &change.change));
    assert_eq!(alone, "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n use x\n import\n+y\n body\n");
    assert_eq!(other.changes[0].ranges, [(13..13, 13..15)]);
}

#[test]
fn a_group_that_breaks_a_file_is_dropped_as_a_whole_with_what_needs_it() {
    let dir = folder(&[("a", "1\n"), ("b", "2\n")]);
    let groups = [
        group("bad", vec![Edit::insert("a", 0, "fine\n"), Edit::insert("b", 0, "\nwrong!\n")]),
        needs("on-top", &["bad"], vec![Edit::insert("a", 2, "top\n")]),
        group("good", vec![Edit::insert("b", 2, "good\n")]),
    ];
    let outcome = all_but(dir.path(), Settings::default(), &groups, 1);
    assert_eq!(applied(&outcome), ["good"]);
    assert_eq!(*refusal(&outcome, "bad"), Refusal::Breaks { path: "b".to_owned(), line: 2 });
    assert_eq!(*refusal(&outcome, "on-top"), Refusal::Requires { id: "bad".to_owned(), refused: true });
    assert_eq!(outcome.files.changes().len(), 1, "nothing of the bad group is left");
}

#[test]
fn a_new_file_with_an_error_is_dropped() {
    let dir = folder(&[("a", "1\n")]);
    let file = NewFile { path: "n".to_owned(), text: "what!".to_owned() };
    let outcome =
        first_round(dir.path(), Settings::default(), &[Group { new_files: vec![file], ..group("g", vec![]) }]);
    assert_eq!(*refusal(&outcome, "g"), Refusal::Breaks { path: "n".to_owned(), line: 1 });
}

#[test]
fn an_error_far_away_stops_nothing_and_one_nearby_does() {
    let text = format!("!\n{}", "line\n".repeat(10));
    let dir = folder(&[("a", &text)]);
    let near = group("near", vec![Edit::insert("a", 7, "x\n")]);
    let far = group("far", vec![Edit::insert("a", text.len(), "x\n")]);
    let outcome = all_but(dir.path(), Settings::default(), &[near, far], 1);
    assert_eq!(applied(&outcome), ["far"]);
    assert_eq!(*refusal(&outcome, "near"), Refusal::SyntaxNear { path: "a".to_owned(), line: 1 });
}

#[test]
fn a_group_that_comes_back_after_it_was_applied_is_taken_back() {
    let dir = folder(&[("a", "1\n2\n3\n")]);
    let outcome = run(dir.path(), Settings::default(), |overlay| {
        let mut groups = vec![group("again", vec![Edit::insert("a", 0, "x\n")])];
        if overlay.is_empty() || !overlay.get("a").is_some_and(|text| text.contains("good")) {
            groups.push(group("good", vec![Edit::insert("a", 4, "good\n")]));
        }
        groups.push(needs("on-top", &["again"], vec![Edit::insert("a", 2, "top\n")]));
        proposal(groups)
    });
    assert_eq!(applied(&outcome), ["good"]);
    assert_eq!(*refusal(&outcome, "again"), Refusal::Repeats);
    // It came back too, and what it needs will not come.
    assert!(matches!(refusal(&outcome, "on-top"), Refusal::Repeats | Refusal::Requires { refused: true, .. }));
    assert_eq!(after(&outcome, "a"), Some("1\n2\ngood\n3\n"));
    assert!(outcome.settled);
}

#[test]
fn a_group_whose_claim_is_not_met_is_taken_back_with_the_rounds_that_came_after() {
    let dir = folder(&[("a", "1\n2\n")]);
    let mut looks = 0;
    let outcome = run(dir.path(), Settings::default(), |overlay| {
        looks += 1;
        let text = overlay.get("a").map_or("", |text| &**text).to_owned();
        let mut groups = Vec::new();
        if !text.contains("claims") {
            let claims = vec!["finding".to_owned()];
            groups.push(Group { claims, ..group("claims", vec![Edit::insert("a", 0, "claims\n")]) });
        }
        if text.contains("claims") && !text.contains("later") {
            groups.push(group("later", vec![Edit::insert("a", 0, "later\n")]));
        }
        // It shows only once the later round was played.
        let findings = if text.contains("later") { vec!["finding".to_owned()] } else { Vec::new() };
        Proposal { groups, findings }
    });
    assert_eq!(applied(&outcome), Vec::<&str>::new());
    assert_eq!(*refusal(&outcome, "claims"), Refusal::Unmet { claims: vec!["finding".to_owned()] });
    assert!(outcome.files.changes().is_empty());
    assert!(outcome.settled && looks < 10);
}

#[test]
fn a_planner_that_never_rests_is_left_in_a_state_that_was_looked_at() {
    let dir = folder(&[("a", "1\n")]);
    let mut number = 0;
    let outcome = run(dir.path(), Settings { rounds: 3, ..Settings::default() }, |_| {
        number += 1;
        proposal(vec![group(&format!("g{number}"), vec![Edit::insert("a", 0, "x")])])
    });
    assert_eq!(applied(&outcome), ["g1", "g2", "g3"]);
    assert_eq!(*refusal(&outcome, "g4"), Refusal::RoundsOver);
    assert!(!outcome.settled);

    // Every group comes back, each time beside a new one.
    let mut known: Vec<Group> = Vec::new();
    let outcome = run(dir.path(), Settings { rounds: 3, ..Settings::default() }, |_| {
        known.push(group(&format!("g{}", known.len()), vec![Edit::insert("a", 0, "x")]));
        proposal(known.iter().rev().cloned().collect())
    });
    assert_eq!(applied(&outcome), Vec::<&str>::new());
    assert!(outcome.files.changes().is_empty() && !outcome.settled);
}

#[test]
fn a_byte_order_mark_and_line_ends_survive() {
    let text = "\u{feff}one\r\ntwo\r\n";
    let dir = folder(&[("a", text)]);
    let at = without_mark(text).find("two").expect("there");
    let outcome = first_round(dir.path(), Settings::default(), &[group("g", vec![Edit::insert("a", at, "x\r\n")])]);
    assert_eq!(after(&outcome, "a"), Some("\u{feff}one\r\nx\r\ntwo\r\n"));
}

#[test]
fn what_the_next_scan_would_not_read_is_refused() {
    let dir = folder(&[("a.ts", "let a;\n")]);
    let outcome =
        first_round(dir.path(), Settings::default(), &[group("g", vec![Edit::insert("a.ts", 0, "// @generated\n")])]);
    assert!(matches!(refusal(&outcome, "g"), Refusal::NotJudged { .. }));
}

#[test]
fn a_group_that_changes_nothing_is_refused() {
    let dir = folder(&[("a", "123")]);
    let groups = [group("same", vec![Edit::replace("a", 0..1, "1")]), group("none", Vec::new())];
    let outcome = first_round(dir.path(), Settings::default(), &groups);
    assert_eq!((refusal(&outcome, "same"), refusal(&outcome, "none")), (&Refusal::NoChange, &Refusal::NoChange));
}

#[test]
fn files_that_can_not_be_edited_are_refused_with_the_group() {
    let dir = folder(&[("a", "123"), ("node_modules/x/a.js", "1")]);
    put(dir.path(), "there", "1");
    let file = NewFile { path: "there".to_owned(), text: "2".to_owned() };
    let groups = [
        group("out", vec![Edit::insert("../a", 0, "x"), Edit::insert("a", 0, "x")]),
        group("gone", vec![Edit::insert("none", 0, "x")]),
        group("foreign", vec![Edit::insert("node_modules/x/a.js", 0, "x")]),
        Group { new_files: vec![file], ..group("exists", Vec::new()) },
    ];
    let outcome = first_round(dir.path(), Settings::default(), &groups);
    assert!(matches!(refusal(&outcome, "out"), Refusal::OutsideRoot { .. }));
    assert!(matches!(refusal(&outcome, "gone"), Refusal::Missing { .. }));
    assert!(matches!(refusal(&outcome, "foreign"), Refusal::Foreign { .. }));
    assert!(matches!(refusal(&outcome, "exists"), Refusal::Exists { .. }));
    assert!(outcome.files.changes().is_empty());
    for refused in &outcome.refused {
        assert!(!refused.refusal.to_string().is_empty() && refused.refusal.help().ends_with('.'));
    }
}
