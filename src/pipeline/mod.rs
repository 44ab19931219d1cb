//! The pipeline as functions.

mod error;

use std::path::{Component, Path, PathBuf};

pub use error::ScanError;

use crate::report::scan::{Files, Parts, Scan, Unsupported};

/// What to scan, and how.
#[derive(Clone, Debug, Default)]
pub struct ScanOptions {
    /// Files and folders; empty means the current folder.
    pub paths: Vec<PathBuf>,
    /// Look into tests too.
    pub include_tests: bool,
    /// Leave out what these globs match, relative to the root.
    pub exclude: Vec<String>,
    /// Worker threads; `None` leaves the number to the machine.
    pub threads: Option<usize>,
    /// Report findings of these rules only; empty means all. Categories and stores do not depend on it.
    pub rules: Vec<&'static str>,
    /// An answer without any readable file is an answer, not an error.
    pub allow_empty: bool,
}

impl ScanOptions {
    /// Whether findings of this rule are reported.
    pub fn wants(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.contains(&rule)
    }
}

/// What the pipeline is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking for files.
    Walk,
    /// Reading and parsing them.
    Parse,
    /// Following values and classifying.
    Analyse,
}

/// Hears how far the work is. Called from several threads, often; must be quick.
pub trait Progress: Sync {
    /// `done` units of `stage` are done, of `total` where that is known.
    fn step(&self, stage: Stage, done: u64, total: Option<u64>);
}

/// Hears nothing.
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}

/// Scans for MCP servers and how they use protocol sessions.
pub fn scan(options: &ScanOptions, progress: &dyn Progress) -> Result<Scan, ScanError> {
    for path in &options.paths {
        if !path.exists() {
            return Err(ScanError::not_found(path));
        }
    }
    let (root, _) = root_of(&options.paths);
    let seen = walk(options, progress)?;
    if seen.files.walked == 0 && !options.allow_empty {
        return Err(ScanError::NothingReadable { root, unsupported: seen.unsupported });
    }
    Ok(Scan::assemble(Parts { root, files: seen.files, unsupported: seen.unsupported, ..Parts::default() }))
}

/// The root that the answer's paths are relative to: as it is printed, and as a folder on disk. It is the only folder
/// asked for, the folder of the only file, or the nearest folder that holds all paths.
pub fn root_of(paths: &[PathBuf]) -> (String, PathBuf) {
    let folder = |p: &PathBuf| {
        if p.is_file() { p.parent().map_or_else(PathBuf::new, Path::to_path_buf) } else { p.clone() }
    };
    let mut folders = paths.iter().map(folder);
    let first = folders.next().unwrap_or_default();
    let common = folders.fold(first, |common, next| {
        let shared: PathBuf = common
            .components()
            .filter(|c| *c != Component::CurDir)
            .zip(next.components().filter(|c| *c != Component::CurDir))
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a)
            .collect();
        shared
    });
    let shown: Vec<String> = common
        .components()
        .filter(|c| *c != Component::CurDir)
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    let shown = shown.join("/").replacen("//", "/", 1);
    let on_disk = if common.as_os_str().is_empty() { PathBuf::from(".") } else { common };
    (if shown.is_empty() { ".".to_owned() } else { shown }, on_disk)
}

struct Seen {
    files: Files,
    unsupported: Vec<Unsupported>,
}

/// Counts the files in languages that can be read.
fn walk(options: &ScanOptions, progress: &dyn Progress) -> Result<Seen, ScanError> {
    let (_, root) = root_of(&options.paths);
    let mut overrides = ignore::overrides::OverrideBuilder::new(&root);
    for glob in &options.exclude {
        let added = overrides.add(&format!("!{glob}"));
        added.map_err(|e| ScanError::bad_glob(glob, &e.to_string()))?;
    }
    let overrides = overrides.build().map_err(|e| ScanError::bad_glob("", &e.to_string()))?;
    let mut paths = options.paths.iter();
    let mut builder = ignore::WalkBuilder::new(paths.next().map_or(root.as_path(), PathBuf::as_path));
    for path in paths {
        builder.add(path);
    }
    let mut files = Files::default();
    let mut unsupported: Vec<Unsupported> = Vec::new();
    for entry in builder.overrides(overrides).build().flatten() {
        if !entry.file_type().is_some_and(|t| t.is_file()) {
            continue;
        }
        let extension = entry.path().extension().and_then(|e| e.to_str()).unwrap_or_default();
        match extension {
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => {
                files.walked += 1;
                progress.step(Stage::Walk, files.walked, None);
            }
            _ => {
                let Some(language) = unread(extension) else {
                    continue;
                };
                let path = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                let path = path.to_string_lossy().replace('\\', "/");
                match unsupported.iter_mut().find(|u| u.language == language) {
                    Some(known) => {
                        known.files += 1;
                        known.path = std::mem::take(&mut known.path).min(path);
                    }
                    None => unsupported.push(Unsupported { language: language.to_owned(), path, files: 1 }),
                }
            }
        }
    }
    Ok(Seen { files, unsupported })
}

/// Languages in which MCP servers are written and that can't be read yet, by extension.
fn unread(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "py" => "Python",
        "rs" => "Rust",
        "go" => "Go",
        "java" => "Java",
        "kt" => "Kotlin",
        "cs" => "C#",
        "php" => "PHP",
        "rb" => "Ruby",
        "swift" => "Swift",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::root_of;
    use std::path::PathBuf;

    fn root(paths: &[&str]) -> String {
        root_of(&paths.iter().map(PathBuf::from).collect::<Vec<_>>()).0
    }

    #[test]
    fn the_root_holds_all_paths() {
        assert_eq!(root(&[]), ".");
        assert_eq!(root(&["."]), ".");
        assert_eq!(root(&["./a/b"]), "a/b");
        assert_eq!(root(&["a/b", "a/c/d"]), "a");
        assert_eq!(root(&["a", "b"]), ".");
        assert_eq!(root(&["/x/y", "/x/z"]), "/x");
    }
}
