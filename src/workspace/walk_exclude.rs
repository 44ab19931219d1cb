//! What a walk leaves out by name.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::DirEntry;

use super::names;
use super::paths;
use super::walk_root::WalkError;

/// A set of globs of paths and file names.
pub fn globs(patterns: &[String]) -> Result<GlobSet, WalkError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let bad =
            |error: globset::Error| WalkError::BadGlob { pattern: pattern.clone(), message: error.kind().to_string() };
        let trimmed = pattern.trim_start_matches("./").trim_end_matches('/');
        set.add(Glob::new(trimmed).map_err(bad)?);
    }
    set.build().map_err(|error| WalkError::BadGlob { pattern: patterns.join(" "), message: error.to_string() })
}

/// Whether a folder (or a link that may be one) is left out for its name. `base` is the argument it was found under.
pub(super) fn is_left_out(entry: &DirEntry, base: &Path, include_tests: bool) -> bool {
    let Some(name) = entry.file_name().to_str() else {
        return false;
    };
    let above = entry.path().parent().and_then(|dir| dir.strip_prefix(base).ok());
    let below_src = above.is_some_and(|above| above.iter().any(|part| part == "src"));
    names::is_excluded_dir(name, below_src) || (!include_tests && names::is_test_dir(name))
}

/// Whether globs leave a path out, each set relative to its folder.
pub(super) fn excluded(globs: &[(PathBuf, GlobSet)], path: &Path) -> bool {
    globs.iter().filter(|(_, globs)| !globs.is_empty()).any(|(base, globs)| {
        let relative = paths::relative(path, base);
        globs.is_match(&relative) || globs.is_match(paths::file_name(&relative))
    })
}
