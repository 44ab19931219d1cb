//! Changes of one step that come from several hands and meet: what is taken away twice is taken away once.

use super::Change;

/// The same changes, without any that another one covers: equal ones once, deletions that meet as one, and what only deletes inside of
/// what is replaced anyhow not at all. Others that overlap stay as they are: which of them is right can't be known here.
pub fn united(mut changes: Vec<Change>) -> Vec<Change> {
    let plain = |change: &Change| change.text.is_empty();
    // Insertions keep their order; a stable sort puts them before what begins at the same place.
    changes.sort_by(|a, b| (&a.path, a.span.start).cmp(&(&b.path, b.span.start)));
    let mut out: Vec<Change> = Vec::new();
    for change in changes {
        let deletes = plain(&change) && change.span.start < change.span.end;
        let last = out.iter_mut().rev().find(|known| known.path == change.path && known.span.start < known.span.end);
        let Some(last) = last.filter(|last| change.span.start < last.span.end) else {
            out.push(change);
            continue;
        };
        if *last == change || (deletes && change.span.end <= last.span.end) {
            continue;
        }
        if deletes && plain(last) {
            last.span.end = change.span.end;
        } else if deletes && change.span.start >= last.span.start {
            // What reaches beyond a replacement is still to go.
            let rest =
                Change { span: crate::model::facts::Span { start: last.span.end, end: change.span.end }, ..change };
            out.push(rest);
        } else if plain(last) && last.span.start == change.span.start && last.span.end <= change.span.end {
            *last = change;
        } else {
            out.push(change);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts::Span;

    fn change(start: usize, end: usize, text: &str) -> Change {
        Change { path: "a.ts".to_owned(), span: Span::new(start, end), text: text.to_owned() }
    }

    #[test]
    fn deletions_that_meet_are_one() {
        assert_eq!(united(vec![change(44, 51, ""), change(36, 45, "")]), [change(36, 51, "")]);
        assert_eq!(united(vec![change(3, 9, ""), change(3, 9, ""), change(4, 6, "")]), [change(3, 9, "")]);
        assert_eq!(united(vec![change(3, 5, ""), change(5, 9, "")]), [change(3, 5, ""), change(5, 9, "")]);
    }

    #[test]
    fn what_is_replaced_anyhow_is_not_deleted_besides() {
        assert_eq!(united(vec![change(3, 9, "x"), change(4, 6, "")]), [change(3, 9, "x")]);
        assert_eq!(united(vec![change(3, 9, "x"), change(8, 12, "")]), [change(3, 9, "x"), change(9, 12, "")]);
        assert_eq!(united(vec![change(3, 5, ""), change(3, 9, "x")]), [change(3, 9, "x")]);
    }

    #[test]
    fn texts_that_contradict_each_other_and_insertions_stay() {
        let both = vec![change(3, 9, "x"), change(5, 9, "y")];
        assert_eq!(united(both.clone()), both);
        let insertions = vec![change(3, 3, "b"), change(3, 3, "a"), change(3, 5, "")];
        assert_eq!(united(insertions.clone()), insertions);
    }
}
