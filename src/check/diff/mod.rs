//! Unified diffs: which lines of which files were added or changed.
//!
//! What git writes is read in full (renames, new and deleted files, binaries, quoted names); plain `diff -u` output is read too.

mod names;

use std::fmt;

use names::Names;

/// What became of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path before; `None` for a new file.
    pub old: Option<String>,
    /// Its path now; `None` for a deleted file.
    pub new: Option<String>,
    /// The prefix (`a/`, `b/`) was recognised and taken off.
    pub stripped: bool,
    /// The bytes are no text: which lines changed is not known.
    pub binary: bool,
    /// What changed, top down.
    pub hunks: Vec<Hunk>,
}

/// A run of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// The first line, from 1; where there are none, the line after which they would stand.
    pub start: u32,
    /// How many.
    pub count: u32,
}

impl Lines {
    /// One past the last line.
    pub fn end(self) -> u32 {
        self.start.saturating_add(self.count)
    }
}

/// Lines that were replaced by others, without any context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old file.
    pub old: Lines,
    /// Lines of the new file.
    pub new: Lines,
    /// The old lines, without line feeds.
    pub removed: Vec<String>,
    /// The old lines end the file, without a line feed.
    pub old_ends_bare: bool,
}

/// Why a text is no diff that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffError {
    /// 1-based line of the diff.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for DiffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for DiffError {}

/// Parses a diff. A text without any diff in it is an error, unless it is blank: then nothing has changed.
pub fn parse(bytes: &[u8]) -> Result<Vec<FileDiff>, DiffError> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
    let mut reader = Reader { lines: &lines, at: 0, files: Vec::new(), names: Names::default(), open: false };
    reader.read()?;
    reader.close();
    if reader.files.is_empty() && !text.trim().is_empty() {
        return Err(DiffError { line: 1, message: "this is no unified diff".to_owned() });
    }
    Ok(reader.files)
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    files: Vec<FileDiff>,
    /// Names of the file that is being read.
    names: Names,
    /// A file is being read: the last of `files`.
    open: bool,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), DiffError> {
        while let Some(line) = self.lines.get(self.at) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some(rest) = line.strip_prefix("diff --git ") {
                self.begin();
                self.names.header(rest);
            } else if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") || line.starts_with("@@@")
            {
                return Err(
                    self.error("this is the combined diff of a merge; give the diff from the merge base instead")
                );
            } else if let Some(name) = line.strip_prefix("--- ") {
                let next = self.lines.get(self.at + 1).and_then(|next| next.strip_prefix("+++ "));
                if let Some(next) = next {
                    // Without a `diff --git` line each pair of names begins a file.
                    if !self.open || self.names.has_pair() {
                        self.begin();
                    }
                    self.names.pair(name, next.strip_suffix('\r').unwrap_or(next));
                    self.at += 1;
                }
            } else if line.starts_with("@@ -") && self.open {
                self.hunk(line)?;
                continue;
            } else if self.open {
                if line.starts_with("Binary files ") || line == "GIT binary patch" {
                    self.file().binary = true;
                } else {
                    self.names.extended(line);
                }
            }
            self.at += 1;
        }
        Ok(())
    }

    fn begin(&mut self) {
        self.close();
        self.files.push(FileDiff::default());
        self.names = Names::default();
        self.open = true;
    }

    /// Gives the file its names. One without any is left out.
    fn close(&mut self) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let names = std::mem::take(&mut self.names).settle();
        let file = self.file();
        (file.old, file.new, file.stripped) = (names.old, names.new, names.stripped);
        if file.old.is_none() && file.new.is_none() {
            self.files.pop();
        }
    }

    fn file(&mut self) -> &mut FileDiff {
        if self.files.is_empty() {
            self.files.push(FileDiff::default());
        }
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    /// Reads a hunk whose head is `line`, split into runs of changed lines.
    fn hunk(&mut self, line: &str) -> Result<(), DiffError> {
        let (old, new) = ranges(line).ok_or_else(|| self.error("this is no head of a hunk"))?;
        let (mut old_left, mut new_left) = (old.count, new.count);
        // The next line of each side. Of no lines, the head names the one before.
        let mut old_at = if old.count == 0 { old.start.saturating_add(1) } else { old.start };
        let mut new_at = if new.count == 0 { new.start.saturating_add(1) } else { new.start };
        let mut run = Hunk::default();
        self.at += 1;
        while old_left > 0 || new_left > 0 {
            let Some(line) = self.lines.get(self.at) else {
                return Err(self.error("the diff ends in the middle of a hunk"));
            };
            match line.as_bytes().first() {
                Some(b'-') if old_left > 0 => {
                    if run.old.count == 0 && run.new.count == 0 {
                        (run.old.start, run.new.start) = (old_at, new_at);
                    }
                    run.old.count += 1;
                    run.removed.push(line[1..].to_owned());
                    old_at = old_at.saturating_add(1);
                    old_left -= 1;
                }
                Some(b'+') if new_left > 0 => {
                    if run.old.count == 0 && run.new.count == 0 {
                        (run.old.start, run.new.start) = (old_at, new_at);
                    }
                    run.new.count += 1;
                    new_at = new_at.saturating_add(1);
                    new_left -= 1;
                }
                Some(b'\\') => run.old_ends_bare |= run.old.count > 0 && run.new.count == 0,
                // An editor may have taken the blank off an empty line of context.
                Some(b' ' | b'\r') | None if old_left > 0 && new_left > 0 => {
                    self.keep(&mut run);
                    (old_at, new_at) = (old_at.saturating_add(1), new_at.saturating_add(1));
                    (old_left, new_left) = (old_left - 1, new_left - 1);
                }
                _ => return Err(self.error("the hunk has fewer lines than its head says")),
            }
            self.at += 1;
        }
        // The marker may come after the last line that was counted.
        if self.lines.get(self.at).is_some_and(|line| line.starts_with('\\')) {
            run.old_ends_bare |= run.old.count > 0 && run.new.count == 0;
            self.at += 1;
        }
        self.keep(&mut run);
        Ok(())
    }

    fn keep(&mut self, run: &mut Hunk) {
        if run.old.count > 0 || run.new.count > 0 {
            let run = std::mem::take(run);
            self.file().hunks.push(run);
        }
    }

    fn error(&self, message: &str) -> DiffError {
        DiffError { line: self.at + 1, message: message.to_owned() }
    }
}

/// The two ranges of `@@ -1,2 +3,4 @@ …`.
fn ranges(line: &str) -> Option<(Lines, Lines)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some(Lines { start: start.parse().ok()?, count: count.parse().ok()? })
    };
    Some((range(old)?, range(new)?))
}

impl FileDiff {
    /// The text before, from the text now; `None` where the diff does not fit it.
    pub fn undo(&self, now: &str) -> Option<String> {
        let lines: Vec<&str> = now.split('\n').collect();
        let mut out: Vec<&str> = Vec::with_capacity(lines.len());
        let mut at = 0;
        for hunk in &self.hunks {
            let start = (hunk.new.start as usize).checked_sub(1)?;
            out.extend(lines.get(at..start)?);
            out.extend(hunk.removed.iter().map(String::as_str));
            at = start + hunk.new.count as usize;
        }
        let rest = lines.get(at..)?;
        out.extend(rest);
        // A file that ended without a line feed and now ends with one, and the other way round.
        let old_ends_bare = self.hunks.last().is_some_and(|hunk| hunk.old_ends_bare);
        if old_ends_bare && out.last() == Some(&"") {
            out.pop();
        } else if rest.is_empty() && !old_ends_bare && !out.is_empty() {
            out.push("");
        }
        Some(out.join("\n"))
    }
}

#[cfg(test)]
mod tests;
