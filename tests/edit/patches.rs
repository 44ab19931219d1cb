//! Patches, with `git apply` as the referee.

use mcp_migrate::edit::{Change, Edit, Group, NewFile, patch};
use proptest::prelude::*;

use super::support::{
    any_places, any_text, apply_patch, edits_at, folder, git_ok, group, once, put, read, without_mark,
};

/// Names that git writes in quotes, or with a tab behind them.
const NAMES: &[&str] =
    &["plain.ts", "with space.ts", "qu\"ote\\.ts", "caf\u{e9}/\u{1f600} x.py", "tab\tand\u{7f}.rs", "a/b -> c.ts"];

fn change(path: &str, before: Option<&str>, after: &str) -> Change {
    Change { path: path.to_owned(), before: before.map(Into::into), after: after.into() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn git_makes_the_same_of_a_patch(
        before in any_text(),
        places in any_places(),
        new in any_text(),
        name in proptest::sample::select(NAMES),
    ) {
        let edits = edits_at(name, &before, &places);
        let after = mcp_migrate::edit::text::apply(&before, &edits).expect("valid edits").text;
        let dir = folder(&[(name, &before)]);
        let mut changes = vec![change("new/file.ts", None, &new)];
        if before != after {
            changes.push(change(name, Some(&before), &after));
        }
        apply_patch(dir.path(), &patch(&changes));
        prop_assert_eq!(read(dir.path(), name), after);
        prop_assert_eq!(read(dir.path(), "new/file.ts"), new);
    }

    #[test]
    fn the_patches_of_groups_in_order_and_the_one_of_all_lead_to_the_same_files(
        texts in proptest::collection::vec((any_text(), any_places()), 1..4),
        assignment in proptest::collection::vec(0..3_usize, 24),
    ) {
        let (whole, steps) = (tempfile::tempdir().expect("temp dir"), tempfile::tempdir().expect("temp dir"));
        let file = |text: &str| NewFile { path: "made.ts".to_owned(), text: text.to_owned() };
        let mut groups: Vec<Group> = ["one", "two", "three"].map(|id| group(id, Vec::new())).to_vec();
        groups[1].new_files.push(file(&texts[0].0));
        let mut edits: Vec<Edit> = Vec::new();
        for (number, (text, places)) in texts.iter().enumerate() {
            let path = format!("f{number}.ts");
            for dir in [&whole, &steps] {
                put(dir.path(), &path, text);
            }
            edits.extend(edits_at(&path, without_mark(text), places));
        }
        for (edit, to) in edits.into_iter().zip(assignment) {
            groups[to].edits.push(edit);
        }
        let outcome = once(whole.path(), groups);
        let changes = outcome.files.changes();
        apply_patch(whole.path(), &patch(&changes));
        for done in outcome.applied() {
            apply_patch(steps.path(), &patch(done.changes.iter().map(|change| &change.change)));
        }
        for change in &changes {
            prop_assert_eq!(read(whole.path(), &change.path), &*change.after);
            prop_assert_eq!(read(steps.path(), &change.path), &*change.after);
        }
        for number in 0..texts.len() {
            let path = format!("f{number}.ts");
            prop_assert_eq!(read(whole.path(), &path), read(steps.path(), &path));
        }
    }
}

#[test]
fn a_patch_can_be_taken_back_and_applies_in_a_folder_of_a_repository() {
    let dir = folder(&[("sub/a b.ts", "1\r\n2\r\n3")]);
    git_ok(dir.path(), &["init", "-q"], "");
    git_ok(dir.path(), &["add", "."], "");
    let changes = [change("a b.ts", Some("1\r\n2\r\n3"), "1\r\ntwo\r\n3\r\n"), change("n.ts", None, "")];
    let patch = patch(&changes);
    let sub = dir.path().join("sub");
    apply_patch(&sub, &patch);
    assert_eq!(read(&sub, "a b.ts"), "1\r\ntwo\r\n3\r\n");
    assert_eq!(read(&sub, "n.ts"), "");
    git_ok(&sub, &["apply", "-R", "--whitespace=nowarn", "-"], &patch);
    assert_eq!(read(&sub, "a b.ts"), "1\r\n2\r\n3");
    assert!(!sub.join("n.ts").exists());
}
