//! From lowered modules to answers: modules that import each other are solved together, packages answer one by one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ScanOptions;
use super::components::Solved;
use super::load::Loaded;
use super::locate::Locator;
use super::owners::Owners;
use super::parts::{Part, Parts};
use super::{merge, processes, upgrades};
use crate::classify::answer::{KeyedBy, SdkAnswer, Server};
use crate::classify::server::{self, Shape};
use crate::classify::signals::Signals;
use crate::classify::stores::Analysis;
use crate::classify::tool_texts::{self, ToolTexts};
use crate::model::demand::{self, Unread};
use crate::model::facts::{FuncKind, Language, Module};
use crate::model::flow::Flow;
use crate::model::lives::{Lives, unfed_factories};
use crate::model::name::Name;
use crate::model::program::{FuncRef, Link, Program};
use crate::plan::{ServerPlan, Site};
use crate::rules;
use crate::rules::detect::{Context, Detection};
use crate::rules::finding::{Finding, Related};
use crate::workspace::replicas::Replicas;
use crate::workspace::sdk::{self, Era, SdkKind};
use crate::workspace::{Family, Packages, Resolution, Resolver};

/// How often the analysis may ask for further files: how many imports away from a file of interest another may be. Programs of many
/// expressions take long to solve, and ask less often: rounds, and up to how many expressions.
const ROUNDS: [(usize, usize); 2] = [(7, 30_000), (3, 100_000)];
/// The same for programs beyond that, of a megabyte of source and more.
const ROUNDS_OF_LARGE: usize = 2;

/// What the analysis of a tree found.
#[derive(Default)]
pub struct Answers {
    /// Servers, clients, libraries.
    pub servers: Vec<Server>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Names of factories that nothing was seen to call, with the folder of their package.
    pub uncalled: Vec<(String, Name)>,
    /// Code that runs several processes.
    pub processes: Vec<Replicas>,
    /// What is to be done.
    pub plans: Vec<ServerPlan>,
    /// What models read of the tools, by the path of their file, where that is asked for.
    pub texts: Vec<(String, ToolTexts)>,
    /// The modules are too many expressions to be solved again for what files around them may add.
    pub large: bool,
}

impl Answers {
    /// Adds what another part of the tree told.
    pub fn extend(&mut self, other: Self) {
        self.servers.extend(other.servers);
        self.findings.extend(other.findings);
        self.uncalled.extend(other.uncalled);
        self.plans.extend(other.plans);
        self.texts.extend(other.texts);
        self.processes.extend(other.processes);
    }

    /// Adds up what was told of the same server by parts that do not import each other.
    pub fn merge(&mut self) {
        merge::servers(&mut self.servers);
    }
}

/// What answers are made with.
pub struct Analyser<'a> {
    /// Packages of the tree.
    pub packages: &'a Packages,
    /// Resolves imports.
    pub resolver: &'a Resolver,
    /// Finds lines.
    pub locator: &'a Locator,
    /// What was asked for.
    pub options: &'a ScanOptions,
}

impl Analyser<'_> {
    /// Analyses all modules, and the files that turn out to matter to them. `close` takes in what modules lead to that is to be solved
    /// with them, and may say that they are to be solved another time. The answer: that of each set of modules that import each other,
    /// with its first path.
    pub fn run<'t>(
        &self,
        loaded: &mut Loaded<'t>,
        solved: &mut Solved,
        close: &mut dyn FnMut(&mut Loaded<'t>, &mut Solved) -> bool,
    ) -> Option<Vec<(String, Vec<usize>)>> {
        loop {
            solved.rounds += 1;
            if !close(loaded, solved) {
                return None;
            }
            let components = solved.components(loaded);
            let mut wanted = Vec::new();
            for component in &components {
                if solved.answers.contains_key(component) {
                    continue;
                }
                match self.component(loaded, solved, component) {
                    Ok(answers) => {
                        solved.answers.insert(component.clone(), answers);
                    }
                    Err(paths) => wanted.extend(paths),
                }
            }
            if wanted.is_empty() {
                let first = |component: &Vec<usize>| loaded.modules[component[0]].path.clone();
                return Some(components.into_iter().map(|component| (first(&component), component)).collect());
            }
            wanted.sort();
            wanted.dedup();
            loaded.add(&wanted, self.resolver);
        }
    }

    /// Solves a component. What it tells, or else the files that have to be read first.
    fn component(&self, loaded: &mut Loaded<'_>, solved: &Solved, component: &[usize]) -> Result<Answers, Vec<String>> {
        let (mut program, unread) = self.program(loaded, solved, component);
        let told = self.solve(&program, &unread, solved.rounds, &mut |path| loaded.keeps_state(path));
        for (index, module) in component.iter().zip(std::mem::take(&mut program.modules)) {
            loaded.modules[*index] = module;
        }
        told
    }

    fn solve(
        &self,
        program: &Program,
        unread: &FxHashMap<Unread, String>,
        round: usize,
        keeps_state: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Answers, Vec<String>> {
        let size: usize = program.modules.iter().map(|module| module.exprs.len()).sum();
        let rounds = ROUNDS.iter().find(|(_, most)| size <= *most).map_or(ROUNDS_OF_LARGE, |(rounds, _)| *rounds);
        let flow = Flow::solve(program);
        let lives = Lives::new(&flow);
        if round < rounds {
            let wanted = demand::wanted(&flow, &lives, &unread.keys().copied().collect());
            let mut paths: Vec<String> = wanted.crossed.iter().map(|lead| unread[lead].clone()).collect();
            // What code of a session merely uses matters where it may keep something.
            paths.extend(wanted.used.iter().map(|lead| &unread[lead]).filter(|path| keeps_state(path)).cloned());
            if !paths.is_empty() {
                return Err(paths);
            }
        }
        let large = ROUNDS.iter().all(|(_, most)| size > *most);
        let mut answers = Answers { large, ..Answers::default() };
        if self.options.tool_texts {
            let paths = program.modules.iter().map(|module| module.path.clone());
            answers.texts = paths.zip(tool_texts::of(&flow)).collect();
        }
        self.answer(program, &Analysis::with(flow, lives), &mut answers);
        Ok(answers)
    }

    /// Takes the modules of a component out and links them. Beside the program: where specifiers lead to files nobody read yet.
    fn program(
        &self,
        loaded: &mut Loaded<'_>,
        solved: &Solved,
        component: &[usize],
    ) -> (Program, FxHashMap<Unread, String>) {
        let place: FxHashMap<&str, u32> = component
            .iter()
            .enumerate()
            .map(|(index, module)| (loaded.modules[*module].path.as_str(), index as u32))
            .collect();
        let id_functions = self.options.session_id_functions.iter().map(|name| Name::new(name)).collect();
        let mut links = FxHashMap::default();
        let mut unread = FxHashMap::default();
        let mut frameworks = FxHashMap::default();
        for (index, at) in component.iter().enumerate() {
            let module = &loaded.modules[*at];
            let family = Family::of(module.language);
            let mut is_absent = |package| {
                let known = frameworks.entry((family, package)).or_insert_with(|| framework(family, package));
                known.is_some_and(|known| self.is_absent(module, known))
            };
            for (specifier, resolution) in &solved.resolutions[*at] {
                let link = match resolution {
                    Resolution::File(path) => match place.get(path.as_str()) {
                        Some(at) => Link::Module(*at),
                        None => {
                            if loaded.is_unread(path) {
                                unread.insert((index as u32, *specifier), path.clone());
                            }
                            Link::Missing
                        }
                    },
                    // One of two that a script can do with, and not the one that is installed.
                    Resolution::External { package, .. } if is_absent(package.as_str()) => Link::Missing,
                    Resolution::External { package, .. } => Link::External(Name::new(package)),
                    Resolution::Builtin(module) => {
                        Link::External(Name::new(module.split('/').next().unwrap_or_default()))
                    }
                    Resolution::Missing => Link::Missing,
                };
                links.insert((index as u32, *specifier), link);
            }
        }
        let modules = component.iter().map(|index| take(&mut loaded.modules[*index])).collect();
        (Program::new(modules, links, id_functions), unread)
    }

    /// Whether no manifest around a module names a framework that it imports, though it names what the framework is built on.
    fn is_absent(&self, module: &Module, known: &sdk::KnownPackage) -> bool {
        let Some(own) = self.packages.of_file(&module.path, module.language) else { return false };
        let declared = sdk::sdks_in(self.packages, own);
        !declared.is_empty() && declared.iter().all(|sdk| sdk.name != known.name)
    }

    fn answer(&self, program: &Program, analysis: &Analysis<'_>, answers: &mut Answers) {
        let signals = Signals::new(analysis);
        answers.processes.extend(processes::in_code(program, analysis, self.locator));
        let owners = Owners::of(program, self.packages);
        let external = program.links.iter().filter_map(|((module, _), link)| match link {
            Link::External(name) => Some((Family::of(program.module(*module).language), *name)),
            _ => None,
        });
        let external: FxHashSet<(Family, Name)> = external.collect();
        let imports_sdk = external.iter().any(|(family, name)| sdk::of_import(*family, name.text()).is_some());
        let place = |module: u32, span| self.locator.place(&program.module(module).path, span);
        let mut parts: Vec<Part> = Vec::new();
        for (owner, (family, dir)) in owners.list.iter().enumerate() {
            let modules = owners.modules(owner);
            let shape = Shape::of(analysis, &signals, &modules);
            let sdk = self.sdk(program, &modules, *family, dir);
            if !imports_sdk && sdk.is_none() && !shape.by_hand && !shape.generates {
                continue;
            }
            let language = language(program, &modules);
            let package = server::Package { dir, language, sdk, modules: &modules };
            let Some(server) = server::answer(analysis, &signals, &package, shape, &place) else { continue };
            parts.push(Part { owner, modules, http: shape.http, server });
        }
        let parts = Parts::new(&owners, parts);
        let plans = parts.plans(analysis, &signals, &self.options.plan);
        for (index, part) in parts.list().iter().enumerate() {
            let mut server = part.server.clone();
            let (family, dir) = &owners.list[part.owner];
            let context = Context { analysis, signals: &signals, modules: &part.modules, http: part.http };
            let rules = rules::ALL.iter().filter(|rule| self.options.wants(rule.name));
            let detections: Vec<Detection> = rules.flat_map(|rule| (rule.detect)(&context)).collect();
            let findings = self.findings(program, &server, detections, &plans[parts.planned_by(index)]);
            if let Some(own) = self.packages.at(*family, dir) {
                let sdks = sdk::sdks_in(self.packages, own);
                let (target, modules) = (&self.options.upgrades, &part.modules);
                upgrades::of_server(target, &sdks, analysis, modules, &findings, &mut server, &place);
            }
            answers.findings.extend(findings);
            answers.uncalled.extend(uncalled(program, analysis, part, dir));
            answers.servers.push(server);
        }
        answers.plans.extend(plans);
    }

    /// The SDK that answers for a package: one that its code imports before one that only its manifest names.
    fn sdk(&self, program: &Program, modules: &[bool], family: Family, dir: &str) -> Option<SdkAnswer> {
        let package = self.packages.at(family, dir)?;
        let found = sdk::sdks_in(self.packages, package);
        let imported: FxHashSet<&str> = program
            .links
            .iter()
            .filter(|((module, _), _)| modules[*module as usize])
            .filter_map(|(_, link)| match link {
                Link::External(name) => Some(name.text()),
                _ => None,
            })
            .collect();
        let serves = |kind: SdkKind| kind != SdkKind::ClientSdk;
        let best = found
            .iter()
            .find(|sdk| serves(sdk.kind) && imported.contains(sdk.name.as_str()))
            .or_else(|| found.iter().find(|sdk| imported.contains(sdk.name.as_str())))
            .or_else(|| found.iter().find(|sdk| !sdk.dev))?;
        Some(SdkAnswer {
            name: best.name.clone(),
            requirement: best.requirement.clone(),
            resolved: best.resolved.clone(),
            era: server::era(best.era.map(|era| era == Era::Modern)),
        })
    }

    fn findings(
        &self,
        program: &Program,
        server: &Server,
        mut detections: Vec<Detection>,
        plan: &ServerPlan,
    ) -> Vec<Finding> {
        detections.sort_by_key(|detection| (detection.at, detection.rule.name));
        // Two transports that one function configures are one place.
        detections.dedup_by(|a, b| a.at == b.at && a.rule.name == b.rule.name && a.message == b.message);
        let mut seen: FxHashMap<String, u32> = FxHashMap::default();
        let path_of = |module: u32| program.module(module).path.clone();
        detections
            .into_iter()
            .map(|detection| {
                let path = path_of(detection.at.module);
                let span = detection.at.span;
                let (name, line) = (self.locator.lasting_name(&path), self.locator.line_text(&path, span.start));
                let key = format!("{}\n{name}\n{line}", detection.rule.name);
                let count = seen.entry(key.clone()).or_default();
                *count += 1;
                let related = detection.related.into_iter().map(|(spot, message)| Related {
                    at: self.locator.place(&path_of(spot.module), spot.span),
                    message,
                });
                Finding {
                    rule: detection.rule.name,
                    severity: detection.rule.severity,
                    message: detection.message,
                    server: server.path.clone(),
                    start: self.locator.position(&path, span.start),
                    end: self.locator.position(&path, span.end),
                    related: related.collect(),
                    more: detection
                        .more
                        .iter()
                        .map(|spot| self.locator.place(&path_of(spot.module), spot.span))
                        .collect(),
                    failure: detection.failure,
                    fix: plan.hint(detection.rule.name, &Site { path: path.clone(), span }),
                    fingerprint: fingerprint(&key, *count),
                    advice: detection.advice,
                    path,
                }
            })
            .collect()
    }
}

/// The framework that an import names, in a language where what is not installed may be imported all the same.
fn framework(family: Family, package: &str) -> Option<&'static sdk::KnownPackage> {
    let known = Some(package).filter(|_| family == Family::Python).and_then(|package| sdk::of_import(family, package));
    known.filter(|known| known.kind == SdkKind::Framework)
}

/// Factories of a package that nothing was seen to call, where it matters who does.
fn uncalled(program: &Program, analysis: &Analysis<'_>, part: &Part, dir: &str) -> Vec<(String, Name)> {
    let here = |func: &FuncRef| part.modules[func.module as usize];
    // Who calls a factory matters where something was found to live as long as its session.
    let matters = analysis.stores.iter().any(|found| {
        found.keyed_by == KeyedBy::SessionLifetime
            && part.modules[found.holder.module as usize]
            && analysis.lives.is_assumed_at(&analysis.flow, found.holder.module, found.holder.span)
    });
    let assumed = analysis.lives.assumed.iter().copied().filter(|_| matters);
    let unfed = unfed_factories(&analysis.flow).into_iter();
    let words = assumed.chain(unfed).filter(here).filter_map(|func| caller_word(program, func));
    words.map(|word| (dir.to_owned(), word)).collect()
}

/// The word by which other files would call a function: its name, or for a part of a class the class's.
fn caller_word(program: &Program, func: FuncRef) -> Option<Name> {
    let facts = program.function(func);
    match facts.kind {
        FuncKind::Constructor | FuncKind::Method | FuncKind::Getter | FuncKind::Setter => {
            program.module(func.module).class(facts.class?).name
        }
        _ => facts.name,
    }
}

fn take(module: &mut Module) -> Module {
    std::mem::replace(module, Module::empty(Language::JavaScript))
}

fn language(program: &Program, modules: &[bool]) -> &'static str {
    let mut languages =
        program.modules.iter().zip(modules).filter(|(_, ours)| **ours).map(|(module, _)| module.language);
    match languages.clone().next() {
        Some(Language::Python) => "python",
        Some(Language::Rust) => "rust",
        _ if languages.any(|language| language == Language::TypeScript) => "typescript",
        _ => "javascript",
    }
}

/// A fingerprint of what does not move with the lines: the rule, the file, the line's text, and which of several alike it is.
fn fingerprint(key: &str, count: u32) -> String {
    // FNV-1a: short, stable over releases and machines.
    let bytes = key.bytes().chain(count.to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
