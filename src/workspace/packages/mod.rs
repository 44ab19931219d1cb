//! Manifests and lock files → packages: what each folder is called, depends on, and in which version.

mod cargo;
mod find;
mod javascript;
mod lock;
mod python;
mod requirements;
mod resolved;
mod specifier;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::model::facts::Language;

use super::names::ManifestKind;
use super::paths;
use super::skipped::Skipped;

pub(crate) use find::read_text;
pub(crate) use javascript::jsonc;
pub use requirements::normal_name;
pub use specifier::{Specifier, dependencies_in_specifiers};

/// An ecosystem of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// npm, jsr: TypeScript and JavaScript.
    Js,
    /// Python.
    Python,
    /// Cargo.
    Rust,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Js, Self::Python, Self::Rust];

    /// The family of a language.
    pub fn of(language: Language) -> Self {
        match language {
            Language::TypeScript | Language::JavaScript => Self::Js,
            Language::Python => Self::Python,
            Language::Rust => Self::Rust,
        }
    }
}

/// A dependency that a manifest declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependency {
    /// Its name in the registry; for Python in normal form (lower case, hyphens).
    pub name: String,
    /// The name that the code uses, where the manifest renames it.
    pub alias: Option<String>,
    /// The requirement, catalogs and workspace inheritance looked up; `None` where none is written.
    pub requirement: Option<String>,
    /// The version that a lock file (or the workspace itself) gives it. Only looked up for packages of the SDK tables.
    pub resolved: Option<String>,
    /// The folder of a dependency inside the repository, relative to the root.
    pub path: Option<String>,
    /// Needed for development alone.
    pub dev: bool,
    /// The manifest that declares it.
    pub manifest: String,
    /// The line in that manifest; 0 where it has none.
    pub line: u32,
}

impl Dependency {
    /// The name that the code imports it by.
    pub fn local_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

/// What `package.json` or `deno.json` says beside dependencies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsFields {
    /// `type` is `module`.
    pub is_module: bool,
    /// `main`.
    pub main: Option<String>,
    /// `module`.
    pub module: Option<String>,
    /// `types` or `typings`.
    pub types: Option<String>,
    /// `bin`: command and file.
    pub bin: Vec<(String, String)>,
    /// `exports`.
    pub exports: Option<Value>,
    /// `imports`: `#internal` names in `package.json`, the import map in `deno.json`.
    pub imports: Vec<(String, Value)>,
    /// Globs of workspace members.
    pub workspaces: Vec<String>,
}

/// A package: one folder in one ecosystem.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// Folder relative to the root; `.` for the root itself.
    pub dir: String,
    /// Its ecosystem.
    pub family: Family,
    /// Its name.
    pub name: Option<String>,
    /// Its own version.
    pub version: Option<String>,
    /// The manifest that counts most; `None` for a folder of sources without any.
    pub manifest: Option<String>,
    /// What kind of manifest that is.
    pub kind: Option<ManifestKind>,
    /// All its dependencies, from all its manifests.
    pub dependencies: Vec<Dependency>,
    /// JavaScript's own fields.
    pub js: JsFields,
    /// Folders (relative to the root) that Python modules are imported from, where the manifest names them.
    pub python_roots: Vec<String>,
    /// The nearest `tsconfig.json` or `jsconfig.json` at or above it.
    pub tsconfig: Option<String>,
}

impl Package {
    fn new(family: Family, dir: &str) -> Self {
        Self {
            dir: dir.to_owned(),
            family,
            name: None,
            version: None,
            manifest: None,
            kind: None,
            dependencies: Vec::new(),
            js: JsFields::default(),
            python_roots: Vec::new(),
            tsconfig: None,
        }
    }

    /// The dependency that code of the package imports under a name.
    pub fn dependency(&self, local_name: &str) -> Option<&Dependency> {
        self.dependencies.iter().find(|dependency| dependency.local_name() == local_name)
    }

    /// The folder of a Rust crate that code of the package names: a dependency by path. (How modules of a crate are found is its front
    /// end's business.)
    pub fn crate_dir(&self, name: &str) -> Option<&str> {
        let written = |dependency: &&Dependency| dependency.local_name().replace('-', "_") == name;
        self.dependencies.iter().find(written)?.path.as_deref()
    }
}

/// All packages of a tree.
#[derive(Clone, Debug, Default)]
pub struct Packages {
    list: Vec<Package>,
    by_dir: FxHashMap<(Family, String), usize>,
    /// Manifests that could not be read.
    pub skipped: Vec<Skipped>,
}

impl Packages {
    fn new(mut list: Vec<Package>, skipped: Vec<Skipped>) -> Self {
        list.sort_by(|a, b| (&a.dir, a.family).cmp(&(&b.dir, b.family)));
        let by_dir =
            list.iter().enumerate().map(|(index, package)| ((package.family, package.dir.clone()), index)).collect();
        Self { list, by_dir, skipped }
    }

    /// All packages, sorted by folder and family.
    pub fn all(&self) -> &[Package] {
        &self.list
    }

    /// The package of a file: the nearest of its language's family. `None` only for a file that the tree does not hold.
    pub fn of_file(&self, path: &str, language: Language) -> Option<&Package> {
        self.nearest(Family::of(language), paths::parent(path))
    }

    /// The nearest package of a family at or above a folder.
    pub fn nearest(&self, family: Family, dir: &str) -> Option<&Package> {
        paths::ancestors(dir).find_map(|dir| self.at(family, dir))
    }

    /// The package of a family in exactly this folder.
    pub fn at(&self, family: Family, dir: &str) -> Option<&Package> {
        self.by_dir.get(&(family, dir.to_owned())).map(|&index| &self.list[index])
    }

    /// The packages around one, nearest first: npm hoists what the workspace root depends on.
    pub fn around<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = &'a Package> {
        paths::ancestors(&package.dir).skip(1).filter_map(|dir| self.at(package.family, dir))
    }

    /// The package of this name in the tree.
    pub fn named(&self, family: Family, name: &str) -> Option<&Package> {
        self.list.iter().find(|package| package.family == family && package.name.as_deref() == Some(name))
    }
}

/// The 1-based line of the first occurrence of `needle` in `text`, preferring one that has `also` on the same line.
fn line_of(text: &str, needle: &str, also: &str) -> u32 {
    let holds = |line: &str| line.match_indices(needle).any(|(at, _)| is_whole(line, at, needle.len()));
    let numbered = || (1u32..).zip(text.lines()).filter(|(_, line)| holds(line));
    let best = numbered().find(|(_, line)| line.contains(also)).or_else(|| numbered().next());
    best.map_or(0, |(number, _)| number)
}

/// Whether what stands at `at` is a name of its own, not a part of a longer one.
fn is_whole(line: &str, at: usize, length: usize) -> bool {
    let part =
        |byte: Option<&u8>| byte.is_some_and(|&b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'@'));
    let bytes = line.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    !part(before) && !part(bytes.get(at + length).filter(|&&b| b != b'@'))
}

#[cfg(test)]
mod tests;
