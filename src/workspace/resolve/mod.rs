//! What an import leads to: a file of the tree, an installed package, a built-in module.
//!
//! Everything is read once when the resolver is made; a query is a few hash look-ups.

mod exports;
mod javascript;
mod python;
mod rust;
mod tsconfig;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::Language;

use super::names::{self, ManifestKind};
use super::packages::{Family, JsFields, Packages};
use super::paths;
use super::walk::Tree;
use tsconfig::TsConfig;

/// What a specifier leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A file of the tree: its path relative to the root.
    File(String),
    /// An installed package.
    External {
        /// Its name (Python: the first segment of the module; Rust: the crate as the code calls it).
        package: String,
        /// What of it: `server/mcp.js`, `server.fastmcp`; empty for its main module.
        subpath: String,
    },
    /// A module of the platform: `fs`, `bun:sqlite`, `std`.
    Builtin(String),
    /// A local file that is not there (or no code: JSON, styles).
    Missing,
}

/// A JavaScript package, as far as it is imported from.
struct JsPackage {
    dir: String,
    fields: JsFields,
    /// Names that its manifest gives to packages called otherwise.
    aliases: FxHashMap<String, String>,
}

/// Answers what imports lead to.
pub struct Resolver {
    known: FxHashSet<String>,
    js: Vec<JsPackage>,
    js_by_dir: FxHashMap<String, usize>,
    js_by_name: FxHashMap<String, usize>,
    tsconfigs: FxHashMap<String, TsConfig>,
    /// Folders that Python modules are imported from, by package folder.
    python_roots: FxHashMap<String, Vec<String>>,
    /// The same of all packages, by the top-level modules found there.
    python_modules: FxHashMap<String, Vec<String>>,
    /// Folders of path dependencies, by package folder and crate name.
    crates: FxHashMap<(String, String), String>,
    /// Folders that are Python packages.
    python_packages: FxHashSet<String>,
    /// Whatever a Python module of the tree, or a part of one, is called.
    python_names: FxHashSet<String>,
    /// Names of crates, by package folder.
    crate_names: FxHashMap<String, String>,
}

impl Resolver {
    /// A resolver over the files of a tree.
    pub fn new(tree: &Tree, packages: &Packages) -> Self {
        let mut resolver = Self {
            known: tree.files.iter().map(|file| file.path.clone()).collect(),
            js: Vec::new(),
            js_by_dir: FxHashMap::default(),
            js_by_name: FxHashMap::default(),
            tsconfigs: FxHashMap::default(),
            python_roots: FxHashMap::default(),
            python_modules: FxHashMap::default(),
            crates: FxHashMap::default(),
            python_packages: FxHashSet::default(),
            python_names: FxHashSet::default(),
            crate_names: FxHashMap::default(),
        };
        for package in packages.all() {
            match package.family {
                Family::Js => {
                    let index = resolver.js.len();
                    resolver.js_by_dir.insert(package.dir.clone(), index);
                    if let Some(name) = &package.name {
                        resolver.js_by_name.entry(name.clone()).or_insert(index);
                    }
                    let aliases = package
                        .dependencies
                        .iter()
                        .filter_map(|dependency| Some((dependency.alias.clone()?, dependency.name.clone())));
                    resolver.js.push(JsPackage {
                        dir: package.dir.clone(),
                        fields: package.js.clone(),
                        aliases: aliases.collect(),
                    });
                }
                Family::Python => {
                    let mut roots = package.python_roots.clone();
                    roots.extend(paths::join(&package.dir, "src"));
                    roots.push(package.dir.clone());
                    resolver.python_roots.insert(package.dir.clone(), roots);
                }
                Family::Rust => {
                    if let Some(name) = &package.name {
                        resolver.crate_names.insert(package.dir.clone(), name.replace('-', "_"));
                    }
                    for dependency in &package.dependencies {
                        if let Some(dir) = &dependency.path {
                            let name = dependency.local_name().replace('-', "_");
                            resolver.crates.insert((package.dir.clone(), name), dir.clone());
                        }
                    }
                }
            }
        }
        resolver.index_python_modules(tree);
        for file in tree.manifests.iter().filter(|file| file.kind == ManifestKind::TsConfig && file.above() == 0) {
            let name = paths::file_name(&file.path);
            if name != "tsconfig.json" && (name != "jsconfig.json" || resolver.tsconfigs.contains_key(file.dir())) {
                continue;
            }
            if let Some(config) = tsconfig::load(&tree.root, &file.path, &|name| {
                resolver.js_package(name).map(|package| package.dir.as_str())
            }) {
                resolver.tsconfigs.insert(file.dir().to_owned(), config);
            }
        }
        resolver
    }

    /// What `specifier`, written in the file `from`, leads to.
    pub fn resolve(&self, from: &str, specifier: &str) -> Resolution {
        match names::language_of(paths::file_name(from)) {
            Some(Language::TypeScript | Language::JavaScript) => self.javascript(from, specifier),
            Some(Language::Python) => self.python(from, specifier),
            Some(Language::Rust) => self.rust(from, specifier),
            None => Resolution::Missing,
        }
    }

    /// The submodule that `from module import name` takes, where `name` is one (`from . import sessions`); Python alone.
    pub fn resolve_submodule(&self, from: &str, module: &str, name: &str) -> Option<String> {
        let dot = if module.ends_with('.') || module.is_empty() { "" } else { "." };
        match self.python(from, &format!("{module}{dot}{name}")) {
            Resolution::File(path) => Some(path),
            _ => None,
        }
    }

    /// Whether the tree holds a file of this path.
    pub fn contains(&self, path: &str) -> bool {
        self.known.contains(path)
    }
}

#[cfg(test)]
#[path = "../resolve_tests.rs"]
mod tests;
