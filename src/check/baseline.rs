//! A baseline: the findings that a repository lives with for now, so that only new ones fail a check.
//!
//! Findings are counted by file, rule and text of the line, never by line number: moving code changes nothing, and one more
//! of a kind on the same text is one too many.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::CheckError;
use crate::report::sources::Sources;
use crate::rules;
use crate::rules::finding::Finding;
use crate::workspace::paths;

/// The schema id at the head of the file.
pub const SCHEMA: &str = "mcp-migrate/baseline/v1";

/// What is counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Group {
    path: String,
    rule: String,
    group: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    rule: String,
    group: String,
    count: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: String,
    entries: Vec<Entry>,
}

/// A baseline and the file that it is kept in.
#[derive(Debug)]
pub struct Baseline {
    file: PathBuf,
    counts: BTreeMap<Group, u32>,
}

/// What a baseline made of some findings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Absorbed {
    /// Findings that it does not know.
    pub kept: Vec<Finding>,
    /// How many it took in.
    pub known: u32,
    /// How many it speaks of that are there no more.
    pub gone: u32,
}

impl Baseline {
    /// Reads a file. Where it may be written anew, it need not exist yet.
    pub fn load(file: &Path, may_be_new: bool) -> Result<Self, CheckError> {
        let empty = || Self { file: absolute(file), counts: BTreeMap::new() };
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && may_be_new => return Ok(empty()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(CheckError::new(
                    format!("there is no baseline {}", file.display()),
                    "Write one first: the same command with --write-baseline.",
                ));
            }
            Err(error) => return Err(CheckError::file("the baseline", file, &error)),
        };
        let broken = |why: String| {
            CheckError::new(
                format!("the baseline {} can't be read: {why}", file.display()),
                "Take its last version from the repository, or remove it and write a new one with --write-baseline.",
            )
        };
        let document: Document = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if document.schema != SCHEMA {
            return Err(broken(format!("its schema is `{}`, not `{SCHEMA}`", document.schema)));
        }
        let mut baseline = empty();
        for Entry { path, rule, group, count } in document.entries {
            *baseline.counts.entry(Group { path, rule, group }).or_default() += count;
        }
        Ok(baseline)
    }

    /// Takes the findings that are known out. `scanned` tells whether a file and a rule were looked at, and so could be gone.
    pub fn absorb(&self, findings: Vec<Finding>, view: &View<'_>) -> Absorbed {
        let mut left = self.counts.clone();
        let mut out = Absorbed::default();
        for finding in findings {
            match left.get_mut(&view.group(&self.file, &finding)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    out.known += 1;
                }
                _ => out.kept.push(finding),
            }
        }
        let gone = left.iter().filter(|(group, _)| view.covers(&self.file, group));
        out.gone = gone.map(|(_, count)| *count).sum();
        out
    }

    /// Puts the findings in the place of all that was looked at, and writes the file.
    pub fn rewrite(&mut self, findings: &[Finding], view: &View<'_>) -> Result<(), CheckError> {
        self.counts.retain(|group, count| *count > 0 && !view.covers(&self.file, group));
        for finding in findings {
            *self.counts.entry(view.group(&self.file, finding)).or_default() += 1;
        }
        let text = self.render();
        // Beside it first: a full disk must not cost the old one.
        let beside = self.file.with_extension(format!("{}.tmp", std::process::id()));
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, &self.file));
        written.map_err(|error| {
            let _ = fs::remove_file(&beside);
            CheckError::file("the baseline", &self.file, &error)
        })
    }

    /// One entry a line, sorted: changes of it can be read and merged.
    fn render(&self) -> String {
        let line = |(group, count): (&Group, &u32)| {
            let mut value = serde_json::to_value(group).expect("three texts");
            value["count"] = (*count).into();
            format!("    {value}")
        };
        let lines: Vec<String> = self.counts.iter().map(line).collect();
        let entries = if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"entries\": {entries}\n}}\n")
    }
}

/// How findings are seen by a baseline.
pub struct View<'a> {
    /// The scan's root on disk.
    pub root: &'a Path,
    /// Gives the text of files.
    pub sources: &'a dyn Sources,
    /// Whether findings of a rule were looked for.
    pub judged: &'a dyn Fn(&str) -> bool,
    /// The files and folders that were asked for.
    pub scope: &'a [PathBuf],
    /// Whether a file was scanned, by its path seen from the root.
    pub scanned: &'a dyn Fn(&str) -> bool,
}

impl View<'_> {
    fn group(&self, baseline: &Path, finding: &Finding) -> Group {
        let text = self.sources.read(&finding.path).unwrap_or_default();
        let line = text.split('\n').nth(finding.start.line.saturating_sub(1) as usize).unwrap_or_default();
        Group {
            path: paths::relative(&self.root.join(&finding.path), folder(baseline)),
            rule: finding.rule.to_owned(),
            group: super::hash(&[line.trim()]),
        }
    }

    /// Whether the scan would have found again what an entry speaks of. A rule that is no more finds nothing ever.
    fn covers(&self, baseline: &Path, group: &Group) -> bool {
        let file = paths::normal(&folder(baseline).join(&group.path));
        let asked = self.scope.iter().any(|path| file.starts_with(path));
        // A file that is there but was not scanned (a test, an excluded one) may hold its findings still.
        let looked_at = asked && ((self.scanned)(&paths::relative(&file, self.root)) || !file.exists());
        looked_at && (rules::find(&group.rule).is_err() || (self.judged)(&group.rule))
    }
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("/"))
}

/// The file's path with a folder that is spelled as the root's is.
fn absolute(file: &Path) -> PathBuf {
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    file.file_name().map_or_else(|| dir.clone(), |name| dir.join(name))
}
