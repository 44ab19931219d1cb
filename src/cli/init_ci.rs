//! `mcp-migrate init-ci`: writes what checks the pull requests of a repository.

use std::fs;
use std::path::Path;

use mcp_migrate::check::CheckError;

use super::args::{InitCi, Provider};
use super::output::Output;
use super::{FAILED, OK};

const GITHUB: &str = include_str!("../../ci/github.yml");
const GITLAB: &str = include_str!("../../ci/gitlab.yml");
const PRE_COMMIT: &str = include_str!("../../ci/pre-commit.yaml");

/// The action that the template of the GitHub workflow names.
const ACTION: &str = "./.github/actions/mcp-migrate";

/// Runs the command and gives its exit code.
pub fn run(own: &InitCi, output: &Output) -> u8 {
    match write(own) {
        Ok(text) => {
            output.result(&text);
            OK
        }
        Err(error) => {
            output.error(&error);
            FAILED
        }
    }
}

/// Writes the file and says what to do next.
fn write(own: &InitCi) -> Result<String, CheckError> {
    let (path, text, next) = match own.provider {
        Provider::Github => {
            let local = own.action.starts_with("./");
            if !local && !is_pinned(&own.action) {
                return Err(CheckError::new(
                    format!("`{}` is no action that stays the same", own.action),
                    "Give a folder of the repository (`./.github/actions/mcp-migrate`), or OWNER/REPO@COMMIT with all 40 \
                     digits: a branch or tag can be moved to other code.",
                ));
            }
            let bring = if local {
                format!(
                    "Bring the program into the repository: a checkout of it, as a submodule or a copy, in {}.\n",
                    own.action.trim_start_matches("./")
                )
            } else {
                String::new()
            };
            let next = format!(
                "Next:\n  {bring}{}Commit both and open a pull request; the check needs no secret and only reads.\n",
                if bring.is_empty() { "" } else { "  " }
            );
            (".github/workflows/mcp-migrate.yml", GITHUB.replace(ACTION, &own.action), next)
        }
        Provider::Gitlab => {
            let next = "Next:\n  Add to .gitlab-ci.yml:\n    include:\n      - local: .gitlab/mcp-migrate.yml\n  Set the CI/CD variable \
                        MCP_MIGRATE_SOURCE to the address of a git repository with this program, or put the program into the job's \
                        image.\n";
            (".gitlab/mcp-migrate.yml", GITLAB.to_owned(), next.to_owned())
        }
        Provider::PreCommit => {
            let next = "Next:\n  Put `mcp-migrate` onto the path of those who commit, then run `pre-commit install`.\n";
            (".pre-commit-config.yaml", PRE_COMMIT.to_owned(), next.to_owned())
        }
    };
    create(Path::new(path), &text, own)?;
    Ok(format!("Wrote {path}.\n{next}"))
}

fn create(path: &Path, text: &str, own: &InitCi) -> Result<(), CheckError> {
    if path.symlink_metadata().is_ok() && !own.force {
        let help = match own.provider {
            Provider::PreCommit => format!("Add this to its `repos`, or overwrite it with --force:\n\n{}", hook(text)),
            _ => "Overwrite it with --force.".to_owned(),
        };
        return Err(CheckError::new(format!("there is a {} already", path.display()), help));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| CheckError::new(format!("{} can't be written: {error}", path.display()), String::new()))
}

/// The entries of a template's `repos`.
fn hook(text: &str) -> &str {
    text.split_once("repos:\n").map_or(text, |(_, entries)| entries.trim_end())
}

/// Whether an action is named with the full id of a commit.
fn is_pinned(action: &str) -> bool {
    let Some((name, commit)) = action.split_once('@') else { return false };
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    name.split('/').count() >= 2
        && name.split('/').all(plain)
        && commit.len() == 40
        && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commits_pin_an_action() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_pinned(&format!("owner/mcp-migrate@{commit}")));
        assert!(is_pinned(&format!("owner/mono/action@{commit}")));
        for action in ["owner/x@v1", "owner/x", "x", "owner/x@0123456", "own er/x@", "owner/x: y@"] {
            assert!(!is_pinned(action) && !is_pinned(&format!("{action}{commit}x")), "{action}");
        }
    }

    #[test]
    fn templates_name_what_is_replaced() {
        assert_eq!(GITHUB.matches(ACTION).count(), 1);
        assert!(hook(PRE_COMMIT).starts_with("  - repo: local"));
    }
}
