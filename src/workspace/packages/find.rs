//! Reads the manifests of a tree and makes packages of them.

use std::fs;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::javascript::{self, Catalogs};
use super::{Family, Package, Packages, cargo, python, requirements, resolved};
use crate::syntax::source::{MARK, without_mark};
use crate::workspace::names::ManifestKind;
use crate::workspace::paths;
use crate::workspace::skipped::{SkipReason, Skipped};
use crate::workspace::walk::{ManifestFile, Tree};

/// Manifests are written by hand; what is larger than this is none.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// Reads a manifest as text, without a byte order mark; `None` where it is unreadable, too large or no text.
pub(crate) fn read_text(path: &Path) -> Option<String> {
    if fs::metadata(path).ok()?.len() > MAX_MANIFEST {
        return None;
    }
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    Some(match text.strip_prefix(MARK) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

impl Packages {
    /// Reads all manifests of a tree, and of its lock files what they say of the SDKs.
    pub fn find(tree: &Tree) -> Self {
        let texts = tree.overlay.texts().map(|(path, text)| (path.to_owned(), without_mark(text).to_owned()));
        Self::find_as_it_was(tree, &texts.collect())
    }

    /// The same with other texts for some manifests and lock files (by path): how the tree was before they changed.
    pub fn find_as_it_was(tree: &Tree, texts: &FxHashMap<String, String>) -> Self {
        let mut finder =
            Finder { tree, texts, packages: FxHashMap::default(), catalogs: Vec::new(), skipped: Vec::new() };
        finder.read_all();
        finder.add_implicit();
        finder.look_up_catalogs();
        let mut packages: Vec<Package> = finder.packages.into_values().collect();
        let tsconfigs = tsconfigs(tree);
        for package in &mut packages {
            let nearest = paths::ancestors(&package.dir).find_map(|dir| tsconfigs.get(dir));
            package.tsconfig = nearest.map(|path| (*path).to_owned());
        }
        resolved::by_members(&mut packages);
        resolved::by_lock_files(tree, texts, &mut packages);
        Packages::new(packages, finder.skipped)
    }
}

/// The configuration of each folder that has one; `tsconfig.json` comes before `jsconfig.json`.
fn tsconfigs(tree: &Tree) -> FxHashMap<&str, &str> {
    let mut found = FxHashMap::default();
    for file in tree.manifests.iter().filter(|file| file.kind == ManifestKind::TsConfig && file.above() == 0) {
        match paths::file_name(&file.path) {
            "tsconfig.json" => {
                found.insert(file.dir(), file.path.as_str());
            }
            "jsconfig.json" => {
                found.entry(file.dir()).or_insert(file.path.as_str());
            }
            _ => {}
        }
    }
    found
}

struct Finder<'a> {
    tree: &'a Tree,
    /// Texts to be taken instead of those on disk.
    texts: &'a FxHashMap<String, String>,
    packages: FxHashMap<(Family, String), Package>,
    /// Catalogs with the folder they hold for; those above the root last, nearest first.
    catalogs: Vec<(String, Catalogs)>,
    skipped: Vec<Skipped>,
}

impl<'a> Finder<'a> {
    fn read_all(&mut self) {
        // Inside first, then upwards: a manifest above the root only counts where the root has none of its family.
        let mut files: Vec<&ManifestFile> = self
            .tree
            .manifests
            .iter()
            .filter(|file| !matches!(file.kind, ManifestKind::Lock(_) | ManifestKind::TsConfig))
            .collect();
        files.sort_by_key(|file| (file.above(), file.kind, file.path.as_str()));
        let texts: Vec<(&ManifestFile, String)> =
            files.into_iter().filter_map(|file| Some((file, self.read(file)?))).collect();
        let crates: Vec<(&ManifestFile, &str, Option<toml::Table>)> = texts
            .iter()
            .filter(|(file, _)| file.kind == ManifestKind::CargoToml)
            .map(|(file, text)| (*file, text.as_str(), cargo::parse(text)))
            .collect();
        let workspaces: Vec<(&str, usize, cargo::Workspace)> = crates
            .iter()
            .filter_map(|(file, _, table)| {
                Some((file.dir(), file.above(), cargo::workspace(table.as_ref()?, file.dir())?))
            })
            .collect();
        for (file, text, table) in &crates {
            let workspace = paths::ancestors(file.dir()).find_map(|dir| {
                let nearest = workspaces.iter().filter(|(at, ..)| *at == dir).min_by_key(|(_, above, _)| *above);
                nearest.map(|(.., workspace)| workspace)
            });
            match table {
                Some(table) => self.add(file, |package| cargo::cargo_toml(table, text, &file.path, workspace, package)),
                None => self.broken(file),
            }
        }
        for (file, text) in &texts {
            self.take_in(file, text);
        }
    }

    fn read(&mut self, file: &ManifestFile) -> Option<String> {
        let text = self.texts.get(&file.path).cloned().or_else(|| read_text(&file.absolute));
        if text.is_none() {
            let reason = if fs::File::open(&file.absolute).is_ok() {
                SkipReason::BrokenManifest
            } else {
                SkipReason::Unreadable
            };
            self.skipped.push(Skipped::new(file.path.clone(), reason));
        }
        text
    }

    fn take_in(&mut self, file: &ManifestFile, text: &str) {
        let path = file.path.as_str();
        match file.kind {
            ManifestKind::PackageJson => {
                let mut catalogs = None;
                self.add(file, |package| {
                    catalogs = javascript::package_json(text, path, package);
                    javascript::is_package(package)
                });
                match catalogs {
                    Some(catalogs) => self.catalogs.push((file.dir().to_owned(), catalogs)),
                    None => self.broken(file),
                }
            }
            ManifestKind::PnpmWorkspace => match javascript::pnpm_workspace(text) {
                Some((members, catalogs)) => {
                    self.catalogs.push((file.dir().to_owned(), catalogs));
                    if let Some(package) =
                        self.packages.get_mut(&(Family::Js, file.dir().to_owned())).filter(|_| file.above() == 0)
                    {
                        package.js.workspaces.extend(members);
                    }
                }
                None => self.broken(file),
            },
            ManifestKind::DenoJson => {
                let mut read = None;
                self.add(file, |package| {
                    read = javascript::deno_json(text, path, package);
                    read.is_some()
                });
                if read.is_none() {
                    self.broken(file);
                }
            }
            ManifestKind::Pyproject => {
                let mut read = None;
                self.add(file, |package| {
                    read = python::pyproject(text, path, package);
                    read == Some(true)
                });
                if read.is_none() {
                    self.broken(file);
                }
            }
            ManifestKind::SetupCfg => self.add(file, |package| python::setup_cfg(text, path, package)),
            ManifestKind::SetupPy => self.add(file, |package| {
                python::setup_py(text, path, package);
                text.contains("setup(")
            }),
            ManifestKind::Pipfile => {
                let mut read = None;
                self.add(file, |package| {
                    read = python::pipfile(text, path, package);
                    read.is_some()
                });
                if read.is_none() {
                    self.broken(file);
                }
            }
            ManifestKind::Requirements => {
                let root = self.tree.root.clone();
                self.add(file, |package| {
                    package.dependencies.extend(requirements::file(text, path, &file.absolute, &root));
                    true
                });
            }
            ManifestKind::CargoToml | ManifestKind::TsConfig | ManifestKind::Lock(_) => {}
        }
    }

    /// Lets `read` fill a package from a manifest; it counts where that says so. Several manifests of one folder and family make one package.
    fn add(&mut self, file: &ManifestFile, read: impl FnOnce(&mut Package) -> bool) {
        let family = family_of(file.kind);
        let dir = package_dir(file);
        let key = (family, dir.clone());
        let known = self.packages.get(&key);
        // One above the root joins only what came from its own folder.
        if file.above() > 0
            && known.is_some_and(|package| package.manifest.as_deref().map_or(0, paths::above) != file.above())
        {
            read(&mut Package::new(family, &dir));
            return;
        }
        let mut package = known.cloned().unwrap_or_else(|| Package::new(family, &dir));
        if read(&mut package) {
            if package.manifest.is_none() {
                package.manifest = Some(file.path.clone());
                package.kind = Some(file.kind);
            }
            self.packages.insert(key, package);
        }
    }

    fn broken(&mut self, file: &ManifestFile) {
        self.skipped.push(Skipped::new(file.path.clone(), SkipReason::BrokenManifest));
    }

    /// Sources without any manifest belong to a package without one.
    fn add_implicit(&mut self) {
        for family in Family::ALL {
            let orphan = |path: &str| {
                !paths::ancestors(paths::parent(path)).any(|dir| self.packages.contains_key(&(family, dir.to_owned())))
            };
            let mut files = self.tree.files.iter().filter(|file| Family::of(file.language) == family);
            if files.any(|file| orphan(&file.path)) {
                self.packages.insert((family, ".".to_owned()), Package::new(family, "."));
            }
        }
    }

    fn look_up_catalogs(&mut self) {
        for package in self.packages.values_mut().filter(|package| package.family == Family::Js) {
            for dependency in &mut package.dependencies {
                let Some(requirement) = dependency.requirement.as_deref().filter(|text| text.starts_with("catalog:"))
                else {
                    continue;
                };
                let at = |dir: &str| {
                    self.catalogs
                        .iter()
                        .filter(|(at, _)| at == dir)
                        .find_map(|(_, catalogs)| javascript::from_catalog(catalogs, requirement, &dependency.name))
                };
                if let Some(found) = paths::ancestors(&package.dir).find_map(at) {
                    dependency.requirement = Some(found.to_owned());
                }
            }
        }
    }
}

fn family_of(kind: ManifestKind) -> Family {
    use ManifestKind as M;
    match kind {
        M::PackageJson | M::PnpmWorkspace | M::DenoJson | M::TsConfig => Family::Js,
        M::Pyproject | M::SetupCfg | M::SetupPy | M::Pipfile | M::Requirements => Family::Python,
        M::CargoToml => Family::Rust,
        M::Lock(kind) => resolved::lock_family(kind),
    }
}

/// The folder of the package that a manifest describes: `requirements/base.txt` belongs to the folder above.
fn package_dir(file: &ManifestFile) -> String {
    let dir = file.dir();
    let in_folder = file.kind == ManifestKind::Requirements && paths::file_name(dir) == "requirements";
    if in_folder { paths::parent(dir).to_owned() } else { dir.to_owned() }
}
