//! A small runner of what GitHub Actions and GitLab CI run: steps with their expressions, outputs and files, in real shells.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::support::{Run, isolated};

/// A machine with what a job finds there.
pub struct Runner {
    /// Where the repository was checked out.
    pub workspace: PathBuf,
    /// Where what a job leaves is kept.
    pub temp: PathBuf,
    /// Folders before all others on the path.
    pub tools: Vec<PathBuf>,
    /// There are no other folders.
    pub bare: bool,
    /// `github.event.pull_request.base.sha`.
    pub base: String,
}

/// What an action came to.
#[derive(Debug)]
pub struct Acted {
    /// Whether all its steps succeeded.
    pub succeeded: bool,
    /// Its outputs.
    pub outputs: BTreeMap<String, String>,
    /// What its steps printed.
    pub log: String,
    /// What they wrote into the summary.
    pub summary: String,
}

impl Runner {
    /// Runs a composite action with some of its inputs; the others have their defaults.
    pub fn act(&self, action: &Path, inputs: &[(&str, &str)]) -> Acted {
        let document = read(&action.join("action.yml"));
        assert_eq!(document["runs"]["using"], "composite");
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for (name, input) in document["inputs"].as_object().expect("inputs") {
            known.insert(format!("inputs.{name}"), input["default"].as_str().expect("a default").to_owned());
        }
        for (name, value) in inputs {
            let set = known.insert(format!("inputs.{name}"), (*value).to_owned());
            assert!(set.is_some(), "the action has no input {name}");
        }
        known.insert("github.action_path".to_owned(), action.display().to_string());
        known.insert("github.event.pull_request.base.sha".to_owned(), self.base.clone());
        known.insert("runner.temp".to_owned(), self.temp.display().to_string());
        let summary = self.temp.join("summary.md");
        let _ = fs::remove_file(&summary);
        let mut acted = Acted { succeeded: true, outputs: BTreeMap::new(), log: String::new(), summary: String::new() };
        for step in document["runs"]["steps"].as_array().expect("steps") {
            let run = self.step(step, &known, &summary);
            acted.log.push_str(&run.stdout);
            acted.log.push_str(&run.stderr);
            if let Some(id) = step["id"].as_str() {
                let outputs = fs::read_to_string(self.temp.join("output")).unwrap_or_default();
                for (name, value) in outputs.lines().filter_map(|line| line.split_once('=')) {
                    known.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
                }
            }
            if run.code != 0 {
                acted.succeeded = false;
                break;
            }
        }
        for (name, output) in document["outputs"].as_object().expect("outputs") {
            let value = filled(output["value"].as_str().expect("a value"), &known);
            acted.outputs.insert(name.clone(), value);
        }
        acted.summary = fs::read_to_string(&summary).unwrap_or_default();
        acted
    }

    /// One step, in the shell that it names, as the runner calls it.
    fn step(&self, step: &Value, known: &BTreeMap<String, String>, summary: &Path) -> Run {
        assert_eq!(step["shell"], "bash", "a step of an action has to name its shell");
        let script = self.temp.join("step.sh");
        fs::write(&script, filled(step["run"].as_str().expect("a script"), known)).expect("a file");
        let output = self.temp.join("output");
        fs::write(&output, "").expect("a file");
        let mut bash = self.bash();
        bash.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(&script);
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            bash.env(name, filled(value.as_str().expect("a text"), known));
        }
        bash.env("CI", "true").env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", &self.workspace);
        bash.env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", summary).env("RUNNER_TEMP", &self.temp);
        Run::of(bash.output().expect("bash runs: install it"))
    }

    /// The script of a GitLab job, in one shell, with variables of CI and of the job.
    pub fn job(&self, job: &Value, variables: &[(&str, &str)]) -> Run {
        let lines = job["script"].as_array().expect("a script").iter();
        let script: Vec<&str> = lines.map(|line| line.as_str().expect("a text")).collect();
        let mut bash = self.bash();
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script.join("\n")]);
        let folder = self.workspace.display().to_string();
        for (name, value) in job["variables"].as_object().into_iter().flatten() {
            bash.env(name, value.as_str().expect("a text").replace("$CI_PROJECT_DIR", &folder));
        }
        bash.envs([("CI", "true"), ("GITLAB_CI", "true"), ("CI_PROJECT_DIR", folder.as_str())])
            .envs(variables.iter().copied());
        Run::of(bash.output().expect("bash runs: install it"))
    }

    fn bash(&self) -> Command {
        let mut bash = Command::new("bash");
        isolated(&mut bash);
        let path = std::env::var_os("PATH").filter(|_| !self.bare).unwrap_or_default();
        let path = self.tools.iter().cloned().chain(std::env::split_paths(&path));
        bash.current_dir(&self.workspace).env("PATH", std::env::join_paths(path).expect("a path"));
        bash
    }
}

/// A document in YAML.
pub fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A text with its expressions filled in; one that nothing is known of is a mistake, unless a step did not run.
fn filled(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (expression, after) = after.split_once("}}").expect("an end of the expression");
        let expression = expression.trim();
        let value = known.get(expression).cloned();
        let value = value.or_else(|| expression.starts_with("steps.").then(String::new));
        out.push_str(before);
        out.push_str(&value.unwrap_or_else(|| panic!("nothing is known of {expression}")));
        rest = after;
    }
    out + rest
}
