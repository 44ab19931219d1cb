//! Edits of one text.

use std::path::Path;

use mcp_migrate::edit::{Edit, EditError, fixpoint, text};
use proptest::prelude::*;

use super::support::{any_places, any_text, edits_at, group, once, put, run, without_mark};
use mcp_migrate::edit::{Proposal, Settings};

/// From the last place to the first, one at a time: another way to the same text.
fn slowly(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<(usize, &Edit)> = edits.iter().enumerate().collect();
    sorted.sort_by_key(|(number, edit)| (edit.start, edit.end, *number));
    let mut out = text.to_owned();
    for (_, edit) in sorted.into_iter().rev() {
        out.replace_range(edit.range(), &edit.replacement);
    }
    out
}

proptest! {
    #[test]
    fn bytes_outside_edits_stay(text in any_text(), places in any_places()) {
        let edits = edits_at("a", &text, &places);
        let applied = text::apply(&text, &edits).expect("valid edits");
        let (mut before, mut after) = (0, 0);
        for (went, came) in &applied.ranges {
            prop_assert_eq!(&text[before..went.start], &applied.text[after..came.start]);
            (before, after) = (went.end, came.end);
        }
        prop_assert_eq!(&text[before..], &applied.text[after..]);
        prop_assert_eq!(applied.text, slowly(&text, &edits));
    }

    #[test]
    fn any_offsets_end_in_a_text_or_an_error(
        text in any_text(),
        offsets in proptest::collection::vec((0..200_usize, 0..200_usize, any::<bool>()), 1..5),
    ) {
        let edits: Vec<Edit> = offsets
            .iter()
            .map(|(start, end, huge)| Edit::replace("a", *start..if *huge { usize::MAX } else { *end }, "x"))
            .collect();
        let fits = |edit: &Edit| text.get(edit.range()).is_some();
        match text::apply(&text, &edits) {
            Ok(_) => prop_assert!(edits.iter().all(fits)),
            Err(EditError::Overlap(both)) => prop_assert!(both[0].start < both[1].end && both[1].start < both[0].end),
            Err(_) => prop_assert!(!edits.iter().all(fits)),
        }
    }

    #[test]
    fn groups_lead_to_the_same_text_in_any_order(text in any_text(), places in any_places(), split in any::<u8>()) {
        let edits = edits_at("a", without_mark(&text), &places);
        let dir = tempfile::tempdir().expect("temp dir");
        put(dir.path(), "a", &text);
        let mut groups = [group("one", Vec::new()), group("other", Vec::new())];
        for (number, edit) in edits.into_iter().enumerate() {
            groups[usize::from(split >> number & 1)].edits.push(edit);
        }
        let forth = once(dir.path(), groups.to_vec());
        let back = once(dir.path(), groups.iter().rev().cloned().collect());
        // Where they are in each other's way, only the first is applied.
        if forth.superseded.is_empty() {
            prop_assert_eq!(forth.files.changes(), back.files.changes());
        }
        prop_assert_eq!(forth.superseded.is_empty(), back.superseded.is_empty());
    }

    #[test]
    fn bad_offsets_of_a_group_are_refused(text in any_text(), start in 0..300_usize, end in 0..300_usize) {
        let dir = tempfile::tempdir().expect("temp dir");
        put(dir.path(), "a", &text);
        let bad = without_mark(&text).get(start..end).is_none();
        let outcome = once(dir.path(), vec![group("g", vec![Edit::replace("a", start..end, "\u{1}")])]);
        prop_assert_eq!(outcome.applied().next().is_none(), bad);
    }
}

#[test]
fn insertions_at_one_place_keep_their_order() {
    let edits = [
        Edit::delete("a", 1..2),
        Edit::insert("a", 1, "x"),
        Edit::insert("a", 2, "z"),
        Edit::insert("a", 1, "y"),
        Edit::insert("a", 1, "x"),
    ];
    assert_eq!(text::apply("123", &edits).expect("valid").text, "1xyxz3");
}

#[test]
fn the_same_deletion_twice_is_one_and_a_different_one_is_an_error() {
    let delete = Edit::delete("a", 0..1);
    assert_eq!(text::apply("12", &[delete.clone(), delete.clone()]).expect("valid").text, "2");
    assert!(matches!(text::apply("12", &[delete.clone(), Edit::delete("a", 0..2)]), Err(EditError::Overlap(..))));
    assert!(matches!(text::apply("12", &[delete, Edit::replace("a", 0..1, "x")]), Err(EditError::Overlap(..))));
}

#[test]
fn an_insertion_inside_a_deletion_is_an_overlap() {
    let edits = [Edit::delete("a", 0..3), Edit::insert("a", 1, "x")];
    assert!(matches!(text::apply("123", &edits), Err(EditError::Overlap(..))));
}

#[test]
fn a_root_that_is_not_there_refuses_everything() {
    let outcome = run(Path::new("/nowhere/at/all"), Settings::default(), |_| Proposal {
        groups: vec![group("g", vec![Edit::insert("a", 0, "x")])],
        ..Proposal::default()
    });
    assert_eq!(outcome.refused.len(), 1);
    assert!(outcome.settled);
    assert!(fixpoint::Settings::default().rounds > 1);
}
