//! Whether two groups can be applied to the same text.

use super::group::Group;
use super::refusal::{Clash, Conflict};
use super::text::Edit;

/// The first conflict of `group` with `other`, which comes before it. Whether there is one does not depend on who comes first.
pub fn between(group: &Group, other: &Group) -> Option<Conflict> {
    new_files(group, other).or_else(|| {
        let paths = other.paths();
        group.paths().into_iter().filter(|path| paths.binary_search(path).is_ok()).find_map(|path| {
            let (at, clash) = edits(&group.edits_of(path), &other.edits_of(path))?;
            Some(Conflict { with: other.id.clone(), path: path.to_owned(), at, clash })
        })
    })
}

fn new_files(group: &Group, other: &Group) -> Option<Conflict> {
    let differs = |path: &str, text: &str| other.new_files.iter().any(|file| file.path == path && file.text != text);
    let file = group.new_files.iter().find(|file| differs(&file.path, &file.text))?;
    Some(Conflict { with: other.id.clone(), path: file.path.clone(), at: 0, clash: Clash::NewFile })
}

/// The first clash of the edits of two groups in one file, and where the first one's edit begins. What both do in the very same way is
/// no clash: it is done once.
fn edits(ours: &[Edit], theirs: &[Edit]) -> Option<(usize, Clash)> {
    let our_own: Vec<&Edit> = ours.iter().filter(|edit| !is_shared(edit, ours, theirs)).collect();
    let their_own: Vec<&Edit> = theirs.iter().filter(|edit| !is_shared(edit, theirs, ours)).collect();
    our_own.iter().find_map(|our| {
        let clash = their_own.iter().find_map(|their| clash(our, their))?;
        Some((our.start, clash))
    })
}

/// Whether the other side does what an edit of this side does: the same replacement, or all the same insertions at its place.
pub fn is_shared(edit: &Edit, side: &[Edit], other: &[Edit]) -> bool {
    if !edit.is_insertion() {
        return other.contains(edit);
    }
    fn at(side: &[Edit], start: usize) -> impl Iterator<Item = &str> {
        let here = move |edit: &&Edit| edit.is_insertion() && edit.start == start;
        side.iter().filter(here).map(|edit| edit.replacement.as_str())
    }
    at(side, edit.start).eq(at(other, edit.start))
}

fn clash(our: &Edit, their: &Edit) -> Option<Clash> {
    if our.range() == their.range() {
        return Some(Clash::SamePlace);
    }
    // Text that comes in at the edge of what another group changes may belong to what goes.
    let touch = our.is_insertion() || their.is_insertion();
    let apart = if touch {
        our.end < their.start || their.end < our.start
    } else {
        our.end <= their.start || their.end <= our.start
    };
    if apart {
        return None;
    }
    let holds = |outer: &Edit, inner: &Edit| outer.start <= inner.start && inner.end <= outer.end;
    Some(match () {
        () if !touch && holds(their, our) => Clash::Inside,
        () if !touch && holds(our, their) => Clash::Around,
        () => Clash::Overlap,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::level::Level;
    use crate::edit::text::NewFile;
    use proptest::prelude::*;

    fn group(id: &str, edits: Vec<Edit>) -> Group {
        Group { edits, ..Group::new(id, "t", "r", Level::Safe) }
    }

    fn of(one: Vec<Edit>, other: Vec<Edit>) -> Option<Clash> {
        between(&group("one", one), &group("other", other)).map(|conflict| conflict.clash)
    }

    #[test]
    fn what_is_the_same_is_done_once() {
        assert_eq!(of(vec![Edit::delete("a", 1..3)], vec![Edit::delete("a", 1..3)]), None);
        assert_eq!(of(vec![Edit::insert("a", 1, "x")], vec![Edit::insert("a", 1, "x")]), None);
        let all = vec![Edit::insert("a", 1, "x"), Edit::delete("a", 1..3)];
        assert_eq!(of(all.clone(), all), None);
    }

    #[test]
    fn what_is_not_the_same_at_one_place_is_a_conflict() {
        assert_eq!(of(vec![Edit::insert("a", 1, "x")], vec![Edit::insert("a", 1, "y")]), Some(Clash::SamePlace));
        let two = vec![Edit::insert("a", 1, "x"), Edit::insert("a", 1, "y")];
        assert_eq!(of(vec![Edit::insert("a", 1, "x")], two), Some(Clash::SamePlace));
        assert_eq!(of(vec![Edit::delete("a", 1..3)], vec![Edit::replace("a", 1..3, "x")]), Some(Clash::SamePlace));
    }

    #[test]
    fn a_deletion_inside_another_says_which_is_which() {
        let (small, large) = (vec![Edit::delete("a", 2..4)], vec![Edit::delete("a", 1..5)]);
        assert_eq!(of(small.clone(), large.clone()), Some(Clash::Inside));
        assert_eq!(of(large, small), Some(Clash::Around));
        assert_eq!(of(vec![Edit::delete("a", 1..4)], vec![Edit::delete("a", 3..6)]), Some(Clash::Overlap));
    }

    #[test]
    fn replacements_may_touch_and_insertions_may_not() {
        assert_eq!(of(vec![Edit::delete("a", 1..3)], vec![Edit::delete("a", 3..4)]), None);
        for at in [1, 2, 3] {
            let insertion = vec![Edit::insert("a", at, "x")];
            assert_eq!(of(vec![Edit::delete("a", 1..3)], insertion), Some(Clash::Overlap), "{at}");
        }
        assert_eq!(of(vec![Edit::delete("a", 1..3)], vec![Edit::insert("b", 2, "x")]), None);
    }

    #[test]
    fn one_new_file_has_one_text() {
        let with = |text: &str| {
            let file = NewFile { path: "n".to_owned(), text: text.to_owned() };
            Group { new_files: vec![file], ..group("g", Vec::new()) }
        };
        assert_eq!(between(&with("x"), &with("x")), None);
        assert_eq!(between(&with("x"), &with("y")).map(|conflict| conflict.clash), Some(Clash::NewFile));
    }

    fn any_edits() -> impl Strategy<Value = Vec<Edit>> {
        let edit =
            (0..12_usize, 0..4_usize, "[xy]?").prop_map(|(at, length, text)| Edit::replace("a", at..at + length, text));
        proptest::collection::vec(edit, 0..5)
    }

    proptest! {
        #[test]
        fn whether_there_is_a_conflict_does_not_depend_on_the_order(one in any_edits(), other in any_edits()) {
            let (one, other) = (group("one", one), group("other", other));
            let (there, back) = (between(&one, &other), between(&other, &one));
            prop_assert_eq!(there.is_some(), back.is_some());
            prop_assert_eq!(between(&one, &one), None);
        }
    }
}
