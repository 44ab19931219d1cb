//! The user's own check, before and after: groups that break it are taken back.

use std::fs;
use std::path::Path;
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
    /// It passes without these groups (their titles).
    Without(Vec<String>),
}

/// Thinks out the migration with which the check still passes. The tree is as it was when this returns.
pub fn run(options: &FixOptions, command: &str, progress: &dyn Progress) -> Result<(Prepared, Verdict), FixError> {
    let mut options = options.clone();
    let mut left: Vec<String> = Vec::new();
    let mut prepared = prepare(&options, progress)?;
    if prepared.is_empty() {
        return Ok((prepared, Verdict::Passes));
    }
    if !options.allow_dirty {
        edit::guard(&prepared.root, &prepared.outcome.files.changes())?;
    }
    if !passes(&prepared.root, command)? {
        return Ok((prepared, Verdict::FailedBefore));
    }
    while let Some((id, title)) = culprit(&prepared, command)? {
        let reason = format!("`{command}` passes before this change and fails after it");
        options.without.push((id, reason));
        left.push(title);
        prepared = prepare(&options, progress)?;
    }
    let verdict = if left.is_empty() { Verdict::Passes } else { Verdict::Without(left) };
    Ok((prepared, verdict))
}

/// The first group with which the check fails; none where it passes with all of them.
fn culprit(prepared: &Prepared, command: &str) -> Result<Option<(String, String)>, FixError> {
    let all = prepared.outcome.files.changes();
    if all.is_empty() || tried(&prepared.root, &all, command)? {
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
        if !tried(&prepared.root, &so_far, command)? {
            return Ok(Some((applied.group.id.clone(), applied.group.title.clone())));
        }
    }
    // It failed with all of them and passes now: a check that changes its mind convicts nobody.
    Err(FixError::Program {
        message: format!("`{command}` fails and passes on the same files"),
        help: "Nothing was changed. Make the check steady, or run without --check-cmd.".to_owned(),
    })
}

/// Whether the check passes with some changes written, which are taken back again.
fn tried(root: &Path, changes: &[Change], command: &str) -> Result<bool, FixError> {
    edit::write(root, changes)?;
    let verdict = passes(root, command);
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

fn passes(root: &Path, command: &str) -> Result<bool, FixError> {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let status = Command::new(shell)
        .arg(flag)
        .arg(command)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| FixError::Program {
            message: format!("`{command}` can't be run: {error}"),
            help: "Give a command that the shell knows.".to_owned(),
        })?;
    Ok(status.success())
}
