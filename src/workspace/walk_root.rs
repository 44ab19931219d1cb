//! Which folder a scan's paths are relative to, and why there may be none.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::paths;

/// Why there is nothing to walk.
#[derive(Debug)]
pub enum WalkError {
    /// No path argument.
    NoPaths,
    /// The argument does not exist.
    Missing(PathBuf),
    /// The argument cannot be looked at.
    Unreadable(PathBuf, io::Error),
    /// The exclude pattern is not a glob.
    BadGlob {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// The arguments share no folder (different drives).
    NoCommonRoot,
}

impl fmt::Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPaths => f.write_str("no path given"),
            Self::Missing(path) => {
                write!(f, "there is no file or folder `{}`; check the spelling and the current folder", path.display())
            }
            Self::Unreadable(path, error) => {
                write!(f, "`{}` cannot be read: {error}", path.display())
            }
            Self::BadGlob { pattern, message } => write!(f, "the exclude pattern `{pattern}` is not a glob: {message}"),
            Self::NoCommonRoot => f.write_str("the paths have no folder in common; scan them one by one"),
        }
    }
}

impl std::error::Error for WalkError {}

/// One folder: itself. One file: the folder of its package, else its own. Several: what they have in common.
pub(super) fn root_of(arguments: &[PathBuf]) -> Result<PathBuf, WalkError> {
    let folder = |path: &PathBuf| {
        if path.is_dir() { path.clone() } else { path.parent().unwrap_or(path).to_owned() }
    };
    match arguments {
        [] => Err(WalkError::NoPaths),
        [only] if only.is_dir() => Ok(only.clone()),
        [only] => {
            let top = repository_root(only);
            let inside = |dir: &&Path| top.as_deref().is_none_or(|top| dir.starts_with(top));
            let packages = ["package.json", "pyproject.toml", "Cargo.toml", "deno.json", "setup.py"];
            let package = only
                .ancestors()
                .skip(1)
                .take_while(inside)
                .find(|dir| packages.iter().any(|name| dir.join(name).is_file()));
            Ok(package.map_or_else(|| folder(only), Path::to_owned))
        }
        [first, rest @ ..] => {
            let first = folder(first);
            let rest: Vec<PathBuf> = rest.iter().map(folder).collect();
            let shared = first.ancestors().find(|dir| rest.iter().all(|other| other.starts_with(dir)));
            shared.map(Path::to_owned).ok_or(WalkError::NoCommonRoot)
        }
    }
}

/// The folder with `.git` at or above a path.
pub fn repository_root(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned)
}

/// The file with a project's settings.
pub const SETTINGS_FILE: &str = "mcp-migrate.toml";

/// What a file is called wherever in a repository a scan starts: its path from the repository that holds the scan's root; without
/// one, from the nearest folder with settings; without either, from the root.
pub fn lasting_name(root: &Path, path: &str) -> String {
    let settled = |dir: &&Path| dir.join(SETTINGS_FILE).is_file();
    let home = repository_root(root).or_else(|| root.ancestors().find(settled).map(Path::to_owned));
    home.map_or_else(|| path.to_owned(), |home| paths::relative(&paths::normal(&root.join(path)), &home))
}
