//! Edits of one file that fit into each other: cuts within cuts, and lines that move to the left by more than one unwrapping.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::model::facts::Span;
use crate::render::Change;
use crate::render::typescript::script::{Script, span};

/// The edits of a file.
#[derive(Clone, Default)]
pub struct Edits {
    cuts: Vec<(Span, String)>,
    /// By how many bytes the line that begins here moves to the left.
    dedents: BTreeMap<usize, usize>,
}

impl Edits {
    /// Puts a text in the place of a span.
    pub fn replace(&mut self, at: Span, text: impl Into<String>) {
        self.cuts.push((at, text.into()));
    }

    /// Takes a span away.
    pub fn cut(&mut self, at: Span) {
        if at.start < at.end {
            self.replace(at, "");
        }
    }

    /// Puts a text in.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(Span::new(at, at), text);
    }

    /// Puts a text in before all that is put in at the same place.
    pub fn insert_first(&mut self, at: usize, text: impl Into<String>) {
        self.cuts.insert(0, (Span::new(at, at), text.into()));
    }

    /// Puts another wording in the place of one in the texts that are put in.
    pub fn reword(&mut self, old: &str, new: &str) {
        for (_, text) in &mut self.cuts {
            *text = text.replacen(old, new, 1);
        }
    }

    /// The text of a node with the edits within it.
    pub fn edited(&self, script: &Script, node: Node<'_>) -> String {
        let own = span(node);
        let mut within: Vec<&(Span, String)> = self.cuts.iter().filter(|(cut, _)| own.contains(*cut)).collect();
        within.sort_by_key(|(cut, _)| (cut.start, std::cmp::Reverse(cut.end)));
        let (mut out, mut at) = (String::new(), own.start);
        for (cut, text) in within {
            if cut.start >= at {
                out.push_str(script.slice(Span { start: at, end: cut.start }));
                out.push_str(text);
                at = cut.end;
            }
        }
        out.push_str(script.slice(Span { start: at, end: own.end }));
        out
    }

    /// Whether a declaration is put in at a place.
    pub fn declares_again(&self, at: usize) -> bool {
        self.cuts.iter().any(|(cut, text)| cut.start as usize == at && text.starts_with("const "))
    }

    /// Whether a text is put in at a place.
    pub fn inserts(&self, at: usize, wanted: &str) -> bool {
        self.cuts.iter().any(|(cut, text)| *cut == Span::new(at, at) && text == wanted)
    }

    /// Whether a node is gone as a whole.
    pub fn gone(&self, node: Node<'_>) -> bool {
        self.covers(span(node))
    }

    /// Whether a node is gone as a whole, and nothing took its place.
    pub fn erased(&self, node: Node<'_>) -> bool {
        let mut around = self.cuts.iter().filter(|(cut, _)| cut.contains(span(node))).peekable();
        around.peek().is_some() && around.all(|(_, text)| text.is_empty())
    }

    /// Whether a span is gone as a whole, or something took its place.
    pub fn covers(&self, what: Span) -> bool {
        what.start < what.end && self.cuts.iter().any(|(cut, _)| cut.contains(what))
    }

    /// Whether something within a span is gone, or something is put into it.
    pub fn touches(&self, what: Span) -> bool {
        self.cuts.iter().any(|(cut, _)| cut.start < what.end && what.start <= cut.end)
    }

    /// What is gone, or something else took the place of.
    pub fn spans(&self) -> Vec<Span> {
        self.cuts.iter().map(|(at, _)| *at).filter(|at| at.start < at.end).collect()
    }

    /// Whether an edit lies within a span, or shares a part of it.
    pub fn crosses(&self, what: Span) -> bool {
        self.cuts.iter().any(|(at, _)| {
            let empty = at.start == at.end || what.start == what.end;
            if empty && (at.start == what.start || at.end == what.end) {
                return false;
            }
            at.start < what.end && what.start < at.end
        })
    }

    /// How many edits there are.
    pub fn count(&self) -> usize {
        self.cuts.len()
    }

    /// The white space that the line of a node will begin with.
    pub fn indentation<'s>(&self, script: &'s Script, node: Node<'_>) -> &'s str {
        let have = script.indentation(node);
        let by = self.dedents.get(&script.line_start(node.start_byte())).copied().unwrap_or(0);
        &have[..have.len().saturating_sub(by)]
    }

    /// Takes the text around `inner` away, so that it stands in the place of `outer`, and moves its lines to the left.
    pub fn unwrap(&mut self, script: &Script, outer: Node<'_>, inner: Node<'_>) {
        let text = script.text();
        let block = inner.kind() == "statement_block";
        let (open, close) =
            if block { (inner.start_byte() + 1, inner.end_byte() - 1) } else { (inner.start_byte(), inner.end_byte()) };
        let body = &text[open..close];
        if !block || !body.contains('\n') {
            let from = open + body.len() - body.trim_start().len();
            let to = close - (body.len() - body.trim_end().len());
            self.cut(Span::new(outer.start_byte(), from.min(to)));
            self.cut(Span::new(to.max(from), outer.end_byte()));
            if !block {
                self.shift(script, inner, script.indentation(inner).len(), script.indentation(outer).len());
            }
            return;
        }
        let first = script.line_end(open);
        let last = script.line_start(close);
        let head = &text[open..first];
        if head.trim().is_empty() {
            self.cut(Span::new(script.line_start(outer.start_byte()), first));
        } else {
            // A comment behind the brace, or a statement.
            let kept = open + head.len() - head.trim_start().len();
            self.cut(Span::new(outer.start_byte(), kept));
        }
        let end = script.line_end(outer.end_byte());
        if text[outer.end_byte()..end].trim().is_empty() && text[last..close].trim().is_empty() {
            self.cut(Span::new(last, end));
        } else {
            let kept = close - (body.len() - body.trim_end().len());
            self.cut(Span::new(kept, outer.end_byte()));
        }
        let inside = text[first..last].lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        let deep = inside.len() - inside.trim_start_matches([' ', '\t']).len();
        let by = deep.saturating_sub(script.indentation(outer).len());
        self.dedent(script, inner, first..last, by);
    }

    /// The lines of some statements in the place of the whole statement around them.
    pub fn unwrap_lines(&mut self, script: &Script, outer: Node<'_>, first: Node<'_>, last: Node<'_>) {
        let from = script.line_start(first.start_byte());
        let to = script.line_end(last.end_byte());
        let text = script.text();
        if from < outer.start_byte() || text[from..first.start_byte()].trim() != "" {
            self.cut(Span::new(outer.start_byte(), first.start_byte()));
            self.cut(Span::new(last.end_byte(), outer.end_byte()));
            return;
        }
        self.cut(Span::new(script.line_start(outer.start_byte()), from));
        self.cut(Span::new(to, script.line_end(outer.end_byte())));
        let by = script.indentation(first).len().saturating_sub(script.indentation(outer).len());
        self.dedent(script, outer, from..to, by);
    }

    /// Moves the lines of a node, but the first, from one indentation to another.
    fn shift(&mut self, script: &Script, node: Node<'_>, from: usize, to: usize) {
        let first = script.line_end(node.start_byte());
        if first < node.end_byte() {
            self.dedent(script, node, first..node.end_byte(), from.saturating_sub(to));
        }
    }

    fn dedent(&mut self, script: &Script, within: Node<'_>, lines: std::ops::Range<usize>, by: usize) {
        let mut at = lines.start;
        while at < lines.end {
            if !in_template(within, at) {
                *self.dedents.entry(at).or_default() += by;
                self.shift_texts(at..script.line_end(at), by);
            }
            at = script.line_end(at);
        }
    }

    /// What was put into a line before it moves, moves with it.
    fn shift_texts(&mut self, line: std::ops::Range<usize>, by: usize) {
        for (at, text) in &mut self.cuts {
            if line.contains(&(at.start as usize)) && text.contains('\n') {
                *text = moved_left(text, by);
            }
        }
    }

    /// All as changes that do not touch each other.
    pub fn finish(self, script: &Script) -> Vec<Change> {
        let mut cuts = self.cuts;
        cuts.sort_by_key(|(at, _)| (at.start, std::cmp::Reverse(at.end)));
        let mut out: Vec<Change> = Vec::new();
        for (at, text) in cuts {
            match out.last_mut() {
                // Within what is gone already.
                Some(last)
                    if last.span.end >= at.end && last.span.start < last.span.end && at.start < last.span.end => {}
                Some(last) if at.start < last.span.end => {
                    last.span.end = at.end;
                    last.text.push_str(&text);
                }
                Some(last) if at.start == last.span.end => {
                    last.span.end = at.end;
                    last.text.push_str(&text);
                }
                _ => out.push(script.change(at, text)),
            }
        }
        let mut moved = Vec::new();
        for (line, by) in self.dedents {
            let rest = &script.text()[line..];
            let have = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let at = Span::new(line, line + by.min(have));
            let touched = out.iter().any(|change| change.span.start < at.end && at.start < change.span.end);
            if at.start < at.end && !touched {
                moved.push(script.change(at, ""));
            }
        }
        out.extend(moved);
        out.sort_by_key(|change| (change.span.start, change.span.end));
        merged(out)
    }
}

/// A text whose lines, but the first, lose some of the white space that they begin with.
fn moved_left(text: &str, by: usize) -> String {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let have = line.len() - line.trim_start_matches([' ', '\t']).len();
        out.push('\n');
        out.push_str(&line[by.min(have)..]);
    }
    out
}

/// The changes of a file in order, those that meet made one, without the doubled blank line that two removals side by side leave.
pub fn settled(script: &Script, mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by_key(|change| (change.span.start, change.span.end));
    let text = script.text();
    let mut out = merged(changes);
    for change in &mut out {
        let (start, end) = (change.span.start as usize, change.span.end as usize);
        let before = &text[..start];
        let opens = before.ends_with('\n') && before.trim_end().ends_with(['{', '[', '(']);
        let blank_before = before.ends_with("\n\n") || before.ends_with("\n\r\n") || start == 0 || opens;
        let next = &text[end..script.line_end(end)];
        if change.text.is_empty() && start < end && blank_before && !next.is_empty() && next.trim().is_empty() {
            change.span.end = script.line_end(end) as u32;
        } else if change.text.is_empty() && start < end && blank_before && !opens && next.trim_start().starts_with('}')
        {
            // No blank line before what closes a block.
            let kept = before.trim_end_matches(['\n', '\r', ' ', '\t']).len();
            change.span.start = script.line_end(kept) as u32;
        }
    }
    out
}

/// Changes that meet become one.
fn merged(changes: Vec<Change>) -> Vec<Change> {
    let mut out: Vec<Change> = Vec::new();
    for change in changes {
        match out.last_mut() {
            Some(last) if last.span.end == change.span.start => {
                last.span.end = change.span.end;
                last.text.push_str(&change.text);
            }
            _ => out.push(change),
        }
    }
    out
}

/// Whether a line begins within a template string: its white space is part of a value.
fn in_template(within: Node<'_>, line: usize) -> bool {
    let Some(mut node) = within.descendant_for_byte_range(line, line) else { return false };
    loop {
        match node.kind() {
            "template_string" if node.start_byte() < line => return true,
            "template_substitution" => return false,
            _ => {}
        }
        match node.parent() {
            Some(parent) if node != within => node = parent,
            _ => return false,
        }
    }
}

/// What has to go with an element of a list: its comma, and, where it has its line to itself, that and the comments right above it.
pub fn item(script: &Script, node: Node<'_>) -> Span {
    let mut own = item_alone(script, node);
    let mut before = node.prev_sibling();
    while let Some(comment) = before.filter(|before| before.kind() == "comment") {
        let line = script.line_start(comment.start_byte());
        let leads = own.start as usize == script.line_start(own.start as usize)
            && script.line_end(comment.end_byte()) == own.start as usize
            && script.text()[line..comment.start_byte()].trim().is_empty();
        if !leads {
            break;
        }
        own.start = line as u32;
        before = comment.prev_sibling();
    }
    own
}

/// What has to go with an element of a list: its comma, and, where it has it to itself, its line.
pub fn item_alone(script: &Script, node: Node<'_>) -> Span {
    let text = script.text();
    let mut end = node.end_byte();
    let after = text[end..].len() - text[end..].trim_start().len();
    let comma = text[end + after..].starts_with(',');
    let line = script.line_start(node.start_byte());
    let alone = text[line..node.start_byte()].trim().is_empty();
    if comma {
        end += after + 1;
    }
    let rest = script.line_end(end);
    let behind = text[end..rest].trim();
    if alone && (behind.is_empty() || behind.starts_with("//")) {
        return Span::new(line, rest);
    }
    if comma {
        let spaces = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        return Span::new(node.start_byte(), end + spaces);
    }
    // The last one: the comma before it goes.
    let before = text[..node.start_byte()].trim_end();
    let start = before.strip_suffix(',').map_or(node.start_byte(), str::len);
    Span::new(start, end)
}
