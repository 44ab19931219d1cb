//! Since when changes count. What is wrong with that is known before the scan; what changed is asked after it, of git for the
//! few files that matter then: looking at each file of a large repository costs as much as scanning it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::changes::{self, Changes};
use super::diff::FileDiff;
use super::error::CheckError;
use super::git::{Between, Git};
use crate::workspace::paths;

/// So many files are asked for one by one; more of them are not worth it, and command lines have an end.
const FEW_FILES: usize = 256;
/// So many bytes of names fit into a command line anywhere.
const FEW_BYTES: usize = 16 * 1024;

/// Since when changes count.
#[derive(Debug)]
pub struct Since {
    root: PathBuf,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A commit: later commits, what is not committed yet, and new files.
    Commit(Git, String),
    /// What is staged for the next commit.
    Staged(Git),
    /// What a diff says that somebody else made.
    Told(Changes),
}

impl Since {
    /// Everything since the merge base with `name`.
    pub fn merge_base(name: &str, root: &Path) -> Result<Self, CheckError> {
        let (git, base) = Git::with_merge_base(root, name)?;
        Ok(Self { root: root.to_owned(), what: What::Commit(git, base) })
    }

    /// What is staged. Lines are those of the working tree, since that is what is scanned.
    pub fn staged(root: &Path) -> Result<Self, CheckError> {
        let git = Git::of(root)?;
        Ok(Self { root: root.to_owned(), what: What::Staged(git) })
    }

    /// What a unified diff says. Its paths are looked for in the repository, the current folder, and the root.
    pub fn diff(bytes: &[u8], root: &Path) -> Result<Self, CheckError> {
        let changes = Changes::from_diff(bytes, root)?;
        Ok(Self { root: root.to_owned(), what: What::Told(changes) })
    }

    /// What changed in these files, given as the scan names them; what else changed may be told or not.
    pub fn changes(&self, of: &[&str]) -> Result<Changes, CheckError> {
        match &self.what {
            What::Told(changes) => Ok(changes.clone()),
            What::Commit(git, base) => self.since(git, base, of),
            What::Staged(git) => staged(git, &self.root),
        }
    }

    fn since(&self, git: &Git, base: &str, of: &[&str]) -> Result<Changes, CheckError> {
        let names = self.names(git, of);
        if names.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Changes::default());
        }
        let between = Between::CommitAndFiles(base);
        let mut files = diff(git, between, names.as_deref())?;
        // What is new may have had another name, which shows only where all files are looked at.
        if names.is_some() && files.iter().any(|file| file.old.is_none()) {
            files = diff(git, between, None)?;
        }
        let mut changes = Changes::default();
        for file in files {
            changes.add(file, &git.top, &self.root);
        }
        let others: Option<Vec<String>> =
            names.map(|names| names.into_iter().filter(|name| !changes.has(&self.seen(git, name))).collect());
        if others.as_ref().is_none_or(|others| !others.is_empty()) {
            for name in git.untracked(others.as_deref())? {
                changes.add_new(self.seen(git, &name));
            }
        }
        Ok(changes)
    }

    /// Files as git names them, those of the repository alone; `None` where they can't be named one by one.
    fn names(&self, git: &Git, of: &[&str]) -> Option<Vec<String>> {
        let name = |path: &&str| {
            let name = paths::relative(&paths::normal(&self.root.join(path)), &git.top);
            (paths::above(&name) == 0 && name != ".").then_some(name)
        };
        let mut names: Vec<String> = of.iter().filter_map(name).collect();
        names.sort_unstable();
        names.dedup();
        can_be_named(&names).then_some(names)
    }

    /// A name of git's as the scan has it.
    fn seen(&self, git: &Git, name: &str) -> String {
        paths::relative(&git.top.join(name), &self.root)
    }
}

/// What is staged. Which lines these are in the working tree is asked of the files that were changed again since.
fn staged(git: &Git, root: &Path) -> Result<Changes, CheckError> {
    let staged = diff(git, Between::CommitAndIndex, None)?;
    let names: Vec<String> = staged.iter().filter_map(|file| file.new.clone()).collect();
    let mut later: BTreeMap<String, FileDiff> = BTreeMap::new();
    if !names.is_empty() {
        let only = can_be_named(&names).then_some(names.as_slice());
        for file in diff(git, Between::IndexAndFiles, only)? {
            if let Some(old) = file.old.clone() {
                later.insert(old, file);
            }
        }
    }
    let mut changes = Changes::default();
    for file in staged {
        match file.new.as_ref().and_then(|new| later.remove(new)) {
            Some(after) => changes.add_twice(file, after, &git.top, root),
            None => changes.add(file, &git.top, root),
        }
    }
    Ok(changes)
}

fn can_be_named(names: &[String]) -> bool {
    // A name that is no Unicode was mangled on its way here.
    let whole = names.iter().all(|name| !name.contains(char::REPLACEMENT_CHARACTER));
    whole && names.len() <= FEW_FILES && names.iter().map(|name| name.len() + 1).sum::<usize>() <= FEW_BYTES
}

fn diff(git: &Git, between: Between<'_>, only: Option<&[String]>) -> Result<Vec<FileDiff>, CheckError> {
    changes::parse(&git.diff(between, only)?)
}
