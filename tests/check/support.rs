//! A repository that a test makes, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A server that keeps nothing per session.
pub const CLEAN: &str = "fixtures/gold/typescript/c-session-map/after";
/// A server with a transport map.
pub const MAPPED: &str = "fixtures/gold/typescript/b-transport-map/before";

/// State by session in a file of its own; finds exactly one thing.
pub const NOTES: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';

const notes = new Map<string, string[]>();

export function register(server: McpServer) {
  server.registerTool('note', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    const mine = notes.get(extra.sessionId) ?? [];
    mine.push(text);
    notes.set(extra.sessionId, mine);
    return { content: [{ type: 'text', text: `${mine.length} notes` }] };
  });
}
";

/// A repository in a folder that goes away with it.
pub struct Repository {
    folder: TempDir,
}

impl Repository {
    /// A folder with the files of an example server, not under version control yet.
    pub fn bare(example: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(example), folder.path());
        Self { folder }
    }

    /// The same with everything committed on `main`.
    pub fn of(example: &str) -> Self {
        let repository = Self::bare(example);
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit("base");
        repository
    }

    /// An empty folder.
    pub fn empty() -> Self {
        Self { folder: TempDir::new().expect("a folder") }
    }

    /// Its folder.
    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there")
    }

    /// Runs git, which must succeed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        isolated(&mut command);
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"];
        let output = command.args(identity).args(arguments).current_dir(self.path()).output().expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Begins a branch.
    pub fn branch(&self, name: &str) {
        self.git(&["checkout", "-q", "-b", name]);
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect("a file")
    }

    /// Replaces a text that must be there.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from}");
        self.write(path, &text.replacen(from, to, 1));
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, |_| {})
    }

    /// Runs the program with more of a set-up.
    pub fn run_with(&self, arguments: &[&str], more: impl FnOnce(&mut Command)) -> Run {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("mcp-migrate"));
        isolated(&mut command);
        command.args(arguments).current_dir(self.path());
        more(&mut command);
        Run::of(command.output().expect("it runs"))
    }

    /// Scans and gives the exit code and what is found: `path:line rule`.
    pub fn findings(&self, arguments: &[&str]) -> (i32, Vec<String>) {
        let run = self.run(&[&["scan", "--format", "json"], arguments].concat());
        (run.code, run.findings())
    }
}

/// What a run of the program gave.
#[derive(Debug)]
pub struct Run {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it noted.
    pub stderr: String,
}

impl Run {
    /// What a program that has ended gave.
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            code: output.status.code().expect("not killed"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// What a JSON answer holds: `path:line rule`.
    pub fn findings(&self) -> Vec<String> {
        let document: Value = serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("no JSON: {self:?}"));
        let findings = document["findings"].as_array().expect("a list").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        findings.map(|f| format!("{}:{} {}", text(&f["path"]), f["start"]["line"], text(&f["rule"]))).collect()
    }

    /// What it noted, as one line: where lines are wrapped depends on the width.
    pub fn said(&self) -> String {
        let drawn = |c: char| !c.is_ascii() || c == '│';
        self.stderr.replace(drawn, " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Keeps the settings of the one who runs the tests away from a program.
pub fn isolated(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MCP_MIGRATE_") || name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("COLUMNS", "110");
    // The folder of the test may lie in a repository of its own.
    command.env("GIT_CEILING_DIRECTORIES", std::env::temp_dir());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
