//! The versions that the SDKs among the dependencies have: by the repository's own members and by lock files.

use std::cmp::Reverse;
use std::fs;

use rustc_hash::FxHashMap;

use super::{Family, Package, lock, requirements};
use crate::workspace::names::{LockKind, ManifestKind};
use crate::workspace::paths;
use crate::workspace::sdk;
use crate::workspace::version::{Bounds, Release};
use crate::workspace::walk::{ManifestFile, Tree};

/// A dependency on a member of the same repository: its folder, and its own version.
pub(super) fn by_members(packages: &mut [Package]) {
    let members: FxHashMap<(Family, String), (String, Option<String>)> = packages
        .iter()
        .filter_map(|package| {
            let name = package.name.as_deref()?;
            let name = if package.family == Family::Python { requirements::normal_name(name) } else { name.to_owned() };
            Some(((package.family, name), (package.dir.clone(), package.version.clone())))
        })
        .collect();
    for package in packages {
        for dependency in &mut package.dependencies {
            let local = match (package.family, dependency.requirement.as_deref()) {
                (Family::Js, Some(requirement)) => {
                    ["workspace:", "link:", "file:", "portal:"].iter().any(|prefix| requirement.starts_with(prefix))
                }
                (_, requirement) => requirement.is_none() || dependency.path.is_some(),
            };
            let Some((dir, version)) =
                members.get(&(package.family, dependency.name.clone())).filter(|(dir, _)| local && *dir != package.dir)
            else {
                continue;
            };
            dependency.path.get_or_insert_with(|| dir.clone());
            if sdk::known(package.family, &dependency.name).is_some() {
                dependency.resolved.clone_from(version);
            }
        }
    }
}

/// Asks the lock files for the packages of the SDK tables, deepest lock file first. Each file is read once, and only if it is asked.
pub(super) fn by_lock_files(tree: &Tree, texts: &FxHashMap<String, String>, packages: &mut [Package]) {
    let mut locks: Vec<(&ManifestFile, LockKind)> = tree
        .manifests
        .iter()
        .filter_map(|file| match file.kind {
            ManifestKind::Lock(kind) => Some((file, kind)),
            _ => None,
        })
        .collect();
    locks.sort_by_key(|(file, kind)| (file.above(), Reverse(file.path.matches('/').count()), *kind));
    for (file, kind) in locks {
        let family = lock_family(kind);
        let mut bytes: Option<Vec<u8>> = None;
        for package in packages.iter_mut().filter(|package| package.family == family) {
            let Some(importer) = importer(tree, file, package) else {
                continue;
            };
            for dependency in &mut package.dependencies {
                if dependency.resolved.is_some() || sdk::known(family, &dependency.name).is_none() {
                    continue;
                }
                let bytes = bytes.get_or_insert_with(|| match texts.get(&file.path) {
                    Some(text) => text.clone().into_bytes(),
                    None => fs::read(&file.absolute).unwrap_or_default(),
                });
                let wanted = lock::Wanted {
                    name: &dependency.name,
                    local_name: dependency.local_name(),
                    requirement: dependency.requirement.as_deref(),
                    importer: &importer,
                };
                let versions = lock::versions(kind, bytes, wanted);
                dependency.resolved = best(family, dependency.requirement.as_deref(), versions);
            }
        }
    }
}

/// A package's folder as its lock file calls it; `None` where the lock file does not govern it.
fn importer(tree: &Tree, lock: &ManifestFile, package: &Package) -> Option<String> {
    if lock.above() == 0 {
        return paths::strip(&package.dir, lock.dir()).map(str::to_owned);
    }
    let up = package.manifest.as_deref().map_or(0, paths::above);
    let folder = if up > 0 { tree.root.ancestors().nth(up)?.to_owned() } else { tree.root.join(&package.dir) };
    Some(paths::relative(&folder, lock.absolute.parent()?))
}

/// The first version that the requirement allows. A lock file that contradicts the manifest is stale, or another's: it tells nothing.
/// What is no range (`workspace:*`, a tag, an address) allows the first.
fn best(family: Family, requirement: Option<&str>, versions: Vec<String>) -> Option<String> {
    let bounds = requirement.and_then(|requirement| Bounds::parse(family, requirement));
    let allowed = |version: &String| match (&bounds, Release::parse(version)) {
        (Some(bounds), Some(release)) => {
            bounds.exact.as_ref().map_or_else(|| bounds.allows(release), |exact| exact == version)
        }
        _ => true,
    };
    versions.into_iter().find(allowed)
}

/// The family that a lock file serves.
pub(super) fn lock_family(kind: LockKind) -> Family {
    match kind {
        LockKind::Npm | LockKind::Pnpm | LockKind::Yarn | LockKind::Bun | LockKind::Deno => Family::Js,
        LockKind::PythonToml | LockKind::Pipfile => Family::Python,
        LockKind::Cargo => Family::Rust,
    }
}
