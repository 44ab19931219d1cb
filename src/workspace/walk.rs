//! From path arguments to the files that a scan looks at.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::GlobSet;
use ignore::{DirEntry, WalkBuilder};
use rustc_hash::FxHashSet;

use crate::model::facts::Language;
use crate::syntax::source::LoadError;

use super::names::{self, ManifestKind};
use super::overlay::Overlay;
use super::paths;
use super::replicas::{DeploymentKind, deployment_of};
use super::skipped::{SkipReason, Skipped};
use super::walk_exclude::{excluded, is_left_out};
use super::walk_root::root_of;

pub use super::walk_exclude::globs;
pub use super::walk_root::{SETTINGS_FILE, WalkError, lasting_name, repository_root};

/// How far above the root a manifest is looked for where no version control tells where the repository begins.
const CLIMB_WITHOUT_GIT: usize = 3;

/// What to walk.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Take tests in too.
    pub include_tests: bool,
    /// Globs of what to leave out, matched against paths relative to the root, and names.
    pub exclude: Vec<String>,
    /// The same, each relative to a folder that is not the root.
    pub exclude_in: Vec<(PathBuf, String)>,
    /// Texts that files would have, and files that would be there.
    pub overlay: Overlay,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    /// Path relative to the root, with `/`.
    pub path: String,
    /// Where it is on disk.
    pub absolute: PathBuf,
    /// Its language, by extension.
    pub language: Language,
    /// A test by its name or folder. (Only where tests are taken in, or it was named as an argument.)
    pub is_test: bool,
}

/// A manifest or lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifestFile {
    /// Path relative to the root, with `/`; `../…` where it lies above the root.
    pub path: String,
    /// Where it is on disk.
    pub absolute: PathBuf,
    /// What it is.
    pub kind: ManifestKind,
}

impl ManifestFile {
    /// How many folders above the root it lies; 0 for one inside.
    pub fn above(&self) -> usize {
        paths::above(&self.path)
    }

    /// The folder it governs, `.` for the root; for a manifest above the root that is the root.
    pub fn dir(&self) -> &str {
        if self.above() > 0 { "." } else { paths::parent(&self.path) }
    }
}

/// A file that may say how many processes run a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeploymentFile {
    /// Path relative to the root, with `/`; `../…` where it lies above the root.
    pub path: String,
    /// Where it is on disk.
    pub absolute: PathBuf,
    /// What it is.
    pub kind: DeploymentKind,
}

/// What the walk found.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The folder that all paths are relative to.
    pub root: PathBuf,
    /// Source files, sorted by path.
    pub files: Vec<SourceFile>,
    /// Manifests and lock files, sorted by path. Those above the root are there too: a scan of `src/` or of one workspace
    /// member needs the dependencies and the lock file of the repository.
    pub manifests: Vec<ManifestFile>,
    /// Files that may say how many processes run a server, sorted by path.
    pub deployments: Vec<DeploymentFile>,
    /// What was left out with a word.
    pub skipped: Vec<Skipped>,
    /// Files in programming languages without a front end, by extension: how many, and the first.
    pub unsupported: BTreeMap<&'static str, (usize, String)>,
    /// What is read in the place of files.
    pub overlay: Overlay,
}

impl Tree {
    /// The bytes of a file as the overlay has it, else as it is on disk.
    pub fn read(&self, file: &SourceFile) -> Result<Vec<u8>, LoadError> {
        self.overlay.read(&file.path, &file.absolute)
    }
}

/// Walks the arguments. Folders honour `.gitignore` (with or without a `.git`), hidden names, and the default exclusions; a file named as an
/// argument is taken in whatever its name. Folder names above an argument never count.
pub fn walk(options: &WalkOptions) -> Result<Tree, WalkError> {
    let arguments = canonical(&options.paths)?;
    let root = root_of(&arguments)?;
    let mut exclude = vec![(root.clone(), globs(&options.exclude)?)];
    for (base, glob) in &options.exclude_in {
        exclude.push((base.clone(), globs(std::slice::from_ref(glob))?));
    }
    let mut walker = Walker {
        exclude,
        include_tests: options.include_tests,
        visited: FxHashSet::default(),
        tree: Tree { root, overlay: options.overlay.clone(), ..Tree::default() },
    };
    for argument in &arguments {
        if argument.is_dir() {
            walker.folder(argument);
        } else {
            walker.named_file(argument);
        }
    }
    for argument in &arguments {
        walker.manifests_around(argument);
    }
    walker.new_files();
    Ok(walker.finish())
}

/// The folder that all paths of a walk's answer are relative to.
pub fn root(paths: &[PathBuf]) -> Result<PathBuf, WalkError> {
    root_of(&canonical(paths)?)
}

fn canonical(paths: &[PathBuf]) -> Result<Vec<PathBuf>, WalkError> {
    let one = |path: &PathBuf| {
        fs::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => WalkError::Missing(path.clone()),
            _ => WalkError::Unreadable(path.clone(), error),
        })
    };
    paths.iter().map(one).collect()
}

struct Walker {
    /// Folders, and what is left out relative to them.
    exclude: Vec<(PathBuf, GlobSet)>,
    include_tests: bool,
    /// Folders whose manifests were looked at.
    visited: FxHashSet<PathBuf>,
    tree: Tree,
}

impl Walker {
    fn folder(&mut self, argument: &Path) {
        let in_git = repository_root(argument).is_some();
        let include_tests = self.include_tests;
        let exclude = self.exclude.clone();
        let base = argument.to_owned();
        let walk = WalkBuilder::new(argument)
            .hidden(true)
            .git_global(false)
            .require_git(in_git)
            .parents(in_git)
            .follow_links(false)
            .filter_entry(move |entry| {
                let is_dir = entry.file_type().is_some_and(|kind| !kind.is_file());
                let left_out = || is_dir && is_left_out(entry, &base, include_tests);
                entry.depth() == 0 || !(left_out() || excluded(&exclude, entry.path()))
            })
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => self.entry(&entry, argument),
                Err(error) => {
                    if let Some(path) = path_of(&error) {
                        self.skip(path, SkipReason::Unreadable);
                    }
                }
            }
        }
    }

    fn entry(&mut self, entry: &DirEntry, argument: &Path) {
        let (Some(kind), Some(name)) = (entry.file_type(), entry.file_name().to_str()) else {
            return;
        };
        let path = entry.path();
        if kind.is_symlink() {
            return self.link(path, name);
        }
        if kind.is_dir() {
            self.visited.insert(path.to_owned());
            return;
        }
        if !kind.is_file() {
            return;
        }
        self.manifest(path, name);
        let Some(language) = names::language_of(name) else {
            if let Some(extension) = names::unsupported_extension(name) {
                self.unread(extension, path);
            }
            return;
        };
        let folders = path.strip_prefix(argument).ok().and_then(Path::parent);
        let in_tests =
            folders.is_some_and(|folders| folders.iter().any(|name| name.to_str().is_some_and(names::is_test_dir)));
        let is_test = in_tests || names::is_test_file(name, language);
        if is_test && !self.include_tests {
            return;
        }
        match names::excluded_file(name) {
            None => self.source(path, language, is_test),
            Some(None) => {}
            Some(Some(reason)) => self.skip(path, reason),
        }
    }

    fn unread(&mut self, extension: &'static str, path: &Path) {
        let path = paths::relative(path, &self.tree.root);
        let seen = self.tree.unsupported.entry(extension).or_insert_with(|| (0, path.clone()));
        seen.0 += 1;
        if path < seen.1 {
            seen.1 = path;
        }
    }

    /// A link into the root is no file of its own: what it leads to is walked where it stands.
    fn link(&mut self, path: &Path, name: &str) {
        let matters = |target: Option<&Path>| target.is_some_and(Path::is_dir) || names::language_of(name).is_some();
        match fs::canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if matters(None) {
                    self.skip(path, SkipReason::Unreadable);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => self.skip(path, SkipReason::Unreadable),
            Err(_) => self.skip(path, SkipReason::LinkCycle),
            Ok(target) if path.starts_with(&target) => self.skip(path, SkipReason::LinkCycle),
            Ok(target) if !target.starts_with(&self.tree.root) && matters(Some(&target)) => {
                self.skip(path, SkipReason::OutsideRoot)
            }
            Ok(_) => {}
        }
    }

    fn named_file(&mut self, path: &Path) {
        let Some(name) = path.file_name().and_then(OsStr::to_str) else {
            return;
        };
        if excluded(&self.exclude, path) {
            return;
        }
        match names::language_of(name) {
            // A pipe or a device is nothing to read, and with nothing else there is nothing to say.
            Some(_) if !path.is_file() => self.skip(path, SkipReason::Unreadable),
            Some(language) => self.source(path, language, names::is_test_file(name, language)),
            None => {
                if names::manifest_of(name, "").is_none() {
                    self.skip(path, SkipReason::UnsupportedLanguage);
                }
                if let Some(extension) = names::unsupported_extension(name) {
                    self.unread(extension, path);
                }
            }
        }
    }

    /// Files that only the overlay has. They are made for what was asked for, so that it does not matter which arguments hold them.
    fn new_files(&mut self) {
        let overlay = self.tree.overlay.clone();
        for path in overlay.new_files() {
            let absolute = self.tree.root.join(path);
            let name = paths::file_name(path);
            let is_test = |language| names::is_test_file(name, language) || path.split('/').any(names::is_test_dir);
            match names::language_of(name) {
                Some(language) if self.include_tests || !is_test(language) => {
                    self.source(&absolute, language, is_test(language));
                }
                Some(_) => {}
                None => self.manifest(&absolute, name),
            }
        }
    }

    fn source(&mut self, path: &Path, language: Language, is_test: bool) {
        self.tree.files.push(SourceFile {
            path: paths::relative(path, &self.tree.root),
            absolute: path.to_owned(),
            language,
            is_test,
        });
    }

    fn manifest(&mut self, path: &Path, name: &str) {
        let dir = path.parent().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or("");
        if let Some(kind) = names::manifest_of(name, dir) {
            self.tree.manifests.push(ManifestFile {
                path: paths::relative(path, &self.tree.root),
                absolute: path.to_owned(),
                kind,
            });
        }
        if let Some(kind) = deployment_of(name) {
            let path_in_root = paths::relative(path, &self.tree.root);
            self.tree.deployments.push(DeploymentFile { path: path_in_root, absolute: path.to_owned(), kind });
        }
    }

    fn skip(&mut self, path: &Path, reason: SkipReason) {
        let path = paths::relative(path, &self.tree.root);
        self.tree.skipped.push(Skipped { path, reason });
    }

    /// Manifests of the folders between an argument and the root, and above the root up to where the repository begins.
    fn manifests_around(&mut self, argument: &Path) {
        let top = repository_root(argument);
        let root = self.tree.root.clone();
        let depth = root.components().count();
        for dir in argument.ancestors().skip(usize::from(!argument.is_dir())) {
            let above = depth.saturating_sub(dir.components().count());
            let beyond = match &top {
                Some(top) => !dir.starts_with(top),
                None => above > CLIMB_WITHOUT_GIT || (above > 0 && self.has_package()),
            };
            if beyond && above > 0 {
                break;
            }
            if !self.visited.insert(dir.to_owned()) {
                continue;
            }
            let Ok(entries) = fs::read_dir(dir) else {
                continue;
            };
            for entry in entries.flatten() {
                if let Some(name) = entry.file_name().to_str()
                    && entry.path().is_file()
                {
                    self.manifest(&entry.path(), name);
                }
            }
        }
    }

    fn has_package(&self) -> bool {
        self.tree.manifests.iter().any(|manifest| !matches!(manifest.kind, ManifestKind::TsConfig))
    }

    fn finish(mut self) -> Tree {
        let tree = &mut self.tree;
        tree.files.sort_unstable();
        tree.files.dedup_by(|a, b| a.path == b.path);
        tree.manifests.sort_unstable();
        tree.manifests.dedup();
        tree.deployments.sort_unstable();
        tree.deployments.dedup();
        tree.skipped.sort_unstable();
        tree.skipped.dedup();
        self.tree
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        _ => None,
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
