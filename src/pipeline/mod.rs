//! The pipeline as functions.

mod analyse;
mod components;
mod error;
pub mod fix;
mod groups;
mod load;
mod locate;
mod merge;
mod owners;
mod parts;
mod processes;
mod upgrades;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use error::ScanError;

use crate::check::Evidence;
use crate::classify::tool_texts::ToolTexts;
use crate::lower;
use crate::model::facts::Language;
use crate::plan::{self, PlanSettings, ServerPlan};
use crate::report::scan::{Files, Parts, Scan, Skipped, Unsupported};
use crate::workspace::overlay::Overlay;
use crate::workspace::upgrades::Target;
use crate::workspace::{self, Packages, Resolver, Tree, WalkError, WalkOptions};
use analyse::Analyser;
use groups::Groups;
use load::Sifted;
use locate::Locator;

/// What to scan, and how.
#[derive(Clone, Debug, Default)]
pub struct ScanOptions {
    /// Files and folders; empty means the current folder.
    pub paths: Vec<PathBuf>,
    /// Look into tests too.
    pub include_tests: bool,
    /// Leave out what these globs match, relative to the root.
    pub exclude: Vec<String>,
    /// More of these, each relative to a folder of its own: that of a configuration file.
    pub exclude_in: Vec<(PathBuf, String)>,
    /// Names of functions that give a session id, here: helpers whose body tells nothing.
    pub session_id_functions: Vec<String>,
    /// Worker threads; `None` leaves the number to the machine.
    pub threads: Option<usize>,
    /// Report findings of these rules only; empty means all. Categories and stores do not depend on it.
    pub rules: Vec<&'static str>,
    /// An answer without any readable file is an answer, not an error.
    pub allow_empty: bool,
    /// Packages and the versions that they would move to.
    pub upgrades: Vec<Target>,
    /// What the repository says of names and lifetimes in the plan.
    pub plan: PlanSettings,
    /// Texts that files would have: the answer is about the tree as it would be.
    pub overlay: Overlay,
    /// Count what models read of the tools; only a fix tells it.
    pub tool_texts: bool,
    /// Files that are read whatever they hold, by their paths from the root.
    pub also: Vec<String>,
}

impl ScanOptions {
    /// Whether findings of this rule are reported.
    pub fn wants(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.contains(&rule)
    }
}

/// What the pipeline is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking for files.
    Walk,
    /// Reading and parsing them.
    Parse,
    /// Following values and classifying.
    Analyse,
}

/// Hears how far the work is. Called from several threads, often; must be quick.
pub trait Progress: Sync {
    /// `done` units of `stage` are done, of `total` where that is known.
    fn step(&self, stage: Stage, done: u64, total: Option<u64>);
}

/// Hears nothing.
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
}

/// Scans for MCP servers and how they use protocol sessions.
pub fn scan(options: &ScanOptions, progress: &dyn Progress) -> Result<Scan, ScanError> {
    scan_with_evidence(options, progress).map(|(scan, _)| scan)
}

/// Scans, and keeps what a check has to know beside the answer.
pub fn scan_with_evidence(options: &ScanOptions, progress: &dyn Progress) -> Result<(Scan, Evidence), ScanError> {
    pass(options, progress).map(|pass| (pass.scan, pass.evidence))
}

/// Scans, and says what is to be done about each server.
pub fn plan(options: &ScanOptions, progress: &dyn Progress) -> Result<(Scan, Vec<ServerPlan>), ScanError> {
    pass(options, progress).map(|pass| (pass.scan, pass.plans))
}

/// All that one look at a tree gives.
struct Pass {
    scan: Scan,
    evidence: Evidence,
    plans: Vec<ServerPlan>,
    /// What models read of the tools that a file declares, by the file's path, where that is asked for.
    texts: BTreeMap<String, ToolTexts>,
}

fn pass(options: &ScanOptions, progress: &dyn Progress) -> Result<Pass, ScanError> {
    match options.threads {
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|e| ScanError::threads(threads, &e.to_string()))?.install(|| run(options, progress))
        }
        None => run(options, progress),
    }
}

fn run(options: &ScanOptions, progress: &dyn Progress) -> Result<Pass, ScanError> {
    let tree = walk(options)?;
    progress.step(Stage::Walk, tree.files.len() as u64, None);
    let root = shown_root(options, &tree.root);
    let unsupported = unsupported(&tree);
    if tree.files.is_empty() && !options.allow_empty {
        return Err(ScanError::NothingReadable { root, unsupported });
    }
    let packages = Packages::find(&tree);
    let resolver = Resolver::new(&tree, &packages);
    let sifted = Sifted::of(&tree, &options.session_id_functions, &options.also, progress);
    let locator = Locator::new(&tree);
    let analyser = Analyser { packages: &packages, resolver: &resolver, locator: &locator, options };
    progress.step(Stage::Analyse, 0, None);
    let groups::Told { mut answers, parsed, bytes, mut comments, skipped: unread } =
        Groups::new(&tree, &sifted, &analyser).run();
    processes::attribute(&tree, &packages, &mut answers);
    plan::handle::withhold(&mut answers.plans, &answers.servers, &options.plan);
    let skipped = tree.skipped.iter().chain(&packages.skipped).chain(&unread);
    let planned = answers.plans.iter().any(|plan| plan::speaks(plan.language));
    let scan = Scan::assemble(Parts {
        root,
        disk_root: tree.root.clone(),
        servers: answers.servers,
        findings: answers.findings,
        skipped: skipped
            .map(|skipped| Skipped { path: skipped.path.clone(), reason: skipped.reason, detail: None })
            .collect(),
        unsupported,
        files: Files { walked: tree.files.len() as u64, parsed },
        bytes,
        planned,
    });
    comments.sort();
    let texts = answers.texts.into_iter().collect();
    Ok(Pass { scan, evidence: Evidence { tree, packages, comments }, plans: answers.plans, texts })
}

fn walk(options: &ScanOptions) -> Result<Tree, ScanError> {
    let paths = if options.paths.is_empty() { vec![PathBuf::from(".")] } else { options.paths.clone() };
    let walked = workspace::walk(&WalkOptions {
        paths,
        include_tests: options.include_tests,
        exclude: options.exclude.clone(),
        exclude_in: options.exclude_in.clone(),
        overlay: options.overlay.clone(),
    });
    walked.map_err(|error| match error {
        WalkError::Missing(path) => ScanError::not_found(&path),
        WalkError::Unreadable(path, error) => ScanError::Unreadable { path, cause: error.to_string() },
        WalkError::BadGlob { pattern, message } => ScanError::bad_glob(&pattern, &message),
        WalkError::NoPaths | WalkError::NoCommonRoot => {
            ScanError::Config { message: error.to_string(), help: "give folders or files of one repository".to_owned() }
        }
    })
}

/// The root as it is printed: the folder as it was named, else relative to the current folder where it lies in it.
fn shown_root(options: &ScanOptions, root: &Path) -> String {
    if let [only] = options.paths.as_slice()
        && only.is_dir()
    {
        let shown = only.to_string_lossy().replace('\\', "/");
        let trimmed = shown.trim_start_matches("./").trim_end_matches('/');
        return if trimmed.is_empty() {
            if shown.starts_with('/') { "/" } else { "." }.to_owned()
        } else {
            trimmed.to_owned()
        };
    }
    let here = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    match root.strip_prefix(&here) {
        Ok(relative) if relative.as_os_str().is_empty() => ".".to_owned(),
        Ok(relative) => relative.to_string_lossy().replace('\\', "/"),
        Err(_) => root.to_string_lossy().replace('\\', "/"),
    }
}

/// Languages that were met and can't be read yet.
fn unsupported(tree: &Tree) -> Vec<Unsupported> {
    let mut out: Vec<Unsupported> = Vec::new();
    let mut add = |language: &str, path: String, files: u64| match out.iter_mut().find(|u| u.language == language) {
        Some(known) => {
            known.files += files;
            known.path = std::mem::take(&mut known.path).min(path);
        }
        None => out.push(Unsupported { language: language.to_owned(), path, files }),
    };
    for (extension, (count, first)) in &tree.unsupported {
        if let Some(language) = unread(extension) {
            add(language, first.clone(), *count as u64);
        }
    }
    for file in &tree.files {
        if !lower::reads(file.language) {
            let language = match file.language {
                Language::Python => "Python",
                Language::Rust => "Rust",
                Language::TypeScript | Language::JavaScript => continue,
            };
            add(language, file.path.clone(), 1);
        }
    }
    out
}

/// Languages in which MCP servers are written and that can't be read yet, by extension.
fn unread(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "go" => "Go",
        "java" => "Java",
        "kt" => "Kotlin",
        "cs" => "C#",
        "php" => "PHP",
        "rb" => "Ruby",
        "swift" => "Swift",
        _ => return None,
    })
}
