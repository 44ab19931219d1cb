//! Unified diffs that `git apply` takes.

use std::fmt::Write;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::files::Change;

/// Lines around a change.
const CONTEXT: usize = 3;

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// Only before.
    Removed,
    /// Only after.
    Added,
}

impl LineKind {
    /// The character before the text.
    pub fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// Its text with its line end; without one where the file ends there.
    pub text: String,
}

/// Lines that changed, with some around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines before: the first one (1-based; the one above where there is none) and how many.
    pub old: (usize, usize),
    /// Lines after.
    pub new: (usize, usize),
    /// The lines.
    pub lines: Vec<Line>,
}

/// The difference of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The file, relative to the root.
    pub path: String,
    /// The file is made.
    pub is_new: bool,
    /// Hunks in order.
    pub hunks: Vec<Hunk>,
}

impl FileDiff {
    /// The difference that a change makes.
    pub fn of(change: &Change) -> Self {
        let old: Vec<&str> = lines(change.before.as_deref().unwrap_or_default());
        let new: Vec<&str> = lines(&change.after);
        let groups = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT);
        let hunks = groups.iter().map(|operations| hunk(operations, &old, &new)).collect();
        Self { path: change.path.clone(), is_new: change.before.is_none(), hunks }
    }

    /// The lines above the hunks, as git writes them.
    pub fn header(&self) -> Vec<String> {
        let (old, new) = (name("a/", &self.path), name("b/", &self.path));
        let mut out = vec![format!("diff --git {old} {new}")];
        if self.is_new {
            out.push("new file mode 100644".to_owned());
        }
        if !self.hunks.is_empty() {
            // Without the tab, a space would end the name.
            let tab = if self.path.contains(' ') { "\t" } else { "" };
            out.push(if self.is_new { "--- /dev/null".to_owned() } else { format!("--- {old}{tab}") });
            out.push(format!("+++ {new}{tab}"));
        }
        out
    }

    fn write(&self, out: &mut String) {
        for line in self.header() {
            out.push_str(&line);
            out.push('\n');
        }
        for hunk in &self.hunks {
            out.push_str(&hunk.header());
            out.push('\n');
            for line in &hunk.lines {
                out.push(line.kind.sign());
                out.push_str(&line.text);
                if !line.text.ends_with('\n') {
                    out.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
    }
}

impl Hunk {
    /// `@@ -1,3 +1,4 @@`.
    pub fn header(&self) -> String {
        let side = |(first, count): (usize, usize)| match count {
            1 => first.to_string(),
            _ => format!("{first},{count}"),
        };
        format!("@@ -{} +{} @@", side(self.old), side(self.new))
    }
}

/// The diff of some changes as a patch.
pub fn patch<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let mut out = String::new();
    for change in changes {
        FileDiff::of(change).write(&mut out);
    }
    out
}

/// Lines with their ends. Only `\n` ends one, as git has it.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(operations: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |kind: LineKind, texts: &[&str]| {
        lines.extend(texts.iter().map(|text| Line { kind, text: (*text).to_owned() }));
    };
    for operation in operations {
        match operation {
            DiffOp::Equal { .. } => add(LineKind::Context, &old[operation.old_range()]),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                add(LineKind::Removed, &old[operation.old_range()]);
                add(LineKind::Added, &new[operation.new_range()]);
            }
        }
    }
    // Counted, since an operation without lines on one side does not always tell its place there.
    let side = |start: usize, not: LineKind| {
        let count = lines.iter().filter(|line| line.kind != not).count();
        (if count == 0 { start } else { start + 1 }, count)
    };
    let start = |of: fn(&DiffOp) -> Range<usize>| operations.first().map_or(0, |operation| of(operation).start);
    let old = side(start(DiffOp::old_range), LineKind::Added);
    let new = side(start(DiffOp::new_range), LineKind::Removed);
    Hunk { old, new, lines }
}

/// A name as git writes it: quoted where a byte of it is not plain.
fn name(prefix: &str, path: &str) -> String {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if path.bytes().all(plain) {
        return format!("{prefix}{path}");
    }
    let mut out = format!("\"{prefix}");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', byte as char]),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            _ if plain(byte) => out.push(byte as char),
            _ => write!(out, "\\{byte:03o}").expect("a text takes everything"),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: Option<&str>, after: &str) -> Change {
        Change { path: path.to_owned(), before: before.map(Into::into), after: after.into() }
    }

    #[test]
    fn a_change_in_the_middle_has_three_lines_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n\
                        @@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(patch([&change("a.ts", Some(before), &before.replace('5', "five"))]), expected);
    }

    #[test]
    fn a_missing_line_end_is_said_on_the_side_where_it_is_missing() {
        let expected = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n";
        assert_eq!(patch([&change("a", Some("x"), "x\n")]), expected);
    }

    #[test]
    fn a_new_file_says_so() {
        let expected = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\r\n+y\n";
        assert_eq!(patch([&change("n", None, "x\r\ny\n")]), expected);
        assert_eq!(patch([&change("n", None, "")]), "diff --git a/n b/n\nnew file mode 100644\n");
    }

    #[test]
    fn names_are_quoted_as_git_does() {
        assert_eq!(name("a/", "x y.ts"), "a/x y.ts");
        assert_eq!(name("a/", "caf\u{e9}\t\"q\"\\.ts"), "\"a/caf\\303\\251\\t\\\"q\\\"\\\\.ts\"");
        let diff = FileDiff::of(&change("x y.ts", Some("a"), "b"));
        assert_eq!(diff.header(), ["diff --git a/x y.ts b/x y.ts", "--- a/x y.ts\t", "+++ b/x y.ts\t"]);
    }
}
