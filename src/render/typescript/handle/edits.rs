//! Changes as they are collected: small ones that stand side by side, and cuts that swallow what lies within them.

use crate::model::facts::Span;
use crate::render::Change;
use crate::render::typescript::script::Script;

/// Collected changes of all files.
#[derive(Default)]
pub struct Edits {
    changes: Vec<Change>,
}

impl Edits {
    /// Adds a change.
    pub fn push(&mut self, change: Change) {
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    /// Adds changes.
    pub fn extend(&mut self, changes: impl IntoIterator<Item = Change>) {
        changes.into_iter().for_each(|change| self.push(change));
    }

    /// Takes a stretch out.
    pub fn cut(&mut self, script: &Script, span: Span) {
        self.push(script.change(span, ""));
    }

    /// Puts a text in.
    pub fn insert(&mut self, script: &Script, at: usize, text: impl Into<String>) {
        self.push(script.change(Span::new(at, at), text));
    }

    /// Puts a text in the place of a stretch.
    pub fn replace(&mut self, script: &Script, span: Span, text: impl Into<String>) {
        self.push(script.change(span, text));
    }

    /// Whether a stretch lies within something that goes or is written anew.
    pub fn covers(&self, path: &str, span: Span) -> bool {
        self.changes
            .iter()
            .any(|change| change.path == path && change.span.start < change.span.end && change.span.contains(span))
    }

    /// Whether code that is put in calls a function.
    pub fn call(&self, function: &str) -> bool {
        self.changes.iter().any(|change| change.text.contains(&format!("{function}(")))
    }

    /// The changes of one file, in order, without those that lie within a larger one.
    pub fn of(&self, path: &str) -> Vec<Change> {
        let own: Vec<&Change> = self.changes.iter().filter(|change| change.path == path).collect();
        let swallowed = |change: &Change| {
            own.iter().any(|other| {
                other.span != change.span
                    && other.span.start < other.span.end
                    && other.span.contains(change.span)
                    && (change.span.start < change.span.end
                        || (other.span.start < change.span.start && change.span.end < other.span.end))
            })
        };
        let mut kept: Vec<Change> =
            own.iter().filter(|change| !swallowed(change)).map(|change| (*change).clone()).collect();
        kept.sort_by_key(|change| (change.span.start, change.span.end));
        let mut out: Vec<Change> = Vec::new();
        for change in kept {
            match out.last_mut() {
                Some(last) if last.span == change.span && change.span.start == change.span.end => {
                    last.text += &change.text
                }
                // Neighbours that go, each with the blank line between them.
                Some(last)
                    if last.text.is_empty()
                        && change.text.is_empty()
                        && change.span.start < last.span.end
                        && last.span.end < change.span.end =>
                {
                    last.span.end = change.span.end;
                }
                _ => out.push(change),
            }
        }
        out
    }

    /// Where code that is put in within a stretch has a text, in order.
    pub fn with_text(&self, path: &str, within: Span, text: &str) -> Vec<Span> {
        let own = self.of(path);
        let mut out: Vec<Span> = own
            .iter()
            .filter(|change| within.contains(change.span) && change.text.contains(text))
            .map(|change| change.span)
            .collect();
        out.sort_by_key(|span| span.start);
        out
    }

    /// Writes a text in the place of another in all code that is put in within a stretch.
    pub fn rewrite(&mut self, path: &str, within: Span, from: &str, to: &str) {
        let own = |change: &&mut Change| change.path == path && within.contains(change.span);
        self.changes.iter_mut().filter(own).for_each(|change| change.text = change.text.replace(from, to));
    }

    /// Paths that are changed.
    pub fn paths(&self) -> Vec<String> {
        let mut out: Vec<String> = self.changes.iter().map(|change| change.path.clone()).collect();
        out.sort();
        out.dedup();
        out
    }
}
