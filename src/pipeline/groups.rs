//! Package by package: the files of interest of one package are parsed and solved, and let go of before the next.
//!
//! Where an import leads into another package, both are solved together, so that the answer is the one that the whole tree would give;
//! what was told of a package before another led into it is dropped, and told again. A tree of modest size is one group: there, imports
//! are followed into any package.

use rustc_hash::{FxHashMap, FxHashSet};

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

/// What is kept of packages that were solved together.
struct Done {
    members: Vec<usize>,
    /// What each set of modules told, with its first path.
    answers: Vec<(String, Answers)>,
    files: Vec<(String, u64)>,
    comments: Vec<(String, Span)>,
    skipped: Vec<Skipped>,
}

/// The packages of a tree that have files of interest.
pub struct Groups<'a, 't> {
    tree: &'t Tree,
    analyser: &'a Analyser<'a>,
    files: Vec<Vec<&'t SourceFile>>,
    /// The package of each file of interest.
    group_of: FxHashMap<&'t str, usize>,
    done: Vec<Option<Done>>,
    /// Where each file that was parsed is kept in `done`.
    parsed: FxHashMap<String, usize>,
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
        let mut groups =
            Self { tree, analyser, files, group_of, done: Vec::new(), parsed: FxHashMap::default(), skipped };
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
        let mut taken = FxHashSet::default();
        for group in 0..self.files.len() {
            if !taken.contains(&group) && !self.files[group].is_empty() {
                let done = self.solve(group);
                taken.extend(done.members.iter().copied());
                let at = self.done.len();
                self.parsed.extend(done.files.iter().map(|(path, _)| (path.clone(), at)));
                self.done.push(Some(done));
            }
        }
        let mut told = Told { skipped: self.skipped, ..Told::default() };
        let mut answers = Vec::new();
        for done in self.done.into_iter().flatten() {
            told.parsed += done.files.len() as u64;
            told.bytes += done.files.iter().map(|(_, bytes)| bytes).sum::<u64>();
            told.comments.extend(done.comments);
            told.skipped.extend(done.skipped);
            answers.extend(done.answers);
        }
        answers.sort_by(|a, b| a.0.cmp(&b.0));
        answers.into_iter().for_each(|(_, one)| told.answers.extend(one));
        told.answers.merge();
        told.skipped.sort_unstable();
        told.skipped.dedup();
        told
    }

    /// Solves a package, and those that imports lead into.
    fn solve(&mut self, group: usize) -> Done {
        let (analyser, tree) = (self.analyser, self.tree);
        let mut loaded = Loaded::new(tree);
        let mut solved = Solved::default();
        let mut members = vec![group];
        loaded.load(&self.files[group], analyser.resolver);
        let mut components =
            analyser.run(&mut loaded, &mut solved, &mut |loaded, solved| self.close(loaded, solved, &mut members));
        let told: Vec<&Answers> = components.iter().map(|(_, component)| &solved.answers[component]).collect();
        let elsewhere = |path: &str| self.group_of.contains_key(path) || self.parsed.contains_key(path);
        let servers: Vec<&Server> = told.iter().flat_map(|answers| &answers.servers).collect();
        let more = [callers(&loaded, &told, &elsewhere), processes::files(&loaded, &servers, &elsewhere)].concat();
        if !more.is_empty() && loaded.add(&more, analyser.resolver) {
            components =
                analyser.run(&mut loaded, &mut solved, &mut |loaded, solved| self.close(loaded, solved, &mut members));
        }
        analyser.locator.forget();
        let mut told = |component: Vec<usize>| solved.answers.remove(&component).unwrap_or_default();
        let paths = loaded.modules.iter().map(|module| module.path.clone());
        let comments = loaded
            .modules
            .iter()
            .flat_map(|module| module.comments.iter().map(move |span| (module.path.clone(), *span)));
        Done {
            members,
            answers: components.into_iter().map(|(first, component)| (first, told(component))).collect(),
            files: paths.zip(loaded.sizes.iter().copied()).collect(),
            comments: comments.collect(),
            skipped: std::mem::take(&mut loaded.skipped),
        }
    }

    /// Resolves what is new, and takes in the packages that it leads into, until nothing leads out to a file of interest.
    fn close(&mut self, loaded: &mut Loaded<'t>, solved: &mut Solved, members: &mut Vec<usize>) {
        let mut first = 0;
        loop {
            solved.resolve(loaded, self.analyser.resolver, self.analyser.packages);
            let mut reached: Vec<usize> = Vec::new();
            let led = solved.resolutions[first..].iter().flatten().filter_map(|(_, resolution)| match resolution {
                Resolution::File(path) => Some(path.as_str()),
                _ => None,
            });
            let read = loaded.modules[first..].iter().map(|module| module.path.as_str());
            for path in led.chain(read) {
                reached.extend(self.group_of.get(path));
                let done = self.parsed.get(path).and_then(|at| self.done[*at].take());
                reached.extend(done.into_iter().flat_map(|done| done.members));
            }
            first = solved.resolutions.len();
            reached.sort_unstable();
            reached.dedup();
            reached.retain(|group| !members.contains(group));
            if reached.is_empty() {
                return;
            }
            for group in reached {
                members.push(group);
                // What was told of it with others is told again with all of them.
                let at = self.files[group].iter().find_map(|file| self.parsed.get(&file.path));
                let others = at.and_then(|at| self.done[*at].take()).map(|done| done.members).unwrap_or_default();
                let new: Vec<usize> = others.into_iter().filter(|other| !members.contains(other)).collect();
                loaded.load(&self.files[group], self.analyser.resolver);
                for other in new {
                    members.push(other);
                    loaded.load(&self.files[other], self.analyser.resolver);
                }
            }
        }
    }
}

/// Files that may call the factories of which no caller was seen: how long what a factory makes lives depends on them.
fn callers(loaded: &Loaded<'_>, told: &[&Answers], elsewhere: &dyn Fn(&str) -> bool) -> Vec<String> {
    let uncalled = || told.iter().flat_map(|answers| &answers.uncalled);
    let mut dirs: Vec<&String> = uncalled().map(|(dir, _)| dir).collect();
    dirs.sort();
    dirs.dedup();
    let words = |dir: &String| uncalled().filter(|(of, _)| of == dir).map(|(_, name)| name.text()).collect::<Vec<_>>();
    dirs.into_iter().flat_map(|dir| loaded.mentioning(dir, &words(dir), elsewhere)).collect()
}
