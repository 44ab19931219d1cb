//! Package by package: the files of interest of one package are parsed and solved, and let go of before the next.
//!
//! What is told is kept by sets of modules that import each other. Where an import leads into a set that was solved before, both are
//! solved together, so that the answer is the one that the whole tree would give, and the rest of either package stays as it was told.
//! A set that is larger than what leads into it waits until everything else is solved: what more leads there is then solved with it at
//! once. A tree of modest size is one group: there, imports are followed into any package.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::analyse::{Analyser, Answers};
use super::components::{self, Solved};
use super::load::{Loaded, Sifted, is_modest};
use super::processes;
use crate::classify::answer::Server;
use crate::model::facts::Span;
use crate::workspace::skipped::Skipped;
use crate::workspace::walk::SourceFile;
use crate::workspace::{Family, Resolution, Tree};

/// What all packages tell.
#[derive(Default)]
pub struct Told {
    /// The answers.
    pub answers: Answers,
    /// Files parsed.
    pub parsed: u64,
    /// Bytes parsed.
    pub bytes: u64,
    /// Comments of the parsed files.
    pub comments: Vec<(String, Span)>,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
}

/// What is kept of modules that import each other.
#[derive(Default)]
struct Set {
    /// Its files, with their sizes.
    files: Vec<(String, u64)>,
    /// What it told, with its first path; nothing while it waits to be solved again.
    told: Option<(String, Answers)>,
    /// How often further files were asked for.
    rounds: usize,
    comments: Vec<(String, Span)>,
}

impl Set {
    fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// What is to be solved.
enum Work {
    /// The files of interest of a package.
    Package(usize),
    /// A set that others turned out to lead into.
    Again(usize),
}

/// The packages of a tree that have files of interest.
pub struct Groups<'a, 't> {
    tree: &'t Tree,
    analyser: &'a Analyser<'a>,
    files: Vec<Vec<&'t SourceFile>>,
    /// The package of each file of interest.
    group_of: FxHashMap<&'t str, usize>,
    /// Packages that were taken up, each once.
    taken: Vec<bool>,
    sets: Vec<Option<Set>>,
    /// The set of each file that was parsed.
    set_of: FxHashMap<String, usize>,
    skipped: Vec<Skipped>,
}

impl<'a, 't> Groups<'a, 't> {
    /// Puts the files of interest together by their packages.
    pub fn new(tree: &'t Tree, sifted: &Sifted<'t>, analyser: &'a Analyser<'a>) -> Self {
        let mut files: Vec<Vec<&SourceFile>> = Vec::new();
        let mut known: FxHashMap<(Option<Family>, &str), usize> = FxHashMap::default();
        let mut group_of = FxHashMap::default();
        for file in &sifted.files {
            let package = analyser.packages.of_file(&file.path, file.language);
            let dir = package.map_or(".", |package| package.dir.as_str());
            let key = if is_modest(tree) { (None, ".") } else { (Some(Family::of(file.language)), dir) };
            let group = *known.entry(key).or_insert(files.len());
            if group == files.len() {
                files.push(Vec::new());
            }
            files[group].push(*file);
            group_of.insert(file.path.as_str(), group);
        }
        let skipped = sifted.skipped.clone();
        let taken = vec![false; files.len()];
        let (sets, set_of) = (Vec::new(), FxHashMap::default());
        let mut groups = Self { tree, analyser, files, group_of, taken, sets, set_of, skipped };
        groups.join(sifted);
        groups
    }

    /// Puts packages together whose files of interest import each other, as far as their bytes tell: none is solved twice.
    fn join(&mut self, sifted: &Sifted<'t>) {
        let Analyser { resolver, packages, .. } = *self.analyser;
        let mut first: Vec<usize> = (0..self.files.len()).collect();
        for (file, imports) in sifted.files.iter().zip(&sifted.imports) {
            let own = self.group_of[file.path.as_str()];
            for import in imports {
                if let Resolution::File(path) =
                    components::resolve(&file.path, file.language, import, resolver, packages)
                    && let Some(&other) = self.group_of.get(path.as_str())
                {
                    let (to, from) = (first[own].min(first[other]), first[own].max(first[other]));
                    if from != to {
                        first.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
                    }
                }
            }
        }
        for (group, to) in first.iter().enumerate() {
            if group != *to {
                let files = std::mem::take(&mut self.files[group]);
                self.files[*to].extend(files);
            }
        }
        self.group_of.values_mut().for_each(|group| *group = first[*group]);
    }

    /// Solves all packages.
    pub fn run(mut self) -> Told {
        let mut queue: VecDeque<Work> =
            (0..self.files.len()).filter(|group| !self.files[*group].is_empty()).map(Work::Package).collect();
        while let Some(work) = queue.pop_front() {
            let (files, rounds) = match work {
                Work::Package(group) if !self.taken[group] => {
                    self.taken[group] = true;
                    (self.files[group].clone(), 0)
                }
                Work::Again(set) => match self.take(set) {
                    Some(set) => (self.sources(&set), set.rounds),
                    None => continue,
                },
                Work::Package(_) => continue,
            };
            queue.extend(self.solve(&files, rounds).map(Work::Again));
        }
        let mut told = Told { skipped: self.skipped, ..Told::default() };
        let mut answers = Vec::new();
        for set in self.sets.into_iter().flatten() {
            told.parsed += set.files.len() as u64;
            told.bytes += set.bytes();
            told.comments.extend(set.comments);
            answers.extend(set.told);
        }
        answers.sort_by(|a, b| a.0.cmp(&b.0));
        answers.into_iter().for_each(|(_, one)| told.answers.extend(one));
        told.answers.merge();
        told.skipped.sort_unstable();
        told.skipped.dedup();
        told
    }

    /// Solves files, and what imports lead into, with so many rounds of questions behind them. The set that has to be solved instead,
    /// where they turned out to be part of it.
    fn solve(&mut self, files: &[&'t SourceFile], rounds: usize) -> Option<usize> {
        let (analyser, tree) = (self.analyser, self.tree);
        let mut loaded = Loaded::new(tree);
        let mut solved = Solved { rounds, ..Solved::default() };
        let mut waiting = Vec::new();
        loaded.load(files, analyser.resolver);
        let components = self.components(&mut loaded, &mut solved, &mut waiting);
        analyser.locator.forget();
        self.skipped.append(&mut loaded.skipped);
        // In the last round nothing was asked for.
        let asked = solved.rounds.saturating_sub(1);
        match components {
            Some(components) => {
                for (first, component) in components {
                    let answers = solved.answers.remove(&component).unwrap_or_default();
                    self.keep(
                        &loaded,
                        &component,
                        Set { told: Some((first, answers)), rounds: asked, ..Set::default() },
                    );
                }
                None
            }
            None => {
                let all: Vec<usize> = (0..loaded.modules.len()).collect();
                let others: Vec<Set> = waiting.into_iter().filter_map(|set| self.take(set)).collect();
                let rounds = others.iter().map(|set| set.rounds).max().unwrap_or_default().max(asked);
                let set = self.keep(&loaded, &all, Set { rounds, ..Set::default() });
                self.add(set, others.into_iter().flat_map(|set| set.files).collect());
                Some(set)
            }
        }
    }

    /// The sets of modules that import each other, once all are solved; nothing where what is loaded has to wait for others.
    fn components(
        &mut self,
        loaded: &mut Loaded<'t>,
        solved: &mut Solved,
        waiting: &mut Vec<usize>,
    ) -> Option<Vec<(String, Vec<usize>)>> {
        let analyser = self.analyser;
        let components = analyser.run(loaded, solved, &mut |loaded, solved| self.close(loaded, solved, waiting))?;
        let told: Vec<&Answers> = components.iter().map(|(_, component)| &solved.answers[component]).collect();
        let elsewhere = |path: &str| self.group_of.contains_key(path) || self.set_of.contains_key(path);
        // What starts the processes of a large program is looked at by itself.
        let starters = |large: bool| {
            let of_size = told.iter().filter(|answers| answers.large == large);
            let servers: Vec<&Server> = of_size.flat_map(|answers| &answers.servers).collect();
            processes::files(loaded, &servers, &elsewhere)
        };
        let (linked, alone) = (starters(false), starters(true));
        let more = [callers(loaded, &told, &elsewhere), linked].concat();
        let alone: Vec<String> = alone.into_iter().filter(|path| !more.contains(path)).collect();
        let read = loaded.add_alone(&alone);
        if (more.is_empty() || !loaded.add(&more, analyser.resolver)) && !read {
            return Some(components);
        }
        analyser.run(loaded, solved, &mut |loaded, solved| self.close(loaded, solved, waiting))
    }

    /// Resolves what is new, and takes in what it leads into, until nothing leads out to a file of interest. Whether the whole is to be
    /// solved now: not where it belongs to sets that wait, or that are too large to be solved again for it alone.
    fn close(&mut self, loaded: &mut Loaded<'t>, solved: &mut Solved, waiting: &mut Vec<usize>) -> bool {
        let mut first = 0;
        loop {
            solved.resolve(loaded, self.analyser.resolver, self.analyser.packages);
            let (mut groups, mut sets): (Vec<usize>, Vec<usize>) = Default::default();
            // What is of no interest by itself is taken in once it is asked for, whoever else asked for it before.
            let led = solved.resolutions[first..].iter().flatten().filter_map(|(_, resolution)| match resolution {
                Resolution::File(path) if self.group_of.contains_key(path.as_str()) => Some(path.as_str()),
                _ => None,
            });
            let read = loaded.modules[first..].iter().map(|module| module.path.as_str());
            for path in led.chain(read) {
                match self.set_of.get(path) {
                    Some(set) => sets.push(*set),
                    None => groups.extend(self.group_of.get(path).filter(|group| !self.taken[**group])),
                }
            }
            first = solved.resolutions.len();
            for found in [&mut groups, &mut sets] {
                found.sort_unstable();
                found.dedup();
            }
            if groups.is_empty() && sets.is_empty() {
                return true;
            }
            let own: u64 = loaded.sizes.iter().sum();
            let waits =
                |set: &usize| self.sets[*set].as_ref().is_some_and(|set| set.told.is_none() || set.bytes() > own);
            if sets.iter().any(waits) {
                *waiting = sets;
                return false;
            }
            let mut files = Vec::new();
            for group in groups {
                self.taken[group] = true;
                files.extend(self.files[group].iter().copied());
            }
            for set in sets.into_iter().filter_map(|set| self.take(set)).collect::<Vec<_>>() {
                files.extend(self.sources(&set));
            }
            loaded.load(&files, self.analyser.resolver);
        }
    }

    /// Keeps what is to be known of modules once they are let go of.
    fn keep(&mut self, loaded: &Loaded<'_>, modules: &[usize], set: Set) -> usize {
        let at = self.sets.len();
        self.sets.push(Some(set));
        self.add(at, modules.iter().map(|index| (loaded.modules[*index].path.clone(), loaded.sizes[*index])).collect());
        if let Some(set) = &mut self.sets[at] {
            let comments = |index: &usize| {
                let module = &loaded.modules[*index];
                module.comments.iter().map(|span| (module.path.clone(), *span))
            };
            set.comments = modules.iter().flat_map(comments).collect();
        }
        at
    }

    /// Puts files into a set.
    fn add(&mut self, set: usize, files: Vec<(String, u64)>) {
        self.set_of.extend(files.iter().map(|(path, _)| (path.clone(), set)));
        if let Some(set) = &mut self.sets[set] {
            set.files.extend(files);
        }
    }

    /// Takes a set out, to solve its files again.
    fn take(&mut self, set: usize) -> Option<Set> {
        let taken = self.sets[set].take()?;
        for (path, _) in &taken.files {
            self.set_of.remove(path);
        }
        Some(taken)
    }

    /// The files of a set.
    fn sources(&self, set: &Set) -> Vec<&'t SourceFile> {
        let find = |path: &String| self.tree.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
        set.files.iter().filter_map(|(path, _)| find(path)).map(|at| &self.tree.files[at]).collect()
    }
}

/// Files that may call the factories of which no caller was seen: how long what a factory makes lives depends on them.
fn callers(loaded: &Loaded<'_>, told: &[&Answers], elsewhere: &dyn Fn(&str) -> bool) -> Vec<String> {
    let uncalled = || told.iter().filter(|answers| !answers.large).flat_map(|answers| &answers.uncalled);
    let mut dirs: Vec<&String> = uncalled().map(|(dir, _)| dir).collect();
    dirs.sort();
    dirs.dedup();
    let words = |dir: &String| uncalled().filter(|(of, _)| of == dir).map(|(_, name)| name.text()).collect::<Vec<_>>();
    dirs.into_iter().flat_map(|dir| loaded.mentioning(dir, &words(dir), elsewhere)).collect()
}
