//! Which package each module of a program belongs to, and which packages are part of a server that another one serves.

use rustc_hash::FxHashSet;

use crate::model::program::{Link, Program};
use crate::workspace::{Family, Packages};

/// The packages of a program.
pub struct Owners {
    /// The packages: language family, and folder relative to the root.
    pub list: Vec<(Family, String)>,
    /// For each module, the place of its package in the list.
    pub of: Vec<usize>,
    /// Which package imports which.
    imports: FxHashSet<(usize, usize)>,
}

impl Owners {
    /// The packages that the modules of a program belong to.
    pub fn of(program: &Program, packages: &Packages) -> Self {
        let mut list: Vec<(Family, String)> = Vec::new();
        let of = program.modules.iter().map(|module| {
            let dir = packages.of_file(&module.path, module.language).map_or(".", |package| package.dir.as_str());
            let key = (Family::of(module.language), dir.to_owned());
            list.iter().position(|known| *known == key).unwrap_or_else(|| {
                list.push(key);
                list.len() - 1
            })
        });
        let of: Vec<usize> = of.collect();
        let between = program.links.iter().filter_map(|((module, _), link)| match link {
            Link::Module(target) => Some((of[*module as usize], of[*target as usize])),
            _ => None,
        });
        let imports = between.filter(|(from, to)| from != to).collect();
        Self { list, of, imports }
    }

    /// For each module, whether it belongs to a package.
    pub fn modules(&self, owner: usize) -> Vec<bool> {
        self.of.iter().map(|own| *own == owner).collect()
    }

    /// Packages whose code a package runs: those that it imports, directly or not. Beyond those that `serve` themselves nobody looks.
    pub fn below(&self, owner: usize, serves: &dyn Fn(usize) -> bool) -> FxHashSet<usize> {
        let mut out = FxHashSet::default();
        let mut pending = vec![owner];
        while let Some(from) = pending.pop() {
            for (_, to) in self.imports.iter().filter(|(importer, _)| *importer == from) {
                if *to != owner && out.insert(*to) && !serves(*to) {
                    pending.push(*to);
                }
            }
        }
        out
    }
}
