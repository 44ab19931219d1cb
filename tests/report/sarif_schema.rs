//! SARIF against the official schema, and what code scanning asks for beyond it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use jsonschema::Validator;
use mcp_migrate::report::edits::Edits;
use mcp_migrate::report::places::{Base, Places};
use mcp_migrate::report::sarif::render;
use mcp_migrate::report::scan::{Parts, Scan};
use mcp_migrate::report::sources::NoSources;
use mcp_migrate::rules;
use serde_json::Value;

use crate::sample;

/// The official schema. Its package is in the lock file and is never built, so cargo is asked where it lies.
fn schema() -> &'static Validator {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("a package that holds the schema");
        let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
        let path = manifest.parent().unwrap_or(Path::new(".")).join("src/schema.json");
        let text = std::fs::read_to_string(&path).expect("the schema");
        let mut schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
        for pointer in ["/definitions/run/properties/language", "/definitions/toolComponent/properties/language"] {
            // Its pattern has a bracket too many, which strict readers of the schema refuse. We write no language.
            let language = schema.pointer_mut(pointer).and_then(Value::as_object_mut).expect(pointer);
            assert!(language.shift_remove("pattern").is_some());
        }
        assert!(schema["title"].as_str().is_some_and(|t| t.contains("SARIF) Version 2.1.0")), "{}", schema["title"]);
        jsonschema::options().should_validate_formats(true).build(&schema).expect("the schema is sound")
    })
}

/// What the official schema says against a log.
pub fn errors(log: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(log).expect("the log is JSON");
    schema().iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

fn log(scan: &Scan) -> Value {
    let sources = sample::sources();
    let text = render(scan, &Edits::default(), &Places::new(Base::folder("apps/a b"), &sources));
    assert_eq!(errors(&text), Vec::<String>::new());
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let text = render(&sample::scan(), &Edits::default(), &Places::new(Base::root(), &NoSources));
    assert_eq!(errors(&text), Vec::<String>::new());
    assert!(!errors(&text.replacen("\"startLine\"", "\"firstLine\"", 1)).is_empty());
    assert!(!errors(&text.replacen("\"level\": \"error\"", "\"level\": \"fatal\"", 1)).is_empty());
}

#[test]
fn an_empty_log_has_results_so_that_old_alerts_close() {
    let log = log(&Scan::assemble(Parts::default()));
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(log["runs"][0]["properties"]["category"], Value::Null);
}

#[test]
fn rules_have_all_that_code_scanning_shows() {
    let log = log(&sample::scan());
    let list = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(list.len(), rules::ALL.len());
    for rule in list {
        for pointer in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
            let text = rule.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            assert!(!text.is_empty(), "{pointer} of {}", rule["id"]);
            assert!(pointer.starts_with("/help") || text.chars().count() <= 1024, "{pointer} of {}", rule["id"]);
        }
        assert!(rule.pointer("/help/markdown").and_then(Value::as_str).is_some_and(|m| m.contains("## The migration")));
        assert!(rule.get("helpUri").is_none());
    }
}

#[test]
fn results_name_their_rule_their_places_and_a_fingerprint() {
    let scan = sample::scan();
    let log = log(&scan);
    let run = &log["runs"][0];
    let rules = &run["tool"]["driver"]["rules"];
    for (result, finding) in run["results"].as_array().expect("results").iter().zip(&scan.findings) {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["ruleId"], finding.rule);
        assert_eq!(result["partialFingerprints"]["mcpMigrate/v1"], finding.fingerprint.as_str());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
        assert!(uri.starts_with("apps/a%20b/packages/"), "{uri}");
        for field in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(place["region"][field].as_u64().is_some_and(|n| n > 0), "{field}: {place}");
        }
        let text = result["message"]["text"].as_str().expect("text");
        let related = result.get("relatedLocations").and_then(Value::as_array).map_or(0, Vec::len);
        assert_eq!(related, finding.related.len());
        for id in 1..=related {
            assert!(text.contains(&format!("]({id})")), "{text}");
        }
        assert!(result.get("fixes").is_none(), "there is no edit yet");
    }
    let state = run["results"].as_array().and_then(|r| r.iter().find(|r| r["ruleId"] == "session-keyed-state"));
    let steps = &state.expect("a store")["codeFlows"][0]["threadFlows"][0]["locations"];
    let lines: Vec<u64> = steps
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|s| s.pointer("/location/physicalLocation/region/startLine").and_then(Value::as_u64))
        .collect();
    assert_eq!(lines, [4, 8, 9, 31], "its own file first, in reading order");
}

#[test]
fn files_that_were_not_read_are_notifications() {
    let scan = sample::scan();
    let log = log(&scan);
    let notifications = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list");
    assert_eq!(notifications.len(), scan.skipped.len());
    let reasons = &log["runs"][0]["tool"]["driver"]["notifications"];
    for notification in notifications {
        let index = notification["descriptor"]["index"].as_u64().expect("an index") as usize;
        assert_eq!(reasons[index]["id"], notification["descriptor"]["id"]);
    }
}
