//! The answer of a scan: everything that a renderer needs, in a fixed order, with its summary.

use serde::Serialize;

use crate::classify::answer::{Category, Facet, Role, Server};
use crate::rules::finding::{Finding, Severity};
pub use crate::workspace::skipped::SkipReason;

/// The protocol revision that the answers speak of.
pub const SPEC: &str = "2026-07-28";

/// The program that scanned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Tool {
    /// This program.
    pub const THIS: Tool = Tool { name: "mcp-migrate", version: env!("CARGO_PKG_VERSION") };
}

/// How many files were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Files {
    /// Files in a supported language that the walk came to.
    pub walked: u64,
    /// Those of them that were parsed.
    pub parsed: u64,
}

/// Findings by the level of their fix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fixable {
    /// No tool interface changes.
    pub safe: u64,
    /// Complete, but to be read before it is merged.
    pub review: u64,
    /// A person decides.
    pub manual: u64,
}

/// The scan in a few lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The most severe category of the servers; `None` where no server was found.
    pub category: Option<Category>,
    /// All categories found, except `none`, and except `setup-only` where there is another.
    pub categories: Vec<Category>,
    /// All facets found.
    pub facets: Vec<Facet>,
    /// Servers found (packages that are only clients do not count).
    pub servers: usize,
    /// Files met.
    pub files: Files,
    /// Bytes read.
    pub bytes: u64,
    /// `None` until a planner for the language exists.
    pub fixable: Option<Fixable>,
}

/// A file that was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// Path relative to the root.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
    /// A sentence for people. Not part of the JSON contract.
    #[serde(skip)]
    pub detail: Option<String>,
}

/// A language that was met and can't be read yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unsupported {
    /// Its name, as people write it (`Go`, `C#`).
    pub language: String,
    /// The first such file.
    pub path: String,
    /// How many there are.
    pub files: u64,
}

/// What a pipeline found, in any order.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The root, as it is to be printed; every other path is relative to it.
    pub root: String,
    /// The root on disk.
    pub disk_root: std::path::PathBuf,
    /// Servers (and clients and libraries of interest).
    pub servers: Vec<Server>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Files not analysed.
    pub skipped: Vec<Skipped>,
    /// Languages met that can't be read yet.
    pub unsupported: Vec<Unsupported>,
    /// Files met.
    pub files: Files,
    /// Bytes read.
    pub bytes: u64,
    /// Whether a planner looked at the findings, so that their levels can be counted.
    pub planned: bool,
}

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scan {
    /// The program.
    pub tool: Tool,
    /// The protocol revision.
    pub spec: &'static str,
    /// The root.
    pub root: String,
    /// The root on disk, from which sources are read again.
    #[serde(skip)]
    pub disk_root: std::path::PathBuf,
    /// In a few lines.
    pub summary: Summary,
    /// Servers, by path and language.
    pub servers: Vec<Server>,
    /// Findings, by path, position and rule.
    pub findings: Vec<Finding>,
    /// Files not analysed, by path.
    pub skipped: Vec<Skipped>,
    /// Languages met that can't be read yet. In JSON they stand in `skipped`, one file each.
    #[serde(skip)]
    pub unsupported: Vec<Unsupported>,
}

impl Scan {
    /// Sorts what a pipeline found and sums it up. The result depends on what `parts` holds, not on its order.
    pub fn assemble(parts: Parts) -> Scan {
        let Parts { root, disk_root, mut servers, mut findings, mut skipped, mut unsupported, files, bytes, planned } =
            parts;
        for server in &mut servers {
            sort_server(server);
        }
        servers.sort_by(|a, b| (&a.path, a.language).cmp(&(&b.path, b.language)));
        findings.sort_by(|a, b| finding_key(a).cmp(&finding_key(b)));
        findings.dedup();
        unsupported.sort();
        for language in &unsupported {
            if !skipped.iter().any(|s| s.path == language.path) {
                skipped.push(Skipped {
                    path: language.path.clone(),
                    reason: SkipReason::UnsupportedLanguage,
                    detail: None,
                });
            }
        }
        skipped.sort();
        skipped.dedup();
        Scan {
            tool: Tool::THIS,
            spec: SPEC,
            root,
            disk_root,
            summary: summarise(&servers, &findings, files, bytes, planned),
            servers,
            findings,
            skipped,
            unsupported,
        }
    }

    /// The same answer with other findings.
    pub fn with_findings(mut self, mut findings: Vec<Finding>) -> Scan {
        findings.sort_by(|a, b| finding_key(a).cmp(&finding_key(b)));
        findings.dedup();
        self.summary.fixable = self.summary.fixable.map(|_| fixable(&findings));
        self.findings = findings;
        self
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// The most severe finding there is.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
}

/// Whether an entry counts as a server: clients do not.
fn serves(server: &Server) -> bool {
    server.role != Role::Client
}

fn sort_server(server: &mut Server) {
    server.categories.sort();
    server.categories.dedup();
    server.facets.sort_by_key(|f| f.id());
    server.facets.dedup();
    for store in &mut server.stores {
        store.tools.sort();
        store.tools.dedup();
        store.fields.sort_by(|a, b| a.name.cmp(&b.name));
    }
    server.stores.sort_by(|a, b| (&a.at, &a.id).cmp(&(&b.at, &b.id)));
    server.processes.sort_by(|a, b| (&a.at, &a.reason).cmp(&(&b.at, &b.reason)));
    server.processes.dedup();
    for change in server.upgrades.iter_mut().flat_map(|upgrade| &mut upgrade.changes) {
        change.at.sort();
        change.at.dedup();
    }
}

fn finding_key(f: &Finding) -> (&str, u32, u32, u32, u32, &str, &str, &str) {
    (&f.path, f.start.line, f.start.column, f.end.line, f.end.column, f.rule, &f.server, &f.message)
}

fn summarise(servers: &[Server], findings: &[Finding], files: Files, bytes: u64, planned: bool) -> Summary {
    let serving = || servers.iter().filter(|s| serves(s));
    let mut categories: Vec<Category> = serving()
        .flat_map(|s| s.categories.iter().copied().chain([s.category]))
        .filter(|c| *c != Category::None)
        .collect();
    categories.sort();
    categories.dedup();
    if categories.len() > 1 {
        categories.retain(|c| *c != Category::SetupOnly);
    }
    let mut facets: Vec<Facet> = servers.iter().flat_map(|s| s.facets.iter().copied()).collect();
    facets.sort_by_key(|f| f.id());
    facets.dedup();
    Summary {
        category: serving().map(|s| s.category).max(),
        categories,
        facets,
        servers: serving().count(),
        files,
        bytes,
        fixable: planned.then(|| fixable(findings)),
    }
}

fn fixable(findings: &[Finding]) -> Fixable {
    let mut sum = Fixable::default();
    for level in findings.iter().filter_map(|f| f.fix.as_ref()).map(|f| f.level) {
        match level {
            "safe" => sum.safe += 1,
            "review" => sum.review += 1,
            _ => sum.manual += 1,
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::answer::Principal;

    fn server(path: &str, category: Category, categories: &[Category], role: Role) -> Server {
        Server {
            path: path.to_owned(),
            language: "typescript",
            role,
            sdk: None,
            category,
            categories: categories.to_vec(),
            facets: Vec::new(),
            principal: Principal::None,
            principal_at: None,
            stores: Vec::new(),
            processes: Vec::new(),
            upgrades: Vec::new(),
        }
    }

    fn summary(servers: Vec<Server>) -> Summary {
        let parts = Parts { servers, ..Parts::default() };
        Scan::assemble(parts).summary
    }

    #[test]
    fn no_server_has_no_category() {
        let empty = summary(Vec::new());
        assert_eq!((empty.category, empty.servers), (None, 0));
        let client = summary(vec![server(".", Category::None, &[], Role::Client)]);
        assert_eq!((client.category, client.servers), (None, 0));
    }

    #[test]
    fn none_is_never_listed_and_setup_only_only_when_alone() {
        use Category::*;
        let alone = summary(vec![server(".", SetupOnly, &[SetupOnly], Role::Server)]);
        assert_eq!(alone.categories, [SetupOnly]);
        let mixed = summary(vec![
            server("c", None, &[], Role::Server),
            server("b", AppState, &[AppState, TransportMap], Role::Both),
            server("a", SetupOnly, &[SetupOnly], Role::Server),
        ]);
        assert_eq!(mixed.categories, [TransportMap, AppState]);
        assert_eq!(mixed.category, Some(AppState));
    }

    #[test]
    fn order_of_discovery_does_not_matter() {
        let a = || server("a", Category::Auth, &[Category::Auth], Role::Server);
        let b = || server("b", Category::None, &[], Role::Server);
        let scan = |servers| Scan::assemble(Parts { servers, ..Parts::default() });
        assert_eq!(scan(vec![a(), b()]), scan(vec![b(), a()]));
    }
}
