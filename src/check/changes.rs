//! Which lines count as changed, file by file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::diff::{self, FileDiff, Hunk, Lines};
use super::error::CheckError;
use crate::workspace::paths;

/// Added and changed lines, by path as seen from the scan's root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    files: BTreeMap<String, Change>,
    /// Files whose working copy differs from what is staged.
    pub unstaged: Vec<String>,
}

/// What changed in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Change {
    /// All of it counts.
    whole: bool,
    /// It did not exist before.
    created: bool,
    /// Added and changed lines.
    lines: Vec<Lines>,
    /// Diffs that lead back to the text before, the last step first.
    back: Vec<FileDiff>,
}

/// The file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Before {
    /// It is as it was.
    Same,
    /// It was not there.
    Missing,
    /// It had this text.
    Text(String),
    /// That can't be told.
    Unknown,
}

impl Changes {
    /// What a diff says that somebody else made. Its paths are looked for in the repository, the current folder, and the root.
    pub fn from_diff(bytes: &[u8], root: &Path) -> Result<Self, CheckError> {
        let files = parse(bytes)?;
        let repository = root.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned);
        let here = std::env::current_dir().and_then(std::fs::canonicalize).ok();
        let bases: Vec<PathBuf> = repository.into_iter().chain(here).chain([root.to_owned()]).collect();
        let present = |base: &Path, strip: bool| {
            let paths = files.iter().filter_map(|file| named(file, strip));
            paths.filter(|path| base.join(path).is_file()).count()
        };
        let mut best = (0, bases[0].clone(), false);
        for base in &bases {
            for strip in [false, true] {
                let count = present(base, strip);
                if count > best.0 {
                    best = (count, base.clone(), strip);
                }
            }
        }
        let (_, base, strip) = best;
        let mut changes = Self::default();
        for mut file in files {
            file.new = named(&file, strip);
            changes.add(file, &base, root);
        }
        Ok(changes)
    }

    /// Takes in what a diff says of a file; `base` is the folder that its paths are relative to.
    pub(super) fn add(&mut self, file: FileDiff, base: &Path, root: &Path) {
        let Some(new) = &file.new else { return };
        let path = seen_from(root, &base.join(new));
        let mut change = Change::of(&file);
        change.back = vec![file];
        self.files.insert(path, change);
    }

    /// Takes in a file that changed twice: its lines are those that the first change left, where the second one put them.
    pub(super) fn add_twice(&mut self, file: FileDiff, after: FileDiff, base: &Path, root: &Path) {
        let Some(new) = &after.new else { return };
        let path = seen_from(root, &base.join(new));
        let mut change = Change::of(&file);
        change.lines = change.lines.iter().flat_map(|lines| carry(*lines, &after.hunks)).collect();
        change.back = vec![after, file];
        self.unstaged.push(path.clone());
        self.files.insert(path, change);
    }

    /// Takes in a file that was not there before.
    pub(super) fn add_new(&mut self, path: String) {
        self.files.insert(path, Change { whole: true, created: true, ..Change::default() });
    }

    /// Whether one of the lines `first..=last` of a file was added or changed.
    pub fn touches(&self, path: &str, first: u32, last: u32) -> bool {
        let Some(change) = self.files.get(path) else { return false };
        change.whole || change.lines.iter().any(|lines| lines.start <= last && first < lines.end())
    }

    /// Whether a file is among the changed ones.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// A file as it was before, from its text now.
    pub fn before(&self, path: &str, now: &str) -> Before {
        let Some(change) = self.files.get(path) else { return Before::Same };
        if change.created {
            return Before::Missing;
        }
        let mut text = now.to_owned();
        for diff in &change.back {
            match diff.undo(&text) {
                Some(older) if !diff.binary => text = older,
                _ => return Before::Unknown,
            }
        }
        Before::Text(text)
    }
}

impl Change {
    fn of(file: &FileDiff) -> Self {
        let created = file.old.is_none();
        Self {
            whole: created || file.binary,
            created,
            lines: file.hunks.iter().map(|hunk| hunk.new).filter(|lines| lines.count > 0).collect(),
            back: Vec::new(),
        }
    }
}

/// Reads a unified diff.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<FileDiff>, CheckError> {
    diff::parse(bytes).map_err(|error| {
        CheckError::new(
            format!("the diff can't be read: {error}"),
            "A unified diff is needed, for instance that of `git diff -U0 main...HEAD`.",
        )
    })
}

/// A path in the form of findings.
fn seen_from(root: &Path, path: &Path) -> String {
    paths::relative(path, root)
}

/// The new name of a file, without its first folder where the whole diff has one too many.
fn named(file: &FileDiff, strip: bool) -> Option<String> {
    let new = file.new.as_deref()?;
    match strip && !file.stripped {
        true => new.split_once('/').map(|(_, rest)| rest.to_owned()),
        false => Some(new.to_owned()),
    }
}

/// Where lines of the old side of some hunks stand on the new side; those that changed again are gone.
fn carry(lines: Lines, hunks: &[Hunk]) -> Vec<Lines> {
    let mut out: Vec<Lines> = Vec::new();
    for line in lines.start..lines.end() {
        let mut at = Some(i64::from(line));
        for hunk in hunks {
            if hunk.old.end() <= line {
                at = at.map(|at| at + i64::from(hunk.new.count) - i64::from(hunk.old.count));
            } else if hunk.old.start <= line {
                at = None;
            }
        }
        let Some(start) = at.and_then(|at| u32::try_from(at).ok()) else { continue };
        match out.last_mut() {
            Some(last) if last.end() == start => last.count += 1,
            _ => out.push(Lines { start, count: 1 }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: u32, count: u32) -> Lines {
        Lines { start, count }
    }

    #[test]
    fn staged_lines_move_with_later_changes() {
        let hunk = |old, new| Hunk { old, new, ..Hunk::default() };
        let hunks = [hunk(lines(3, 0), lines(3, 2)), hunk(lines(6, 1), lines(8, 1)), hunk(lines(9, 2), lines(11, 0))];
        assert_eq!(carry(lines(1, 2), &hunks), [lines(1, 2)]);
        assert_eq!(carry(lines(2, 2), &hunks), [lines(2, 1), lines(5, 1)]);
        assert_eq!(carry(lines(5, 3), &hunks), [lines(7, 1), lines(9, 1)]);
        assert_eq!(carry(lines(9, 3), &hunks), [lines(11, 1)]);
        assert_eq!(carry(lines(9, 2), &hunks), []);
    }

    #[test]
    fn touching() {
        let diff = b"--- a/x.ts\n+++ b/x.ts\n@@ -4,0 +5,2 @@\n+a\n+b\n@@ -9 +11,0 @@\n-gone\n";
        let mut changes = Changes::default();
        for file in parse(diff).expect("a diff") {
            changes.add(file, Path::new("/r"), Path::new("/r"));
        }
        let hits = |first, last| changes.touches("x.ts", first, last);
        assert!(!hits(1, 4) && hits(1, 5) && hits(6, 6) && hits(6, 9) && !hits(7, 20));
        assert!(!changes.touches("y.ts", 1, 100));
    }

    #[test]
    fn paths_are_found_whatever_their_prefix() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("a path");
        std::fs::create_dir_all(root.join("a/src")).expect("folders");
        std::fs::write(root.join("a/src/x.ts"), "a\n").expect("a file");
        for (old, new) in
            [("a/a/src/x.ts", "b/a/src/x.ts"), ("a/src/x.ts", "a/src/x.ts"), ("p/a/src/x.ts", "q/a/src/x.ts")]
        {
            let diff = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-b\n+a\n");
            let changes = Changes::from_diff(diff.as_bytes(), &root).expect("a diff");
            assert!(changes.touches("a/src/x.ts", 1, 1), "{old}: {changes:?}");
            assert_eq!(changes.before("a/src/x.ts", "a\n"), Before::Text("b\n".to_owned()));
        }
    }
}
