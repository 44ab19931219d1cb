//! Fixing: scan, plan, render, apply to an overlay, look again; then write. Nothing is written before all is thought out.

mod aside;
mod commits;
mod decisions;
mod dependencies;
mod documents;
mod edits;
mod forsaken;
mod gate;
mod left;
mod mentions;
mod obeyed;
mod propose;
mod tell;
mod texts;
mod trial;
mod unread;

use std::path::{Path, PathBuf};

use super::{Pass, Progress, ScanError, ScanOptions, pass};
use crate::check::Policy;
use crate::check::config::plan_file::PlanFile;
use crate::classify::answer::Category;
use crate::edit::{self, Level, Outcome, Recovery, Stop};
use crate::report::edits::Edits;
use crate::report::fix::Fix;
use crate::report::plan::Plan;
use crate::workspace::walk;
use propose::{Proposer, Rounds};

pub use commits::Committed;
pub use trial::Verdict;

/// What to fix, and how far.
#[derive(Clone, Debug)]
pub struct FixOptions {
    /// Which files, as for a scan.
    pub scan: ScanOptions,
    /// The highest level that is applied.
    pub level: Level,
    /// Only steps that answer findings of these rules; empty means all.
    pub rules: Vec<&'static str>,
    /// Groups that are not to be applied, with the reason.
    pub without: Vec<(String, String)>,
    /// Groups that the user does not want.
    pub declined: Vec<String>,
    /// What the repository has settled: that stays as it is.
    pub policy: Policy,
    /// A plan that is to be obeyed. What it decides stands among the settings of the scan.
    pub plan: Option<PlanFile>,
    /// Write although changes that are not committed would be mixed with ours.
    pub allow_dirty: bool,
}

/// Why there is no result.
#[derive(Debug)]
pub enum FixError {
    /// The scan failed.
    Scan(ScanError),
    /// Nothing was written.
    Stopped(Stop),
    /// A program that was to be run could not be.
    Program {
        /// What went wrong.
        message: String,
        /// What to do about it.
        help: String,
    },
}

impl From<ScanError> for FixError {
    fn from(error: ScanError) -> Self {
        Self::Scan(error)
    }
}

impl From<Stop> for FixError {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// A migration that is thought out, and not written yet.
pub struct Prepared {
    root: PathBuf,
    outcome: Outcome,
    told: Fix,
}

/// Thinks a migration out. Writes nothing.
pub fn prepare(options: &FixOptions, progress: &dyn Progress) -> Result<Prepared, FixError> {
    let (root, outcome, rounds) = think(options, edit::Settings::default().rounds, progress)?;
    let told = tell::tell(options, &rounds, &outcome);
    Ok(Prepared { root, outcome, told })
}

/// What is decided about each store. Writes nothing.
pub fn decide(options: &FixOptions, progress: &dyn Progress) -> Result<Plan, FixError> {
    let (root, outcome, rounds) = think(options, edit::Settings::default().rounds, progress)?;
    let told = tell::tell(options, &rounds, &outcome);
    Ok(decisions::of(&rounds, &told, &root))
}

/// The edits of the files as they are now that answer findings: one round, whose result was looked at.
pub fn edits(options: &FixOptions, progress: &dyn Progress) -> Result<Edits, FixError> {
    let (_, outcome, _) = think(options, 1, progress)?;
    Ok(edits::of(&outcome))
}

fn think(options: &FixOptions, rounds: usize, progress: &dyn Progress) -> Result<(PathBuf, Outcome, Rounds), FixError> {
    let paths = if options.scan.paths.is_empty() { vec![PathBuf::from(".")] } else { options.scan.paths.clone() };
    // What is wrong with a path is the scan's to say.
    let root = match walk::root(&paths) {
        Ok(root) => root,
        Err(_) => {
            return Err(pass(&options.scan, progress).err().unwrap_or_else(|| ScanError::not_found(&paths[0])).into());
        }
    };
    let settings = edit::Settings { level: options.level, rounds };
    let mut alone = Vec::new();
    loop {
        let mut proposer = Proposer::new(options, progress, &root, &alone);
        let outcome =
            edit::fixpoint::run(&root, settings, &gate::Gate::default(), &mut |overlay| proposer.propose(overlay))?;
        let rounds = proposer.finish(&outcome)?;
        match forsaken::first(&rounds, &outcome) {
            Some(found) => alone.push(found),
            None => return Ok((root, outcome, rounds)),
        }
    }
}

impl Prepared {
    /// What it does and what it leaves.
    pub fn told(&self) -> &Fix {
        &self.told
    }

    /// Whether it changes anything.
    pub fn is_empty(&self) -> bool {
        self.outcome.files.changes().is_empty()
    }

    /// Why git could not take it back: files that hold changes which were never committed, or that lie in no repository.
    pub fn mixes(&self) -> Option<Stop> {
        edit::guard(&self.root, &self.outcome.files.changes()).err()
    }

    /// Writes it.
    pub fn write(mut self, options: &FixOptions) -> Result<Fix, FixError> {
        let changes = self.outcome.files.changes();
        if !options.allow_dirty {
            edit::guard(&self.root, &changes)?;
        }
        let written = edit::write(&self.root, &changes)?;
        self.told.notes.extend(written.notes);
        self.told.dry_run = false;
        Ok(self.told)
    }

    /// Writes it group by group, each as a commit of its own.
    pub fn commit(mut self) -> Result<(Fix, Vec<Committed>), FixError> {
        edit::guard(&self.root, &self.outcome.files.changes())?;
        let commits = commits::commit(&self.root, &self.outcome)?;
        self.told.dry_run = false;
        Ok((self.told, commits))
    }
}

/// Brings to an end what an earlier run that was killed had begun.
pub fn recover(paths: &[PathBuf]) -> Result<Option<String>, FixError> {
    let paths = if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.to_vec() };
    let Ok(root) = walk::root(&paths) else { return Ok(None) };
    match edit::recover(&root)? {
        // What was half written stays so, and to go on from there would look as if it were whole.
        Recovery::Completed { files, left } if !left.is_empty() => Err(FixError::Stopped(Stop::Failed {
            written: files,
            message: format!(
                "an earlier run was interrupted here, and changed since, and left alone: {}",
                left.join(", ")
            ),
        })),
        recovery => Ok(tell::recovery(&recovery)),
    }
}

/// What is to be known of an interrupted run by whoever only reads: files may be old beside new ones.
pub fn interrupted(paths: &[PathBuf]) -> Option<&'static str> {
    let paths = if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.to_vec() };
    let root = walk::root(&paths).ok()?;
    edit::is_interrupted(&root).then_some(
        "a run of `fix` was interrupted here, and some files may be new beside old ones; `mcp-migrate fix` brings it to its end first",
    )
}

/// Runs the user's own check before and after, and leaves out the groups that break it.
pub fn with_check(
    options: &FixOptions,
    command: &str,
    progress: &dyn Progress,
) -> Result<(Prepared, Verdict), FixError> {
    trial::run(options, command, progress)
}

/// The most severe category of a scan.
fn category(pass: &Pass) -> Option<Category> {
    pass.scan.summary.category
}

/// The root as it is printed.
fn shown<'a>(pass: &'a Pass, root: &'a Path) -> std::borrow::Cow<'a, str> {
    if pass.scan.root.is_empty() { root.to_string_lossy() } else { pass.scan.root.as_str().into() }
}
