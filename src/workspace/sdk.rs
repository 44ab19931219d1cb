//! Which SDKs and frameworks a package is built on, and which revisions they speak.
//!
//! The tables are data: `grammars/<language>/packages.toml`.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

use super::packages::{Dependency, Family, Package, Packages};
use super::version::{Bounds, Release, Upper};

include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// Which revisions a release speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Era {
    /// Revisions with sessions alone, up to 2025-11-25.
    Legacy,
    /// 2026-07-28 (too).
    Modern,
}

/// What a package of the tables is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SdkKind {
    /// An SDK that servers are written with.
    ServerSdk,
    /// A framework on top of one that shows its sessions.
    Framework,
    /// A framework whose sessions the code never sees as such.
    FrameworkHidingSessions,
    /// A transport, bridge or part for use beside an SDK.
    Adapter,
    /// For clients alone.
    ClientSdk,
}

/// From which release on a package speaks what; `None` where that is not established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EraRange {
    /// The first release.
    pub from: Release,
    /// What it speaks.
    pub era: Option<Era>,
}

/// A package of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPackage {
    /// Its ecosystem.
    pub family: Family,
    /// Its name; `@scope/*` for a whole scope.
    pub name: &'static str,
    /// What it is.
    pub kind: SdkKind,
    /// The modules that code imports from it, where they are not called as it is.
    pub modules: &'static [&'static str],
    /// Its eras, ascending.
    pub eras: &'static [EraRange],
}

impl KnownPackage {
    /// What a release of it speaks.
    pub fn era_of(&self, release: Release) -> Option<Era> {
        self.eras.iter().rev().find(|range| range.from <= release)?.era
    }

    /// The ranges that hold a release within bounds.
    fn ranges_within(&self, bounds: &Bounds) -> impl Iterator<Item = &EraRange> {
        let next = |index: usize| self.eras.get(index + 1).map(|next| next.from);
        self.eras
            .iter()
            .enumerate()
            .filter(move |(index, range)| bounds.overlaps(range.from, next(*index)))
            .map(|(_, range)| range)
    }
}

static BY_NAME: LazyLock<FxHashMap<(Family, &'static str), &'static KnownPackage>> =
    LazyLock::new(|| KNOWN.iter().map(|package| ((package.family, package.name), package)).collect());

/// The entry of a package (for Python in normal form).
pub fn known(family: Family, name: &str) -> Option<&'static KnownPackage> {
    BY_NAME.get(&(family, name)).copied().or_else(|| {
        let (scope, _) = name.split_once('/')?;
        KNOWN.iter().find(|package| package.family == family && package.name.strip_suffix("/*") == Some(scope))
    })
}

/// The entry of the package that an import names: `@scope/name/sub`, `mcp.server.fastmcp`, `rmcp::model`.
pub fn of_import(family: Family, specifier: &str) -> Option<&'static KnownPackage> {
    let specifier = specifier.strip_prefix("npm:").or_else(|| specifier.strip_prefix("jsr:")).unwrap_or(specifier);
    let matches = |module: &str| {
        let rest = specifier.strip_prefix(module)?;
        (rest.is_empty() || rest.starts_with(['/', '.', ':', '@'])).then_some(())
    };
    KNOWN.iter().filter(|package| package.family == family).find(|package| {
        let by_name = || match (family, package.name.strip_suffix('*')) {
            (Family::Js, Some(scope)) => specifier.starts_with(scope).then_some(()),
            (Family::Js, None) => matches(package.name),
            _ => matches(&package.name.replace('-', "_")),
        };
        if package.modules.is_empty() {
            by_name().is_some()
        } else {
            package.modules.iter().any(|module| matches(module).is_some())
        }
    })
}

/// What an era was told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EraSource {
    /// The lock file, or a member of the same repository.
    Lock,
    /// A requirement that pins one version.
    Pin,
    /// All that the requirement allows speaks the same.
    Range,
    /// Names that the code imports.
    Vocabulary,
    /// The lowest version that the requirement allows.
    LowerBound,
    /// Nothing: the era is not known.
    Unknown,
}

/// An SDK that a package depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sdk {
    /// The package's name in its registry.
    pub name: String,
    /// What it is.
    pub kind: SdkKind,
    /// The manifest's requirement.
    pub requirement: Option<String>,
    /// The version by lock file, else by exact pin.
    pub resolved: Option<String>,
    /// What that version speaks; `None` where it can't be told.
    pub era: Option<Era>,
    /// What told the era.
    pub era_source: EraSource,
    /// The lowest version that the API may be spelled for.
    pub lower_bound: Option<Release>,
    /// The highest version allowed; `None` without an upper bound.
    pub highest_allowed: Option<Upper>,
    /// The requirement allows a release that speaks 2026-07-28.
    pub may_be_modern: bool,
    /// Declared for development alone.
    pub dev: bool,
    /// The manifest that declares it.
    pub manifest: String,
    /// The line there; 0 where there is none.
    pub line: u32,
}

impl Sdk {
    /// Takes the era of the vocabulary that the code imports into account: it says more than a lower bound, and less than a version.
    pub fn with_vocabulary(mut self, imported: Option<Era>) -> Self {
        if imported.is_some() && matches!(self.era_source, EraSource::LowerBound | EraSource::Unknown) {
            self.era = imported;
            self.era_source = EraSource::Vocabulary;
        }
        self
    }
}

/// The SDKs of a package's own dependencies, what matters most first.
pub fn sdks(package: &Package) -> Vec<Sdk> {
    sdks_of(package.family, &package.dependencies)
}

/// The SDKs of a package; where it declares none, those of the nearest package around it that does (npm hoists).
pub fn sdks_in(packages: &Packages, package: &Package) -> Vec<Sdk> {
    let own = sdks(package);
    if !own.is_empty() {
        return own;
    }
    packages.around(package).map(sdks).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The SDKs among some dependencies.
pub fn sdks_of(family: Family, dependencies: &[Dependency]) -> Vec<Sdk> {
    let mut found: Vec<Sdk> = Vec::new();
    let declared = |dependency: &&Dependency| known(family, &dependency.name).is_some();
    for dependency in dependencies.iter().filter(declared) {
        if found.iter().any(|sdk| sdk.name == dependency.name) {
            continue;
        }
        let same: Vec<&Dependency> = dependencies.iter().filter(|other| other.name == dependency.name).collect();
        found.extend(known(family, &dependency.name).map(|package| sdk(package, &same)));
    }
    found.sort_by(|a, b| (a.dev, a.kind, &a.name).cmp(&(b.dev, b.kind, &b.name)));
    found
}

/// One SDK from all its declarations: run-time ones count before those for development.
fn sdk(package: &KnownPackage, declared: &[&Dependency]) -> Sdk {
    let main = declared.iter().find(|dependency| !dependency.dev).unwrap_or(&declared[0]);
    let ranges: Vec<Bounds> = declared
        .iter()
        .filter_map(|dependency| Bounds::parse(package.family, dependency.requirement.as_deref()?))
        .collect();
    let pin = ranges.iter().find_map(|bounds| bounds.exact.clone());
    let locked = main.resolved.clone().or_else(|| declared.iter().find_map(|dependency| dependency.resolved.clone()));
    let source = if locked.is_some() { EraSource::Lock } else { EraSource::Pin };
    let bounds = main
        .requirement
        .as_deref()
        .and_then(|requirement| Bounds::parse(package.family, requirement))
        .or_else(|| ranges.first().cloned())
        .unwrap_or_default();
    let resolved = locked.or(pin);
    let (era, era_source) = match resolved.as_deref().and_then(Release::parse) {
        Some(release) => (package.era_of(release), source),
        None => era_of_range(package, &bounds),
    };
    Sdk {
        name: main.name.clone(),
        kind: package.kind,
        requirement: main.requirement.clone(),
        may_be_modern: package.ranges_within(&bounds).any(|range| range.era == Some(Era::Modern)),
        lower_bound: bounds.lower.or_else(|| resolved.as_deref().and_then(Release::parse)),
        highest_allowed: bounds.upper,
        resolved,
        era_source: if era.is_none() { EraSource::Unknown } else { era_source },
        era,
        dev: main.dev,
        manifest: main.manifest.clone(),
        line: main.line,
    }
}

fn era_of_range(package: &KnownPackage, bounds: &Bounds) -> (Option<Era>, EraSource) {
    let mut eras = package.ranges_within(bounds).map(|range| range.era);
    let first = eras.next().flatten();
    if first.is_some() && eras.all(|era| era == first) {
        return (first, EraSource::Range);
    }
    (bounds.lower.and_then(|lower| package.era_of(lower)), EraSource::LowerBound)
}

#[cfg(test)]
#[path = "sdk_tests.rs"]
mod tests;
