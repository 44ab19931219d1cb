//! Findings that a configuration takes out, by path.

use std::path::{Path, PathBuf};

use globset::GlobSet;

use crate::workspace::{WalkError, paths, walk};

/// One `[[ignore]]` of a configuration.
#[derive(Clone, Debug)]
pub struct Ignore {
    /// The folder that the globs are relative to.
    base: PathBuf,
    set: GlobSet,
    /// The globs as they were written.
    pub globs: Vec<String>,
    /// Rules that are ignored there; empty means all.
    pub rules: Vec<&'static str>,
    /// Why.
    pub reason: String,
}

impl Ignore {
    /// Ignores these rules (or all) in files below `base` that the globs match.
    pub fn new(base: &Path, globs: &[String], rules: Vec<&'static str>, reason: String) -> Result<Self, WalkError> {
        Ok(Self { base: base.to_owned(), set: walk::globs(globs)?, globs: globs.to_vec(), rules, reason })
    }

    /// Whether findings of a rule in a file are ignored.
    pub fn holds(&self, file: &Path, rule: &str) -> bool {
        if !self.rules.is_empty() && !self.rules.contains(&rule) {
            return false;
        }
        let relative = paths::relative(file, &self.base);
        self.set.is_match(&relative) || self.set.is_match(paths::file_name(&relative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_configuration() {
        let ignore = |globs: &[&str], rules: Vec<&'static str>| {
            let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
            Ignore::new(Path::new("/r"), &globs, rules, "why".to_owned()).expect("globs")
        };
        let all = ignore(&["old/**", "*.gen.ts"], vec![]);
        assert!(all.holds(Path::new("/r/old/a/b.ts"), "x"));
        assert!(all.holds(Path::new("/r/src/b.gen.ts"), "x"));
        assert!(!all.holds(Path::new("/r/src/b.ts"), "x"));
        let one = ignore(&["old/**"], vec!["session-guard"]);
        assert!(one.holds(Path::new("/r/old/b.ts"), "session-guard"));
        assert!(!one.holds(Path::new("/r/old/b.ts"), "session-gateway"));
    }
}
