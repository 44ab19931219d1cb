//! From a walked tree to lowered modules: which files are of interest, parsing them, and the files that parsed ones lead to.

use std::sync::atomic::{AtomicU64, Ordering};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Progress, Stage};
use crate::lower::{self, LowerError};
use crate::model::facts::{Exported, ExprKind, Imported, Language, Module};
use crate::model::name::Name;
use crate::syntax::comments::DIRECTIVE;
use crate::syntax::source::SourceText;
use crate::workspace::prefilter;
use crate::workspace::resolve::{Resolution, Resolver};
use crate::workspace::skipped::{SkipReason, Skipped};
use crate::workspace::walk::{SourceFile, Tree};

/// Up to how many files a tree is read as a whole, and without threads: starting them costs more than they save.
const SMALL_TREE: usize = 32;

/// Up to how many files of a tree imports are simply followed: that costs less than solving what was read again and again in order to
/// ask which of them matter, and misses nothing.
const MODEST_TREE: usize = 600;

/// How many imports away from a file of interest another file may be.
const HOPS: usize = 6;

/// What the first look at the bytes of all files gave.
#[derive(Default)]
pub struct Sifted<'t> {
    /// Files that matter by themselves, sorted by path.
    pub files: Vec<&'t SourceFile>,
    /// For each of them, what it imports as far as its bytes tell.
    pub imports: Vec<Vec<String>>,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
}

impl<'t> Sifted<'t> {
    /// Reads every file, and keeps those that the prefilter lets through, that hold one of the words, or that are asked for by path.
    pub fn of(tree: &'t Tree, words: &[String], also: &[String], progress: &dyn Progress) -> Self {
        // A directive has to be judged also where nothing is left that it could allow.
        let words = words.iter().map(String::as_str).chain([DIRECTIVE]);
        let words = AhoCorasick::new(words).expect("a few words make an automaton");
        let also: FxHashSet<&str> = also.iter().map(String::as_str).collect();
        let asked = |file: &SourceFile, bytes: &[u8]| {
            prefilter::interesting(file.language, bytes) || words.is_match(bytes) || also.contains(file.path.as_str())
        };
        let done = AtomicU64::new(0);
        let sift = |file: &'t SourceFile| {
            let bytes = tree.read(file);
            let total = tree.files.len() as u64;
            progress.step(Stage::Parse, done.fetch_add(1, Ordering::Relaxed) + 1, Some(total));
            match bytes {
                Ok(bytes) if asked(file, &bytes) => Some(Ok((file, prefilter::imports(file.language, &bytes)))),
                Ok(_) => None,
                Err(error) => Some(Err(Skipped::new(file.path.clone(), SkipReason::from(&error)))),
            }
        };
        let found: Vec<Result<(&SourceFile, Vec<String>), Skipped>> = if is_small(tree) {
            tree.files.iter().filter_map(sift).collect()
        } else {
            tree.files.par_iter().filter_map(sift).collect()
        };
        let mut sifted = Self::default();
        for one in found {
            match one {
                Ok((file, imports)) => {
                    sifted.files.push(file);
                    sifted.imports.push(imports);
                }
                Err(skipped) => sifted.skipped.push(skipped),
            }
        }
        // In a small tree the files around those of interest are read at once: who calls what is known without asking twice.
        if is_small(tree) && !sifted.files.is_empty() {
            sifted.files = tree.files.iter().collect();
            sifted.imports = Vec::new();
        }
        sifted
    }
}

/// Whether a tree is so small that it is read as a whole, and without threads.
fn is_small(tree: &Tree) -> bool {
    tree.files.len() <= SMALL_TREE
}

/// Whether a tree is so small that imports are simply followed.
pub fn is_modest(tree: &Tree) -> bool {
    tree.files.len() <= MODEST_TREE
}

/// Lowered modules of a tree, as far as they were asked for.
pub struct Loaded<'t> {
    tree: &'t Tree,
    /// The modules.
    pub modules: Vec<Module>,
    /// Path → index in `modules`.
    pub by_path: FxHashMap<String, usize>,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
    /// For each module, how many bytes were parsed.
    pub sizes: Vec<u64>,
    /// Modules that are solved by themselves, whatever they import.
    pub alone: FxHashSet<usize>,
    tried: FxHashSet<String>,
    stateful: FxHashMap<String, bool>,
}

enum Outcome {
    Module(Box<Module>, u64),
    Broken(Box<Module>, u64),
    Skipped(SkipReason),
}

impl<'t> Loaded<'t> {
    /// Nothing of a tree yet.
    pub fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            modules: Vec::new(),
            by_path: FxHashMap::default(),
            skipped: Vec::new(),
            sizes: Vec::new(),
            alone: FxHashSet::default(),
            tried: FxHashSet::default(),
            stateful: FxHashMap::default(),
        }
    }

    /// Parses files, and what they lead to as far as that is simply followed.
    pub fn load(&mut self, files: &[&'t SourceFile], resolver: &Resolver) {
        let new: Vec<&SourceFile> = files.iter().copied().filter(|file| !self.tried.contains(&file.path)).collect();
        self.take(&new);
        self.follow(resolver);
    }

    /// Whether a file of the tree was not looked into yet, or only as far as the prefilter does.
    pub fn is_unread(&self, path: &str) -> bool {
        !self.tried.contains(path)
    }

    /// Whether the code of a file may keep anything for later, by its bytes.
    pub fn keeps_state(&mut self, path: &str) -> bool {
        if let Some(&known) = self.stateful.get(path) {
            return known;
        }
        let files = self.files(&[path.to_owned()]);
        let keeps =
            |file: &&SourceFile| self.tree.read(file).is_ok_and(|bytes| prefilter::keeps_state(file.language, &bytes));
        let keeps = files.first().is_some_and(keeps);
        self.stateful.insert(path.to_owned(), keeps);
        keeps
    }

    /// Parses files that were not of interest by themselves, and what they lead to. Says whether there was anything new.
    pub fn add(&mut self, paths: &[String], resolver: &Resolver) -> bool {
        let before = self.modules.len();
        let files = self.files(paths);
        self.take(&files);
        self.tried.extend(paths.iter().cloned());
        self.follow(resolver);
        self.modules.len() > before
    }

    /// Parses files that are solved each by itself. Says whether there was anything new.
    pub fn add_alone(&mut self, paths: &[String]) -> bool {
        let before = self.modules.len();
        self.take(&self.files(paths));
        self.alone.extend(before..self.modules.len());
        self.modules.len() > before
    }

    fn files(&self, paths: &[String]) -> Vec<&'t SourceFile> {
        let find = |path: &String| {
            let at = self.tree.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
            Some(&self.tree.files[at])
        };
        paths.iter().filter(|path| !self.tried.contains(*path)).filter_map(find).collect()
    }

    fn take(&mut self, files: &[&'t SourceFile]) {
        let tree = self.tree;
        let outcomes: Vec<Outcome> = if is_small(tree) || files.len() < 2 {
            files.iter().map(|file| read(tree, file)).collect()
        } else {
            files.par_iter().map(|file| read(tree, file)).collect()
        };
        for (file, outcome) in files.iter().zip(outcomes) {
            self.tried.insert(file.path.clone());
            match outcome {
                Outcome::Module(module, bytes) => self.keep(file, *module, bytes),
                Outcome::Broken(module, bytes) => {
                    self.skipped.push(Skipped::new(file.path.clone(), SkipReason::SyntaxError));
                    self.keep(file, *module, bytes);
                }
                Outcome::Skipped(reason) => self.skipped.push(Skipped::new(file.path.clone(), reason)),
            }
        }
    }

    fn keep(&mut self, file: &SourceFile, mut module: Module, bytes: u64) {
        self.sizes.push(bytes);
        self.by_path.insert(file.path.clone(), self.modules.len());
        module.exprs.shrink_to_fit();
        self.modules.push(module);
    }

    /// Takes in what modules import, hop by hop. In a large tree only what Rust modules use (a crate is one program, and parsing it is
    /// cheap); of the other languages' imports those are followed that the analysis asks for.
    fn follow(&mut self, resolver: &Resolver) {
        let follows = |module: &&Module| module.language == Language::Rust || is_modest(self.tree);
        let mut first = 0;
        for _ in 0..HOPS {
            let mut wanted = Vec::new();
            for module in self.modules[first..].iter().filter(follows) {
                for specifier in runtime_specifiers(module) {
                    if let Resolution::File(path) = resolver.resolve(&module.path, specifier.text())
                        && !self.tried.contains(&path)
                    {
                        wanted.push(path);
                    }
                }
            }
            wanted.sort();
            wanted.dedup();
            first = self.modules.len();
            if wanted.is_empty() {
                break;
            }
            let files = self.files(&wanted);
            self.take(&files);
        }
    }

    /// Unparsed files of a folder that mention one of the words, as far as they belong nowhere else.
    pub fn mentioning(&self, dir: &str, words: &[&str], elsewhere: &dyn Fn(&str) -> bool) -> Vec<String> {
        let Ok(finder) = AhoCorasick::new(words) else { return Vec::new() };
        let candidates: Vec<&SourceFile> = self
            .tree
            .files
            .iter()
            .filter(|file| crate::workspace::paths::is_within(&file.path, dir))
            .filter(|file| !self.tried.contains(&file.path) && !elsewhere(&file.path))
            .collect();
        let mentions = |file: &&&SourceFile| self.tree.read(file).is_ok_and(|bytes| finder.is_match(&bytes));
        let path = |file: &&SourceFile| file.path.clone();
        let mut out: Vec<String> = if candidates.len() <= SMALL_TREE {
            candidates.iter().filter(mentions).map(path).collect()
        } else {
            candidates.par_iter().filter(mentions).map(path).collect()
        };
        out.sort();
        out
    }
}

fn read(tree: &Tree, file: &SourceFile) -> Outcome {
    let bytes = match tree.read(file) {
        Ok(bytes) => bytes,
        Err(error) => return Outcome::Skipped(SkipReason::from(&error)),
    };
    let size = bytes.len() as u64;
    let text = match SourceText::decode(bytes) {
        Ok(text) => text,
        Err(error) => return Outcome::Skipped(SkipReason::from(&error)),
    };
    match lower::lower(&file.path, file.language, &text.text) {
        Ok(module) if module.errors.is_empty() => Outcome::Module(Box::new(module), size),
        Ok(module) => Outcome::Broken(Box::new(module), size),
        Err(LowerError::ParseBudget) => Outcome::Skipped(SkipReason::ParseBudget),
        Err(LowerError::TooDeep) => Outcome::Skipped(SkipReason::TooDeep),
        Err(LowerError::TooLarge) => Outcome::Skipped(SkipReason::TooLarge),
        Err(LowerError::NoFrontEnd) => Outcome::Skipped(SkipReason::UnsupportedLanguage),
    }
}

/// Specifiers through which values may come at run time.
fn runtime_specifiers(module: &Module) -> Vec<Name> {
    let mut out = all_specifiers(module, false);
    out.sort_unstable();
    out.dedup();
    out
}

/// Every specifier of a module; types alone count where asked for.
pub fn all_specifiers(module: &Module, types: bool) -> Vec<Name> {
    let mut out: Vec<Name> = module
        .imports
        .iter()
        .filter(|import| types || (!import.type_only && import.imported != Imported::Effects))
        .map(|import| import.source)
        .collect();
    for export in &module.exports {
        if let Exported::From { source, .. } | Exported::All { source } = &export.what {
            out.push(*source);
        }
    }
    for expr in &module.exprs {
        if let ExprKind::Require(source) = &expr.kind {
            out.push(*source);
        }
    }
    out
}
