//! The JSON document and its published schema.

use mcp_migrate::report::json::{SCHEMA_TEXT, render};
use mcp_migrate::report::scan::{Parts, Scan, SkipReason};
use mcp_migrate::rules;
use serde_json::Value;

use crate::sample;

fn schema() -> Value {
    serde_json::from_str(SCHEMA_TEXT).expect("the schema is JSON")
}

fn errors(document: &str) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema is sound");
    let document: Value = serde_json::from_str(document).expect("the document is JSON");
    validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn a_full_answer_is_valid_and_complete() {
    let text = render(&sample::scan());
    assert_eq!(errors(&text), Vec::<String>::new());
    insta::assert_snapshot!(text);
}

#[test]
fn an_empty_answer_is_valid() {
    let text = render(&Scan::assemble(Parts::default()));
    assert_eq!(errors(&text), Vec::<String>::new());
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["summary"]["category"], Value::Null);
    assert_eq!(document["summary"]["fixable"], Value::Null);
}

#[test]
fn planned_findings_are_counted_by_level() {
    let mut parts = sample::parts();
    parts.planned = true;
    let text = render(&Scan::assemble(parts));
    assert_eq!(errors(&text), Vec::<String>::new());
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["summary"]["fixable"]["review"], 1);
}

#[test]
fn a_wrong_word_is_refused() {
    let text = render(&sample::scan()).replacen("\"collapsed\"", "\"broken\"", 1);
    assert!(!errors(&text).is_empty());
}

#[test]
fn order_of_discovery_does_not_change_the_document() {
    let mut parts = sample::parts();
    parts.servers.reverse();
    parts.findings.reverse();
    parts.skipped.reverse();
    assert_eq!(render(&Scan::assemble(parts)), render(&sample::scan()));
}

/// The words of the schema are those of the program.
#[test]
fn vocabularies_agree() {
    use mcp_migrate::classify::answer::*;
    let schema = schema();
    let words = |pointer: &str| -> Vec<String> {
        let list = schema.pointer(pointer).and_then(Value::as_array).expect(pointer);
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    macro_rules! same {
        ($kind:ident, $pointer:literal) => {
            let ours: Vec<String> = $kind::ALL.iter().map(|v| v.id().to_owned()).collect();
            assert_eq!(words($pointer), ours, $pointer);
        };
    }
    same!(Category, "/$defs/category/enum");
    same!(Facet, "/$defs/facet/enum");
    same!(Failure, "/$defs/failure/enum");
    same!(KeyedBy, "/$defs/store/properties/keyed_by/enum");
    same!(Holds, "/$defs/store/properties/holds/enum");
    same!(Carrier, "/$defs/store/properties/carrier/enum");
    same!(Role, "/$defs/server/properties/role/enum");
    same!(ChangeKind, "/$defs/server/properties/upgrades/items/properties/changes/items/properties/kind/enum");
    same!(Principal, "/$defs/server/properties/principal/enum");
    same!(SkipReason, "/$defs/skipped/properties/reason/enum");
}

#[test]
fn rules_as_json_have_every_rule() {
    let document: Value = serde_json::from_str(&mcp_migrate::report::rules::json(rules::ALL)).unwrap();
    assert_eq!(document["rules"].as_array().unwrap().len(), rules::ALL.len());
    assert_eq!(document["rules"][0]["severity"], "warning");
    assert_eq!(document["rules"][0]["level"], "safe");
}
