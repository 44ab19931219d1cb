//! The table of cases, `fixtures/e2e/typescript/cases.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub case: Vec<Case>,
    pub broken: Vec<Broken>,
}

/// A server before its migration, and where the migrated one comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Case {
    pub name: String,
    /// The sets of packages to run it with; each gives a test of its own.
    pub sets: Vec<String>,
    pub before: PathBuf,
    pub result: Source,
    #[serde(default = "server_ts")]
    pub entry: String,
    pub drive: PathBuf,
    /// Whether there is anything to migrate. Where there is not, the result is the same, byte for byte.
    #[serde(default = "yes")]
    pub needs_fix: bool,
    /// What `fix` exits with.
    #[serde(default)]
    pub fix_exit: i32,
    /// Properties that `before` must lack.
    #[serde(default = "lacking")]
    pub before_fails: Vec<String>,
    signature: Option<Signature>,
    /// The file of expected failures in `referees/`, for servers that speak 2026-07-28.
    pub baseline: Option<String>,
}

impl Case {
    /// What is not migrated does not change its answers.
    pub fn signature(&self) -> Signature {
        self.signature.unwrap_or(if self.needs_fix { Signature::Exact } else { Signature::Same })
    }
}

/// Where a result comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// `mcp-migrate fix` makes it.
    Fix,
    /// A folder in `fixtures/` holds it.
    Folder(PathBuf),
}

/// How the conformance suite's answers before and after are compared, on the wire of 2025-11-25.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signature {
    /// They differ exactly in the rows that tell of sessions; besides, what failed may pass.
    Exact,
    /// As `Exact`, of a server that kept events to send them again: its store goes too, and so do the rows on what it was for.
    Replay,
    /// Only the result is asked, and has those rows as they are without sessions. For servers that took one client only: the
    /// suite, which connects many times, learns nothing of them.
    Sessionless,
    /// They do not differ.
    Same,
    /// The suite cannot be a client of it, since it asks for a token.
    None,
}

/// A server that was migrated wrongly, and the properties in which the bench must see that.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    pub name: String,
    pub set: String,
    pub server: PathBuf,
    #[serde(default = "server_ts")]
    pub entry: String,
    pub drive: PathBuf,
    /// All that fail, and no others.
    pub fails: Vec<String>,
}

fn server_ts() -> String {
    "src/server.ts".to_owned()
}

fn yes() -> bool {
    true
}

fn lacking() -> Vec<String> {
    ["no-session-header", "without-initialize", "get-refused", "delete-refused"].map(str::to_owned).to_vec()
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

pub fn read() -> Table {
    let file = fixtures().join("e2e/typescript/cases.toml");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
