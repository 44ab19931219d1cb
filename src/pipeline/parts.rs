//! The packages of a program that have an answer, and which of them are planned together: a server with the packages that it is made of.

use rustc_hash::FxHashSet;

use super::owners::Owners;
use crate::classify::answer::Server;
use crate::classify::signals::Signals;
use crate::classify::stores::Analysis;
use crate::plan::{self, PlanSettings, ServerPlan};
use crate::rules::detect::Context;

/// A package that has an answer.
pub struct Part {
    /// Its place among the packages of the program.
    pub owner: usize,
    /// For each module of the program, whether it belongs to the package.
    pub modules: Vec<bool>,
    /// It serves over HTTP.
    pub http: bool,
    /// The answer.
    pub server: Server,
}

/// All packages of a program that have one.
pub struct Parts<'a> {
    owners: &'a Owners,
    parts: Vec<Part>,
    /// For each part, the packages whose code its server runs beside its own.
    below: Vec<FxHashSet<usize>>,
}

impl<'a> Parts<'a> {
    /// Sees which parts run the code of which packages.
    pub fn new(owners: &'a Owners, parts: Vec<Part>) -> Self {
        let serving: FxHashSet<usize> = parts.iter().filter(|part| part.http).map(|part| part.owner).collect();
        let below = |part: &Part| match part.http {
            true => owners.below(part.owner, &|owner| serving.contains(&owner)),
            false => FxHashSet::default(),
        };
        Self { owners, below: parts.iter().map(below).collect(), parts }
    }

    /// The parts, in the order of their packages.
    pub fn list(&self) -> &[Part] {
        &self.parts
    }

    /// Plans each part. State and tools may lie in a package that only another one serves: they are planned with that.
    pub fn plans(&self, analysis: &Analysis<'_>, signals: &Signals, settings: &PlanSettings) -> Vec<ServerPlan> {
        let planned = |(index, part): (usize, &Part)| {
            let own = |owner: usize| owner == part.owner || self.server_of(owner) == Some(index);
            let modules: Vec<bool> = self.owners.of.iter().map(|owner| own(*owner)).collect();
            let below = |owner: usize| self.below[index].contains(&owner) && !own(owner);
            let of = self.owners.of.iter().enumerate();
            let shared: Vec<u32> = of.filter(|(_, owner)| below(**owner)).map(|(module, _)| module as u32).collect();
            let context = Context { analysis, signals, modules: &modules, http: part.http };
            plan::plan(&context, &part.server, &shared, settings)
        };
        self.parts.iter().enumerate().map(planned).collect()
    }

    /// The part with whose plan a part is seen to: its own, or that of the only server that is made of it.
    pub fn planned_by(&self, index: usize) -> usize {
        self.server_of(self.parts[index].owner).unwrap_or(index)
    }

    /// The only server that a package is part of, where it serves nothing itself.
    fn server_of(&self, owner: usize) -> Option<usize> {
        if self.parts.iter().any(|part| part.owner == owner && part.http) {
            return None;
        }
        let mut above = (0..self.parts.len()).filter(|index| self.below[*index].contains(&owner));
        above.next().filter(|_| above.next().is_none())
    }
}
