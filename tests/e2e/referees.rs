//! Judges from outside: the official conformance suite, a probe of the 2026-07-28 wire, and the Inspector's command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use super::cases::Signature;
use super::drive::{Driver, all_hold};
use super::install::{home, node22, npm, python};
use super::process::{Finished, run};
use super::server::{Program, Server};

const PATIENCE: Duration = Duration::from_secs(120);
const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";
/// Rows that depend on how the stream happened to be cut.
const NOISE: [&str; 4] = ["outgoing-request", "incoming-response", "stream-closed", "incoming-sse-event"];

/// Scenario, row and status, and how often.
type Rows = BTreeMap<(String, String, String), usize>;

#[derive(Debug)]
pub struct Referees {
    node: PathBuf,
    packages: PathBuf,
}

impl Referees {
    pub fn new() -> Result<Self, String> {
        Ok(Self { node: node22()?, packages: npm("referees")?.join("node_modules/@modelcontextprotocol") })
    }

    /// On the wire of 2025-11-25, the suite's answers change as `rule` says.
    pub fn signature(&self, before: &Program, result: &Program, rule: Signature) -> Result<(), String> {
        if rule == Signature::None {
            return Ok(());
        }
        twice(|| {
            let before = self.conform(&Server::start(before, &[])?, OLD, &[])?.1;
            let result = self.conform(&Server::start(result, &[])?, OLD, &[])?.1;
            compare(&before, &result, rule)
        })
    }

    /// On the wire of 2026-07-28, exactly what the baseline lists fails. With `E2E_UPDATE` set, the baseline is written instead.
    pub fn baseline(&self, program: &Program, name: &str, may_update: bool) -> Result<(), String> {
        let file = home("referees").join(format!("{name}.yml"));
        if may_update && std::env::var_os("E2E_UPDATE").is_some_and(|value| !value.is_empty()) {
            let (_, rows) = self.conform(&Server::start(program, &[])?, NEW, &[])?;
            return fs::write(&file, self.expected(&rows)?).map_err(|error| format!("{}: {error}", file.display()));
        }
        twice(|| {
            let expected = ["--expected-failures", file.to_str().expect("a path in UTF-8")];
            let (done, _) = self.conform(&Server::start(program, &[])?, NEW, &expected)?;
            if done.succeeded() {
                Ok(())
            } else {
                Err(format!("conformance with {NEW} and {name}.yml: {}", done.said()))
            }
        })
    }

    /// A second opinion on the wire of 2026-07-28. Origins and schemas of tools are the server's own affair.
    pub fn probe(&self, program: &Program) -> Result<(), String> {
        let interpreter = python("mcpcheck")?;
        twice(|| {
            let server = Server::start(program, &[])?;
            let mut probe = Command::new(&interpreter);
            probe.args(["-m", "mcpcheck", "--skip", "origin,schemas"]).arg(server.named_url());
            let done = run(&mut probe, PATIENCE)?;
            if done.succeeded() { Ok(()) } else { Err(format!("mcpcheck: {}", done.said())) }
        })
    }

    pub fn inspector(&self, program: &Program, driver: &Driver) -> Result<(), String> {
        let cli = self.packages.join("inspector/clients/launcher/build/index.js");
        twice(|| all_hold(&driver.inspector(&Server::start(program, &[])?, &self.node, &cli)?))
    }

    fn conform(&self, server: &Server, revision: &str, more: &[&str]) -> Result<(Finished, Rows), String> {
        let out = server.log.with_extension("conformance");
        let url = server.named_url();
        let mut suite = self.suite();
        suite.args(["server", "--url", &url, "--requirements", revision, "-o"]).arg(&out).args(more);
        let done = run(&mut suite, PATIENCE)?;
        let rows = rows(&out).map_err(|error| format!("{error}\n{}", done.said()))?;
        Ok((done, rows))
    }

    fn suite(&self) -> Command {
        let mut suite = Command::new(&self.node);
        suite.arg(self.packages.join("conformance/dist/index.js"));
        suite
    }

    /// The file of expected failures for these rows: one entry for each row of a required scenario that is no success, and the
    /// whole scenario where it left no row.
    fn expected(&self, rows: &Rows) -> Result<String, String> {
        let done = run(self.suite().args(["list", "--server", "--requirements", NEW]), PATIENCE)?;
        let server_part = done.stdout.split("Client scenarios").next().unwrap_or_default();
        let required: Vec<&str> = server_part.lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
        if required.is_empty() {
            return Err(format!("the suite lists no scenario: {}", done.said()));
        }
        let mut out = String::from(
            "# What the official suite finds missing in the migrated examples: diagnostic tools, prompts and resources that they have\n\
             # no use for, and checks of Host and Origin. Written by `E2E_UPDATE=1 cargo test --test e2e_typescript`.\nserver:\n",
        );
        for scenario in required {
            let mut own = rows.keys().filter(|(of, _, _)| of == scenario).peekable();
            if own.peek().is_none() {
                out.push_str(&format!("  - {scenario}\n"));
            }
            for (_, row, _) in own.filter(|(_, _, status)| status == "FAILURE" || status == "WARNING") {
                out.push_str(&format!("  - {scenario}:{row}\n"));
            }
        }
        Ok(out)
    }
}

/// A second try for what waits for streams by the clock.
fn twice(attempt: impl Fn() -> Result<(), String>) -> Result<(), String> {
    attempt().or_else(|_| attempt())
}

#[derive(Deserialize)]
struct Check {
    id: String,
    status: String,
}

/// The rows in the suite's output, one folder for each scenario: `server-<scenario>-<time>/checks.json`.
fn rows(out: &Path) -> Result<Rows, String> {
    let mut rows = Rows::new();
    for entry in fs::read_dir(out).map_err(|error| format!("the suite wrote nothing: {error}"))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // The time is 24 characters long, `2026-01-01T00-00-00-000Z`.
        let scenario =
            name.strip_prefix("server-").and_then(|name| name.get(..name.len().checked_sub(25)?)).unwrap_or(&name);
        let file = entry.path().join("checks.json");
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let checks: Vec<Check> = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        for check in checks.into_iter().filter(|check| !NOISE.contains(&check.id.as_str())) {
            *rows.entry((scenario.to_owned(), check.id, check.status)).or_default() += 1;
        }
    }
    Ok(rows)
}

/// What goes and what comes with the end of sessions, by scenario and row. What comes has a status; what goes may have had any.
struct Change {
    gone: BTreeSet<(String, String)>,
    new: Rows,
}

const SESSIONS: &str = include_str!("referees/session-signature.tsv");
const REPLAY: &str = include_str!("referees/replay-signature.tsv");

/// From tables of scenario, row, status before, status after; `-` where the row is absent.
fn allowed(tables: &[&str]) -> Change {
    let mut change = Change { gone: BTreeSet::new(), new: Rows::new() };
    for line in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let [scenario, row, before, after] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row of the signature has four cells: {line}")
        };
        if before != "-" {
            change.gone.insert((scenario.to_owned(), row.to_owned()));
        }
        if after != "-" {
            change.new.insert((scenario.to_owned(), row.to_owned(), after.to_owned()), 1);
        }
    }
    change
}

fn names(rows: &Rows) -> BTreeSet<(String, String)> {
    rows.keys().map(|(scenario, row, _)| (scenario.clone(), row.clone())).collect()
}

fn compare(before: &Rows, result: &Rows, rule: Signature) -> Result<(), String> {
    let (mut gone, mut new) = (without(before, result), without(result, before));
    // What failed before may pass now.
    new.retain(|(scenario, row, status), _| {
        let failed = (scenario.clone(), row.clone(), "FAILURE".to_owned());
        status != "SUCCESS" || gone.remove(&failed).is_none()
    });
    let allowed = match rule {
        Signature::Replay => allowed(&[SESSIONS, REPLAY]),
        _ => allowed(&[SESSIONS]),
    };
    let fine = match rule {
        Signature::None => true,
        Signature::Same => gone.is_empty() && new.is_empty(),
        Signature::Exact | Signature::Replay => names(&gone) == allowed.gone && new == allowed.new,
        Signature::Sessionless => {
            let told = names(&allowed.new);
            let over = allowed.gone.difference(&told);
            without(&allowed.new, result).is_empty() && over.into_iter().all(|row| !names(result).contains(row))
        }
    };
    if fine {
        return Ok(());
    }
    let list = |rows: &Rows| rows.keys().map(|(a, b, c)| format!("  {a} {b} {c}\n")).collect::<String>();
    Err(format!(
        "the suite's answers with {OLD} changed in another way than {rule:?} allows; gone:\n{}come:\n{}",
        list(&gone),
        list(&new)
    ))
}

fn without(rows: &Rows, other: &Rows) -> Rows {
    let left =
        rows.iter().map(|(row, count)| (row.clone(), count.saturating_sub(other.get(row).copied().unwrap_or(0))));
    left.filter(|(_, count)| *count > 0).collect()
}
