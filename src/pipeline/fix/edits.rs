//! From the first round of a fix to edits of the files as they are, by finding.

use std::rc::Rc;

use crate::edit::text::normalise;
use crate::edit::{self, Group, Outcome};
use crate::pipeline::locate::Locator;
use crate::report::edits::{Edit, Edits, Replacement};
use crate::syntax::source::without_mark;

/// The edits of the first round: those of later ones speak of texts that are nowhere yet.
pub fn of(outcome: &Outcome) -> Edits {
    let root = outcome.files.root().to_owned();
    let places = Locator::through(root, edit::Overlay::default());
    let originals = outcome.files.changes();
    let mut out = Edits::default();
    for applied in outcome.rounds.first().into_iter().flat_map(|round| &round.applied) {
        let text = |path: &str| {
            let change = originals.iter().find(|change| change.path == path)?;
            change.before.as_deref().map(without_mark)
        };
        if let Some(edit) = whole(&applied.group, &text, &places) {
            let edit = Rc::new(edit);
            for fingerprint in &applied.group.claims {
                out.add(fingerprint.clone(), Rc::clone(&edit));
            }
        }
    }
    out
}

/// A group as one edit; `None` where a file can't be had.
fn whole<'t>(group: &Group, text: &dyn Fn(&str) -> Option<&'t str>, places: &Locator) -> Option<Edit> {
    let mut replacements = Vec::new();
    for path in group.paths() {
        let edits = group.edits_of(path);
        if edits.is_empty() {
            continue;
        }
        for edit in joined(normalise(text(path)?, &edits).ok()?) {
            let position = |offset: usize| places.position(path, offset as u32);
            replacements.push(Replacement {
                path: path.to_owned(),
                start: position(edit.start),
                end: position(edit.end),
                text: edit.replacement,
            });
        }
    }
    let new_files = group.new_files.iter().map(|file| (file.path.clone(), file.text.clone())).collect();
    Some(Edit { group: group.id.clone(), title: group.title.clone(), replacements, new_files })
}

/// Edits that touch are one: in which order others apply two at one place can't be known.
fn joined(edits: Vec<edit::Edit>) -> Vec<edit::Edit> {
    let mut out: Vec<edit::Edit> = Vec::new();
    for edit in edits {
        match out.last_mut().filter(|last| last.end == edit.start) {
            Some(last) => {
                last.end = edit.end;
                last.replacement.push_str(&edit.replacement);
            }
            None => out.push(edit),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_at_one_place_are_one() {
        let edits = vec![
            edit::Edit::insert("a.ts", 3, "x"),
            edit::Edit::insert("a.ts", 3, "y"),
            edit::Edit::replace("a.ts", 3..5, "z"),
            edit::Edit::delete("a.ts", 6..7),
        ];
        let out = joined(edits);
        assert_eq!(out, [edit::Edit::replace("a.ts", 3..5, "xyz"), edit::Edit::delete("a.ts", 6..7)]);
    }
}
