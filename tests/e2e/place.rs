//! Where servers are put to run: a folder below the packages of a set, so that they find them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::cases::{Case, Source, fixtures};
use super::process::run;

const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that goes away unless it is kept to be looked at.
pub fn stage(set: &Path, name: &str) -> Result<TempDir, String> {
    let runs = set.join("runs");
    fs::create_dir_all(&runs).map_err(|error| format!("{}: {error}", runs.display()))?;
    tempfile::Builder::new()
        .prefix(&format!("{name}-"))
        .tempdir_in(&runs)
        .map_err(|error| format!("{}: {error}", runs.display()))
}

/// The result of a case, put into `target`.
pub fn result(case: &Case, target: &Path) -> Result<(), String> {
    match &case.result {
        Source::Folder(folder) => copy(&fixtures().join(folder), target),
        Source::Fix => migrate(&fixtures().join(&case.before), target, case.fix_exit),
    }
}

/// Runs `fix` on a copy of `before` that lies outside of any repository, and puts what comes out into `target`.
fn migrate(before: &Path, target: &Path, exit: i32) -> Result<(), String> {
    let copied = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    let folder = copied.path().join("server");
    copy(before, &folder)?;
    let mut fix = Command::new(env!("CARGO_BIN_EXE_mcp-migrate"));
    // The folder is in no repository, which `fix` would refuse.
    let done = run(fix.args(["fix", "--allow-dirty"]).arg(&folder).current_dir(copied.path()), PATIENCE)?;
    if done.code != Some(exit) {
        return Err(format!("fix should exit with {exit}: {}", done.said()));
    }
    copy(&folder, target)
}

/// Copies a folder, installed packages excepted.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let files = files(from)?;
    if files.is_empty() {
        return Err(format!("{} holds no file", from.display()));
    }
    for file in files {
        let target = to.join(&file);
        let folder = target.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        fs::copy(from.join(&file), &target).map_err(|error| format!("{}: {error}", target.display()))?;
    }
    Ok(())
}

/// That two folders hold the same files with the same bytes.
pub fn same(one: &Path, other: &Path) -> Result<(), String> {
    let (left, right) = (files(one)?, files(other)?);
    if left != right {
        return Err(format!("files should not have changed: {left:?} became {right:?}"));
    }
    let read = |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    for file in left {
        if read(one.join(&file))? != read(other.join(&file))? {
            return Err(format!("{} should not have changed", file.display()));
        }
    }
    Ok(())
}

/// The files below a folder, by relative path, in order.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?.flatten() {
            let path = entry.path();
            if !path.is_dir() {
                out.push(path.strip_prefix(root).expect("below the root").to_owned());
            } else if entry.file_name() != "node_modules" {
                todo.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}
