//! Writes changes so that every file is old or new at any moment, and so that a run that is killed can be brought to its end: all new
//! files are prepared beside the old ones first, then a journal says so, then each is renamed into its place.
//!
//! Permissions are kept, and the owner where that is allowed; access lists and extended attributes are not.

use std::io;
use std::path::Path;

use super::files::Change;
use super::journal::{Finished, Journal, Plan, top_of};
use super::stop::Stop;
use super::target::{self, Target};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files, relative to the root.
    pub files: Vec<String>,
    /// What the user should know: a hard link that was cut, for instance.
    pub notes: Vec<String>,
}

/// What was found of a run that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing.
    Nothing,
    /// It had written nothing; what it had prepared was thrown away.
    Discarded,
    /// It had begun to write, and somebody took that back since: the rest of it was thrown away.
    TakenBack {
        /// Files that are still as it wrote them, relative to the top of the repository (else to the root).
        still: Vec<String>,
    },
    /// It had begun to write and was brought to an end. Paths are relative to the top of the repository (else to the root).
    Completed {
        /// The files that were still old, and are new now.
        files: Vec<String>,
        /// Files that someone changed since; they were left alone.
        left: Vec<String>,
    },
}

/// Writes all changes, or none where one of them can't be.
pub fn write(root: &Path, changes: &[Change]) -> Result<Written, Stop> {
    if changes.is_empty() {
        return Ok(Written::default());
    }
    let top = top_of(root).map_err(|error| failed(&error))?;
    let targets = target::check(root, &top, changes)?;
    let entries = targets.iter().enumerate().map(|(number, target)| target.entry(number)).collect();
    let folders = target::missing_folders(&top, &targets);
    let mut journal = Journal::begin(&top, Plan { entries, folders })?;
    if let Err(stop) = prepare(&mut journal, &targets) {
        journal.discard().map_err(|error| failed(&error))?;
        return Err(stop);
    }
    let notes = targets.iter().filter_map(Target::note).collect();
    let files = finish(journal, &targets)?;
    Ok(Written { files, notes })
}

/// Brings everything into place but the last step.
fn prepare(journal: &mut Journal, targets: &[Target]) -> Result<(), Stop> {
    let mut unwritable = Vec::new();
    for (entry, target) in journal.plan.entries.iter().zip(targets) {
        if let Err(error) = target.prepare(&journal.top.join(&entry.prepared)) {
            unwritable.push((target.shown.clone(), error.to_string()));
        }
    }
    if !unwritable.is_empty() {
        return Err(Stop::Unwritable(unwritable));
    }
    let pairs = journal.plan.entries.iter().zip(targets);
    let changed: Vec<String> =
        pairs.filter(|(entry, _)| !journal.is_as_before(entry)).map(|(_, target)| target.shown.clone()).collect();
    if !changed.is_empty() {
        return Err(Stop::Changed(changed));
    }
    journal.set_prepared().map_err(|error| failed(&error))
}

/// Puts all files in their places.
fn finish(journal: Journal, targets: &[Target]) -> Result<Vec<String>, Stop> {
    let (mut written, mut left) = (Vec::new(), Vec::new());
    for (entry, target) in journal.plan.entries.iter().zip(targets) {
        match journal.finish(entry) {
            Ok(Finished::Left) => left.push(target.shown.clone()),
            Ok(_) => written.push(target.shown.clone()),
            // The journal stays, so that the next run can go on from here.
            Err(error) => return Err(Stop::Failed { written, message: format!("{}: {error}", target.shown) }),
        }
    }
    journal.close().map_err(|error| failed(&error))?;
    if left.is_empty() {
        return Ok(written);
    }
    let message = format!("{} changed at the last moment and stayed as they are", left.join(", "));
    Err(Stop::Failed { written, message })
}

/// Brings an interrupted run to an end. Must be called before files are read for a run that writes.
pub fn recover(root: &Path) -> Result<Recovery, Stop> {
    let top = top_of(root).map_err(|error| failed(&error))?;
    let Some(journal) = Journal::find(&top)? else { return Ok(Recovery::Nothing) };
    if !journal.prepared {
        journal.discard().map_err(|error| failed(&error))?;
        return Ok(Recovery::Discarded);
    }
    // To go on from files that are old again would leave half of the change.
    if journal.is_taken_back() {
        let still = journal.take_back().map_err(|error| failed(&error))?;
        journal.discard().map_err(|error| failed(&error))?;
        return Ok(Recovery::TakenBack { still });
    }
    let (mut files, mut left) = (Vec::new(), Vec::new());
    for entry in &journal.plan.entries {
        match journal.finish(entry) {
            Ok(Finished::Written) => files.push(entry.target.clone()),
            Ok(Finished::Already) => {}
            Ok(Finished::Left) => left.push(entry.target.clone()),
            Err(error) => {
                return Err(Stop::Failed { written: files, message: format!("{}: {error}", entry.target) });
            }
        }
    }
    journal.close().map_err(|error| failed(&error))?;
    Ok(Recovery::Completed { files, left })
}

/// Whether a run that wrote files there was not brought to its end.
pub fn is_interrupted(root: &Path) -> bool {
    top_of(root).is_ok_and(|top| Journal::lies_at(&top))
}

fn failed(error: &io::Error) -> Stop {
    Stop::Failed { written: Vec::new(), message: error.to_string() }
}
