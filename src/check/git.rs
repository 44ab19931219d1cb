//! What git knows about changes.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::error::CheckError;
use crate::workspace::git::{self, line, said};

/// A repository's working tree.
#[derive(Debug)]
pub(super) struct Git {
    /// Its topmost folder.
    pub top: PathBuf,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between<'a> {
    /// A commit and the working tree.
    CommitAndFiles(&'a str),
    /// The current commit and what is staged.
    CommitAndIndex,
    /// What is staged and the working tree.
    IndexAndFiles,
}

/// Names of files are names, whatever they look like.
const LITERAL: &[&str] = &["--literal-pathspecs"];

/// The diff in the form that the parser wants, whatever the user's settings are.
const DIFF: &[&str] = &[
    "-c",
    "diff.relative=false",
    "-c",
    "core.safecrlf=false",
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--find-renames",
    "--unified=0",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
];

impl Git {
    /// The repository that a folder lies in.
    pub fn of(folder: &Path) -> Result<Self, CheckError> {
        let output = run(folder, &["rev-parse", "--show-toplevel"])?;
        let top = line(&output);
        if !output.status.success() || top.is_empty() {
            return Err(CheckError::new(
                format!("{} is in no git repository, so there is no telling what changed", folder.display()),
                format!(
                    "Run the check inside a clone, or hand it the changes as a diff: `--changed-lines FILE`.{}",
                    said(&output)
                ),
            ));
        }
        Ok(Self::at(&top))
    }

    /// The repository that a folder lies in, and the commit where its current one left the history of `name`.
    pub fn with_merge_base(folder: &Path, name: &str) -> Result<(Self, String), CheckError> {
        // Each run of git costs as much as scanning hundreds of files: both are asked at once, and what is wrong only where
        // something is.
        if !name.is_empty() && !name.starts_with('-') && !name.starts_with('^') && !name.contains("..") {
            let output = run(folder, &["rev-parse", "--show-toplevel", &format!("{name}...HEAD")])?;
            if output.status.success()
                && let Some(found) = top_and_base(&line(&output))
            {
                return Ok(found);
            }
        }
        let git = Self::of(folder)?;
        let base = git.merge_base(name)?;
        Ok((git, base))
    }

    fn at(top: &str) -> Self {
        let top = PathBuf::from(top);
        Self { top: top.canonicalize().unwrap_or(top) }
    }

    fn merge_base(&self, name: &str) -> Result<String, CheckError> {
        let commit = self.commit(name).ok_or_else(|| self.no_commit(name))?;
        let head = self.commit("HEAD").ok_or_else(|| {
            CheckError::new(
                "this repository has no commit yet",
                "Commit something first, or check without --diff-base.",
            )
        })?;
        let output = self.git(&["merge-base", &commit, &head])?;
        let base = line(&output);
        if output.status.success() && !base.is_empty() {
            return Ok(base);
        }
        let help = if self.is_shallow() {
            DEEPEN.to_owned()
        } else {
            format!("Give a branch or commit that the current one was made from.{}", said(&output))
        };
        Err(CheckError::new(format!("`{name}` and the current commit have no common history here"), help))
    }

    /// What changed in some files, or in all.
    pub fn diff(&self, span: Between<'_>, only: Option<&[String]>) -> Result<Vec<u8>, CheckError> {
        let span = match span {
            Between::CommitAndFiles(commit) => vec![commit],
            Between::CommitAndIndex => vec!["--cached"],
            Between::IndexAndFiles => Vec::new(),
        };
        let output = self.git(&[LITERAL, DIFF, &span, &["--"], &names(only)].concat())?;
        self.expect(output, "compare")
    }

    /// Files that git neither tracks nor ignores: those among some, or all.
    pub fn untracked(&self, only: Option<&[String]>) -> Result<Vec<String>, CheckError> {
        let list = &["ls-files", "--others", "--exclude-standard", "-z", "--"];
        let output = self.git(&[LITERAL, list, &names(only)[..]].concat())?;
        let output = self.expect(output, "list new files")?;
        let names = output.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    fn commit(&self, name: &str) -> Option<String> {
        let spec = format!("{name}^{{commit}}");
        let output = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &spec]).ok()?;
        output.status.success().then(|| line(&output)).filter(|commit| !commit.is_empty())
    }

    fn no_commit(&self, name: &str) -> CheckError {
        let remote = format!("origin/{name}");
        let help = if self.commit(&remote).is_some() {
            format!("There is `{remote}`: give that.")
        } else if self.is_shallow() {
            DEEPEN.to_owned()
        } else {
            "Give a branch, tag or commit that is here; `git fetch origin BRANCH` brings one, which is then called \
             `origin/BRANCH`."
                .to_owned()
        };
        CheckError::new(format!("`{name}` is no commit of this repository"), help)
    }

    fn is_shallow(&self) -> bool {
        self.git(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|output| line(&output) == "true")
    }

    fn expect(&self, output: Output, what: &str) -> Result<Vec<u8>, CheckError> {
        if output.status.success() {
            return Ok(output.stdout);
        }
        let help = "In a partial clone, contents that are needed may not be here, and this program fetches nothing: clone \
                    without a filter.";
        Err(CheckError::new(format!("git could not {what}"), format!("{help}{}", said(&output))))
    }

    fn git(&self, arguments: &[&str]) -> Result<Output, CheckError> {
        run(&self.top, arguments)
    }
}

fn names(only: Option<&[String]>) -> Vec<&str> {
    only.unwrap_or_default().iter().map(String::as_str).collect()
}

/// From a folder, two commits, and what they have in common, each on a line of its own. Several merge bases are as good as one.
fn top_and_base(output: &str) -> Option<(Git, String)> {
    let (top, _) = output.split_once("\n")?;
    let base = output.lines().find_map(|line| line.strip_prefix('^'))?;
    Path::new(top).is_dir().then(|| (Git::at(top), base.to_owned()))
}

const DEEPEN: &str = "This clone is shallow: the history that is needed is not here. Fetch it: `git fetch --unshallow`; in \
                      GitHub Actions `fetch-depth: 0` at the checkout, in GitLab `GIT_DEPTH: \"0\"`.";

/// Runs git for an answer; what can't be had of it is told in the words of a check.
fn run(folder: &Path, arguments: &[&str]) -> Result<Output, CheckError> {
    git::run(folder, arguments).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CheckError::new(
            "`git` was not found",
            "Install git, or hand over the changes as a diff: `--changed-lines FILE`.",
        ),
        _ => CheckError::new(format!("`git` can't be run: {error}"), String::new()),
    })
}
