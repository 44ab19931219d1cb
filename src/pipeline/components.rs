//! Modules that import each other, and what is known of each such set by now.

use rustc_hash::FxHashMap;

use super::analyse::Answers;
use super::load::{Loaded, all_specifiers};
use crate::model::facts::Language;
use crate::model::name::Name;
use crate::workspace::packages::Specifier;
use crate::workspace::{Family, Packages, Resolution, Resolver, sdk};

/// Where the imports of modules lead, and the answers of sets of modules that nothing more has to be read for.
#[derive(Default)]
pub struct Solved {
    /// For each module: where its specifiers lead.
    pub resolutions: Vec<Vec<(Name, Resolution)>>,
    /// The answers of the sets that were solved.
    pub answers: FxHashMap<Vec<usize>, Answers>,
    /// How often further files were asked for.
    pub rounds: usize,
}

impl Solved {
    /// Resolves the imports of modules that are new.
    pub fn resolve(&mut self, loaded: &Loaded<'_>, resolver: &Resolver, packages: &Packages) {
        for module in &loaded.modules[self.resolutions.len()..] {
            let mut specifiers = all_specifiers(module, true);
            specifiers.sort_unstable();
            specifiers.dedup();
            let resolve = |name: Name| (name, resolve(&module.path, module.language, name.text(), resolver, packages));
            self.resolutions.push(specifiers.into_iter().map(resolve).collect());
        }
    }

    /// Modules that imports connect, each set sorted by path.
    pub fn components(&self, loaded: &Loaded<'_>) -> Vec<Vec<usize>> {
        let mut parent: Vec<usize> = (0..loaded.modules.len()).collect();
        fn find(parent: &mut [usize], mut at: usize) -> usize {
            while parent[at] != at {
                parent[at] = parent[parent[at]];
                at = parent[at];
            }
            at
        }
        let linked = |index: &usize| !loaded.alone.contains(index);
        for (index, resolutions) in self.resolutions.iter().enumerate().filter(|(index, _)| linked(index)) {
            for (_, resolution) in resolutions {
                if let Resolution::File(path) = resolution
                    && let Some(&other) = loaded.by_path.get(path).filter(|other| linked(other))
                {
                    let (a, b) = (find(&mut parent, index), find(&mut parent, other));
                    parent[a.max(b)] = a.min(b);
                }
            }
        }
        let mut sets: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for index in 0..loaded.modules.len() {
            let root = find(&mut parent, index);
            sets.entry(root).or_default().push(index);
        }
        let mut out: Vec<Vec<usize>> = sets.into_values().collect();
        for set in &mut out {
            set.sort_by(|a, b| loaded.modules[*a].path.cmp(&loaded.modules[*b].path));
        }
        out.sort_by(|a, b| loaded.modules[a[0]].path.cmp(&loaded.modules[b[0]].path));
        out
    }
}

/// Where an import leads. An SDK whose sources lie in the same tree is an SDK all the same to other packages: what its names mean is
/// known, and is no question of how they are written.
pub fn resolve(
    path: &str,
    language: Language,
    specifier: &str,
    resolver: &Resolver,
    packages: &Packages,
) -> Resolution {
    let resolution = resolver.resolve(path, specifier);
    let Resolution::File(target) = &resolution else { return resolution };
    let family = Family::of(language);
    let parts = match family {
        Family::Js => Specifier::parse(specifier).map(|parts| (parts.name, parts.subpath)),
        Family::Python => Some(specifier.split_once('.').unwrap_or((specifier, ""))),
        Family::Rust => None,
    };
    let Some((package, subpath)) = parts.filter(|(package, _)| sdk::of_import(family, package).is_some()) else {
        return resolution;
    };
    let dir = |path: &str| packages.of_file(path, language).map(|package| package.dir.as_str());
    if dir(path) == dir(target) {
        return resolution;
    }
    Resolution::External { package: package.to_owned(), subpath: subpath.to_owned() }
}
