//! One commit for each group.

use std::path::Path;

use super::FixError;
use crate::edit::{self, Outcome};
use crate::workspace;

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its hash.
    pub hash: String,
    /// Its first line.
    pub title: String,
}

/// Writes and commits the groups, in the order in which they were applied.
pub fn commit(root: &Path, outcome: &Outcome) -> Result<Vec<Committed>, FixError> {
    let staged = git(root, &["diff", "--cached", "--name-only"])?;
    if !staged.is_empty() {
        return Err(FixError::Program {
            message: "something is staged already, and would become part of the first commit".to_owned(),
            help: "Commit it, or take it out of the index (`git restore --staged .`), and run again.".to_owned(),
        });
    }
    let mut out = Vec::new();
    for applied in outcome.rounds.iter().flat_map(|round| &round.applied) {
        let changes: Vec<edit::Change> = applied.changes.iter().map(|change| change.change.clone()).collect();
        if changes.is_empty() {
            continue;
        }
        edit::write(root, &changes)?;
        let mut add = vec!["add", "--"];
        add.extend(changes.iter().map(|change| change.path.as_str()));
        git(root, &add)?;
        git(root, &["commit", "--quiet", "-m", &applied.group.title, "-m", &body(&applied.group)])?;
        let hash = git(root, &["rev-parse", "--short", "HEAD"])?;
        out.push(Committed { hash, title: applied.group.title.clone() });
    }
    Ok(out)
}

/// What a commit says below its first line.
fn body(group: &edit::Group) -> String {
    let mut lines = vec![format!("Level: {}. Rule: {}.", group.level.id(), group.rule)];
    lines.extend(group.notes.iter().cloned());
    lines.join("\n\n")
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, FixError> {
    let failed = |message: String| FixError::Program {
        message,
        help: "What was committed so far stays; look at `git status`, and run again with a clean tree.".to_owned(),
    };
    let output = workspace::git::run(root, arguments);
    let output = output.map_err(|error| failed(format!("`git` can't be run: {error}")))?;
    if !output.status.success() {
        return Err(failed(format!("`git {}` failed.{}", arguments[0], workspace::git::said(&output))));
    }
    Ok(workspace::git::line(&output))
}
