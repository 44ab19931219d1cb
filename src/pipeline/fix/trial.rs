//! The user's own check, before and after: groups that break it are taken back.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{FixError, FixOptions, Prepared, prepare};
use crate::edit::{self, Change, GroupChange};
use crate::pipeline::Progress;

/// What the check said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passes on the result.
    Passes,
    /// It failed before anything was changed, so it tells nothing.
    FailedBefore,
    /// It passes without these groups.
    Without(Vec<Broken>),
}

/// A group with which the check fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The group's title.
    pub title: String,
    /// The last lines of what the check printed.
    pub printed: Vec<String>,
}

/// How many lines of the check's output are told.
const LINES: usize = 12;

/// Thinks out the migration with which the check still passes. The tree is as it was when this returns.
pub fn run(options: &FixOptions, command: &str, progress: &dyn Progress) -> Result<(Prepared, Verdict), FixError> {
    let mut options = options.clone();
    let mut left: Vec<Broken> = Vec::new();
    let mut prepared = prepare(&options, progress)?;
    if prepared.is_empty() {
        return Ok((prepared, Verdict::Passes));
    }
    if !options.allow_dirty {
        edit::guard(&prepared.root, &prepared.outcome.files.changes())?;
    }
    if run_check(&prepared.root, command)?.is_err() {
        return Ok((prepared, Verdict::FailedBefore));
    }
    while let Some((id, broken)) = culprit(&prepared, command)? {
        let reason = format!("`{command}` passes before this change and fails after it");
        options.without.push((id, reason));
        left.push(broken);
        prepared = prepare(&options, progress)?;
    }
    let verdict = if left.is_empty() { Verdict::Passes } else { Verdict::Without(left) };
    Ok((prepared, verdict))
}

/// The first group with which the check fails; none where it passes with all of them.
fn culprit(prepared: &Prepared, command: &str) -> Result<Option<(String, Broken)>, FixError> {
    let all = prepared.outcome.files.changes();
    if all.is_empty() || tried(&prepared.root, &all, command)?.is_ok() {
        return Ok(None);
    }
    let groups: Vec<_> = prepared.outcome.rounds.iter().flat_map(|round| &round.applied).collect();
    let mut so_far: Vec<Change> = Vec::new();
    for applied in &groups {
        for GroupChange { change, .. } in &applied.changes {
            match so_far.iter_mut().find(|known| known.path == change.path) {
                Some(known) => known.after = change.after.clone(),
                None => so_far.push(change.clone()),
            }
        }
        if let Err(printed) = tried(&prepared.root, &so_far, command)? {
            let group = &applied.group;
            return Ok(Some((group.id.clone(), Broken { title: group.title.clone(), printed })));
        }
    }
    // It failed with all of them and passes now: a check that changes its mind convicts nobody.
    Err(FixError::Program {
        message: format!("`{command}` fails and passes on the same files"),
        help: "Nothing was changed. Make the check steady, or run without --check-cmd.".to_owned(),
    })
}

/// What the check says: nothing, or the last lines that it printed.
type Said = Result<(), Vec<String>>;

/// What the check says with some changes written, which are taken back again.
fn tried(root: &Path, changes: &[Change], command: &str) -> Result<Said, FixError> {
    edit::write(root, changes)?;
    let verdict = run_check(root, command);
    take_back(root, changes)?;
    verdict
}

/// Puts files back as they were. What the check itself changed is not ours to touch, and stops the run.
fn take_back(root: &Path, changes: &[Change]) -> Result<(), FixError> {
    let (made, changed): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.before.is_none());
    let back: Vec<Change> = changed
        .into_iter()
        .filter_map(|change| {
            let before = change.before.clone()?;
            Some(Change { path: change.path.clone(), before: Some(change.after.clone()), after: before })
        })
        .collect();
    edit::write(root, &back)?;
    for change in made {
        let path = root.join(&change.path);
        if fs::read(&path).is_ok_and(|bytes| bytes == change.after.as_bytes()) {
            fs::remove_file(&path).map_err(|error| FixError::Program {
                message: format!("`{}` can't be removed again: {error}", change.path),
                help: "Remove it by hand.".to_owned(),
            })?;
        }
    }
    Ok(())
}

/// Runs the check. What it prints goes through a file: a process that it leaves behind would keep a pipe open.
fn run_check(root: &Path, command: &str) -> Result<Said, FixError> {
    let failed = |error: std::io::Error| FixError::Program {
        message: format!("`{command}` can't be run: {error}"),
        help: "Give a command that the shell knows.".to_owned(),
    };
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let log = Log::new();
    // Whoever made such a file before is not written to.
    let printed = File::options().write(true).create_new(true).open(&log.0).map_err(failed)?;
    let status = Command::new(shell)
        .arg(flag)
        .arg(command)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(printed.try_clone().map_err(failed)?)
        .stderr(printed)
        .status()
        .map_err(failed)?;
    Ok(if status.success() { Ok(()) } else { Err(log.last_lines()) })
}

/// The file that the check prints to; it is gone with this value.
struct Log(PathBuf);

impl Log {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("mcp-migrate-check-{}.log", std::process::id())))
    }

    fn last_lines(&self) -> Vec<String> {
        let bytes = fs::read(&self.0).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
