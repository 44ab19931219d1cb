//! Changes of a text that is the result of changes: what is taken out of it or put into it, as changes of the text before.

use crate::model::facts::Span;
use crate::render::Change;

/// A stretch of the result.
enum Piece {
    /// Bytes of the text before.
    Kept(usize, usize),
    /// A change: the bytes that go, and what comes instead.
    Changed(usize, usize, String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Kept(from, to) => to - from,
            Self::Changed(_, _, text) => text.len(),
        }
    }
}

/// A text with changes, which takes more of them in terms of its result.
pub struct Revision<'t> {
    path: String,
    text: &'t str,
    pieces: Vec<Piece>,
}

impl<'t> Revision<'t> {
    /// The changes must not overlap.
    pub fn new(path: &str, text: &'t str, changes: &[Change]) -> Self {
        let mut sorted: Vec<&Change> = changes.iter().collect();
        sorted.sort_by_key(|change| (change.span.start, change.span.end));
        let (mut pieces, mut at) = (Vec::new(), 0);
        for change in sorted {
            let (start, end) = (change.span.start as usize, change.span.end as usize);
            if at < start {
                pieces.push(Piece::Kept(at, start));
            }
            pieces.push(Piece::Changed(start, end, change.text.clone()));
            at = end.max(at);
        }
        if at < text.len() {
            pieces.push(Piece::Kept(at, text.len()));
        }
        Self { path: path.to_owned(), text, pieces }
    }

    /// The result.
    pub fn result(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Kept(from, to) => self.text[*from..*to].to_owned(),
            Piece::Changed(_, _, text) => text.clone(),
        };
        self.pieces.iter().map(text).collect()
    }

    /// The stretches of the result that are not of the text before, an empty one where only something was taken away.
    pub fn changed(&self) -> Vec<(usize, usize)> {
        let mut at = 0;
        let mut out = Vec::new();
        for piece in &self.pieces {
            if let Piece::Changed(_, _, text) = piece {
                out.push((at, at + text.len()));
            }
            at += piece.len();
        }
        out
    }

    /// Takes a stretch of the result out. Stretches have to be taken out from the last to the first.
    pub fn cut(&mut self, from: usize, to: usize) {
        let mut at = 0;
        let mut out = Vec::new();
        for piece in std::mem::take(&mut self.pieces) {
            let (start, end) = (at, at + piece.len());
            at = end;
            let (first, last) = (from.clamp(start, end), to.clamp(start, end));
            if first == last {
                out.push(piece);
                continue;
            }
            match piece {
                Piece::Kept(own, own_end) => {
                    let (a, b) = (own + first - start, own + last - start);
                    out.extend((own < a).then_some(Piece::Kept(own, a)));
                    out.push(Piece::Changed(a, b, String::new()));
                    out.extend((b < own_end).then_some(Piece::Kept(b, own_end)));
                }
                Piece::Changed(own, own_end, text) => {
                    let rest = format!("{}{}", &text[..first - start], &text[last - start..]);
                    out.push(Piece::Changed(own, own_end, rest));
                }
            }
        }
        self.pieces = out;
    }

    /// Puts a text into the result.
    pub fn insert(&mut self, place: usize, new: &str) {
        let mut at = 0;
        let mut out = Vec::new();
        let mut done = false;
        for piece in std::mem::take(&mut self.pieces) {
            let (start, end) = (at, at + piece.len());
            at = end;
            if done || place < start || place > end || (place == end && start < end) {
                out.push(piece);
                continue;
            }
            done = true;
            match piece {
                Piece::Kept(own, own_end) => {
                    let middle = own + place - start;
                    out.extend((own < middle).then_some(Piece::Kept(own, middle)));
                    out.push(Piece::Changed(middle, middle, new.to_owned()));
                    out.extend((middle < own_end).then_some(Piece::Kept(middle, own_end)));
                }
                Piece::Changed(own, own_end, text) => {
                    let text = format!("{}{new}{}", &text[..place - start], &text[place - start..]);
                    out.push(Piece::Changed(own, own_end, text));
                }
            }
        }
        self.pieces = out;
    }

    /// All as changes of the text before; those that touch are one.
    pub fn changes(self) -> Vec<Change> {
        let mut out: Vec<Change> = Vec::new();
        for piece in self.pieces {
            let Piece::Changed(from, to, text) = piece else { continue };
            match out.last_mut().filter(|last| last.span.end as usize == from) {
                Some(last) => {
                    last.span.end = to as u32;
                    last.text.push_str(&text);
                }
                None => out.push(Change { path: self.path.clone(), span: Span::new(from, to), text }),
            }
        }
        out.retain(|change| change.span.start < change.span.end || !change.text.is_empty());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(start: usize, end: usize, text: &str) -> Change {
        Change { path: "a.ts".to_owned(), span: Span::new(start, end), text: text.to_owned() }
    }

    fn apply(text: &str, changes: &[Change]) -> String {
        Revision::new("a.ts", text, changes).result()
    }

    #[test]
    fn what_is_done_to_the_result_is_done_to_the_text_before() {
        let text = "one two three four\n";
        let mut revision = Revision::new("a.ts", text, &[change(4, 7, "2"), change(8, 8, "and ")]);
        assert_eq!(revision.result(), "one 2 and three four\n");
        revision.cut(16, 20);
        revision.cut(2, 8);
        assert_eq!(revision.result(), "ond three \n");
        revision.insert(0, "<");
        revision.insert(2, "*");
        assert_eq!(revision.result(), "<o*nd three \n");
        let changes = revision.changes();
        assert_eq!(apply(text, &changes), "<o*nd three \n");
        assert!(changes.windows(2).all(|pair| pair[0].span.end < pair[1].span.start), "{changes:?}");
    }
}
