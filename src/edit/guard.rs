//! The git guard: what would be written can be taken back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::Change;
use super::stop::{Dirty, Stop};
use crate::workspace::git::{self, said};
use crate::workspace::walk::repository_root;

/// How many paths one call of git is given: a command line has an end.
const AT_ONCE: usize = 200;

/// Refuses to go on where a file that would be written holds changes that are not committed, or is in no repository. Other files may
/// be as they like.
pub fn guard(root: &Path, changes: &[Change]) -> Result<(), Stop> {
    let mut dirty = Vec::new();
    for (top, files) in by_repository(root, changes)? {
        for files in files.chunks(AT_ONCE) {
            dirty.extend(dirty_of(&top, files)?);
        }
    }
    dirty.sort();
    if dirty.is_empty() { Ok(()) } else { Err(Stop::Dirty(dirty)) }
}

/// A file that is there, as the user and as its repository calls it.
struct File {
    shown: String,
    in_repository: PathBuf,
}

/// The files by the repository that they lie in. A new file needs one too, and has nothing to lose in it.
fn by_repository(root: &Path, changes: &[Change]) -> Result<BTreeMap<PathBuf, Vec<File>>, Stop> {
    let mut out: BTreeMap<PathBuf, Vec<File>> = BTreeMap::new();
    for change in changes {
        let path = root.join(&change.path);
        // Git knows what a link leads to by its own name.
        let there = path.ancestors().find_map(|path| fs::canonicalize(path).ok());
        let none = || Stop::NoRepository { path: change.path.clone() };
        let real = there.ok_or_else(none)?;
        let top = repository_root(&real).ok_or_else(none)?;
        let files = out.entry(top.clone()).or_default();
        if change.before.is_some() {
            let in_repository = real.strip_prefix(&top).unwrap_or(&real).to_owned();
            files.push(File { shown: change.path.clone(), in_repository });
        }
    }
    Ok(out)
}

fn dirty_of(top: &Path, files: &[File]) -> Result<Vec<Dirty>, Stop> {
    let status = ask(top, &["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no"], files)?;
    let tracked = ask(top, &["ls-files", "-v", "-z"], files)?;
    let states: BTreeMap<&[u8], &[u8]> = status.iter().filter_map(|entry| split(entry, 2)).collect();
    let tags: BTreeMap<&[u8], &[u8]> = tracked.iter().filter_map(|entry| split(entry, 1)).collect();
    let state = |file: &File| {
        let name = slashed(&file.in_repository);
        match (tags.get(name.as_bytes()), states.get(name.as_bytes())) {
            (None, _) => Some("not in the repository"),
            (Some(tag), _) if tag.is_ascii() && (tag[0].is_ascii_lowercase() || tag[0] == b'S') => {
                Some("hidden from git status")
            }
            (Some(_), Some([_, b' '])) => Some("staged"),
            (Some(_), Some(_)) => Some("changed"),
            (Some(_), None) => None,
        }
    };
    let dirty = |file: &File| Some(Dirty { path: file.shown.clone(), state: state(file)? });
    Ok(files.iter().filter_map(dirty).collect())
}

/// A state of `width` characters, a space, a path; as `(path, state)`.
fn split(entry: &[u8], width: usize) -> Option<(&[u8], &[u8])> {
    Some((entry.get(width + 1..)?, entry.get(..width)?))
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// The entries that git answers about some files.
fn ask(top: &Path, what: &[&str], files: &[File]) -> Result<Vec<Vec<u8>>, Stop> {
    let mut arguments: Vec<OsString> = vec!["--literal-pathspecs".into()];
    arguments.extend(what.iter().map(OsString::from));
    arguments.push("--".into());
    arguments.extend(files.iter().map(|file| file.in_repository.clone().into_os_string()));
    let output = git::run(top, &arguments).map_err(|error| Stop::Git { message: error.to_string() })?;
    if !output.status.success() {
        return Err(Stop::Git { message: format!("`git {}` failed.{}", what[0], said(&output)) });
    }
    Ok(output.stdout.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).map(<[u8]>::to_vec).collect())
}
