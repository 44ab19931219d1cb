//! What runs checks: the action, the hook, the job, and the command that writes them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::support::{CLEAN, Repository};

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file")
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).expect("YAML")
}

/// Every `run` and `script` of a document.
fn scripts(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("run", Value::String(text)) => vec![text.clone()],
                ("script", Value::Array(lines)) => {
                    vec![lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")]
                }
                _ => scripts(value),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(scripts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_script_is_sound_and_takes_nothing_from_the_outside() {
    for path in ["action.yml", "ci/github.yml", "ci/gitlab.yml", "ci/pre-commit.yaml", ".pre-commit-hooks.yaml"] {
        for script in scripts(&yaml(&file(path))) {
            // What a pull request may choose reaches a script through variables alone.
            assert!(!script.contains("${{"), "{path}: {script}");
            let mut bash =
                Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("bash");
            bash.stdin.take().expect("piped").write_all(script.as_bytes()).expect("it reads");
            let output = bash.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    assert_eq!(scripts(&yaml(&file("action.yml"))).len(), 2);
}

#[test]
fn actions_are_pinned_and_rights_are_few() {
    for path in ["action.yml", "ci/github.yml"] {
        for line in file(path).lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: ")) {
            let action = line.split(" #").next().unwrap_or_default().trim();
            let commit = action.split_once('@').map(|(_, commit)| commit);
            assert!(action.starts_with("./") || commit.is_some_and(|commit| commit.len() == 40), "{path}: {line}");
        }
    }
    let workflow = yaml(&file("ci/github.yml"));
    assert_eq!(workflow["permissions"], serde_json::json!({ "contents": "read" }));
    assert!(!file("ci/github.yml").contains("secrets"));
}

#[test]
fn init_ci_writes_once_and_says_what_is_next() {
    for (provider, path, word) in [
        ("github", ".github/workflows/mcp-migrate.yml", "uses: ./.github/actions/mcp-migrate"),
        ("gitlab", ".gitlab/mcp-migrate.yml", "CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        ("pre-commit", ".pre-commit-config.yaml", "scan --staged"),
    ] {
        let repository = Repository::bare(CLEAN);
        let arguments = ["init-ci", "--provider", provider];
        let run = repository.run(&arguments);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.starts_with(&format!("Wrote {path}.\nNext:\n")), "{}", run.stdout);
        assert!(repository.read(path).contains(word));
        yaml(&repository.read(path));

        repository.write(path, "mine: true\n");
        let run = repository.run(&arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert!(run.said().contains("--force"), "{}", run.stderr);
        assert_eq!(repository.read(path), "mine: true\n");
        assert_eq!(repository.run(&[&arguments[..], &["--force"]].concat()).code, 0);
        assert!(repository.read(path).contains(word));
    }
}

#[test]
fn an_action_elsewhere_must_be_pinned() {
    let repository = Repository::bare(CLEAN);
    let run = repository.run(&["init-ci", "--action", "owner/mcp-migrate@v1"]);
    assert_eq!(run.code, 2);
    assert!(run.said().contains("40 digits"), "{}", run.stderr);
    let action = "owner/mcp-migrate@0123456789abcdef0123456789abcdef01234567";
    assert_eq!(repository.run(&["init-ci", "--action", action]).code, 0);
    assert!(repository.read(".github/workflows/mcp-migrate.yml").contains(&format!("uses: {action}")));
}
