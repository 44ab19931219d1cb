//! Formats for other programs, over the sample and over text that is hard to carry.

use std::collections::HashSet;

use mcp_migrate::report::edits::Edits;
use mcp_migrate::report::places::{Base, Places};
use mcp_migrate::report::scan::{Parts, Scan};
use mcp_migrate::report::sources::{NoSources, Sources};
use mcp_migrate::report::{github, gitlab, json, jsonl, junit, rdjson, terse};
use mcp_migrate::rules::finding::{Finding, Severity};
use serde_json::Value;

use crate::sample;

/// One file with characters outside of the basic plane before the finding.
struct Emoji;

impl Sources for Emoji {
    fn read(&self, _path: &str) -> Option<String> {
        Some("/* \u{1f950}\u{e9} */ baskets.get(id);\n".to_owned())
    }
}

/// The sample with a finding at `baskets` in the text of [`Emoji`], in a file and with a message that want escaping.
fn hard() -> Scan {
    let mut parts = sample::parts();
    parts.findings.truncate(1);
    let finding = &mut parts.findings[0];
    finding.path = "src/a,b:c%.ts".to_owned();
    finding.message = "100 % of `x`:\r\none, <two> & \"three\" \u{1b}[31m]]>".to_owned();
    finding.advice = String::new();
    (finding.start.line, finding.start.column, finding.start.byte) = (1, 10, 13);
    (finding.end.line, finding.end.column, finding.end.byte) = (1, 17, 20);
    Scan::assemble(parts)
}

/// A scan with so many findings of each severity.
fn many(errors: usize, warnings: usize, notes: usize) -> Scan {
    let template = sample::parts().findings.swap_remove(0);
    let of = |severity, n| {
        let template = template.clone();
        (1..=n as u32).map(move |line| {
            let mut finding = Finding { severity, fingerprint: format!("{severity:?}{line}"), ..template.clone() };
            (finding.start.line, finding.end.line) = (line, line);
            finding
        })
    };
    let findings = of(Severity::Note, notes).chain(of(Severity::Warning, warnings)).chain(of(Severity::Error, errors));
    Scan::assemble(Parts { findings: findings.collect(), ..sample::parts() })
}

fn lines(text: &str, start: &str) -> usize {
    text.lines().filter(|line| line.starts_with(start)).count()
}

#[test]
fn annotations_are_escaped_and_count_utf16() {
    let text = github::render(&hard(), &Places::new(Base::root(), &Emoji));
    insta::assert_snapshot!(text, @"::warning file=src/a%2Cb%3Ac%25.ts,line=1,endLine=1,col=11,endColumn=18,title=session-keyed-telemetry::100 %25 of `x`:%0D%0Aone, <two> & \"three\" \u{1b}[31m]]>.");
}

#[test]
fn an_annotation_over_several_lines_has_no_columns() {
    let mut parts = sample::parts();
    parts.findings.truncate(1);
    parts.findings[0].end.line += 2;
    let text = github::render(&Scan::assemble(parts), &Places::new(Base::root(), &NoSources));
    assert!(text.contains("line=7,endLine=9,title="), "{text}");
}

#[test]
fn annotations_keep_to_the_limit_and_say_what_is_left_out() {
    let places = Places::new(Base::root(), &NoSources);
    let text = github::render(&many(12, 3, 11), &places);
    assert_eq!([lines(&text, "::error "), lines(&text, "::warning "), lines(&text, "::notice ")], [10, 3, 10]);
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("::notice title=mcp-migrate::Not shown here: 2 errors, 2 notes."), "{last}");
    assert!(text.starts_with("::error "));

    let text = github::render(&many(10, 10, 10), &places);
    assert_eq!(text.lines().count(), 30);
    assert!(!text.contains("Not shown"));
    assert_eq!(github::render(&many(0, 0, 0), &places), "");
}

#[test]
fn code_quality_fingerprints_are_unique_and_paths_relative() {
    let mut parts = sample::parts();
    let mut twin = parts.findings[0].clone();
    twin.start.line += 40;
    twin.end.line += 40;
    parts.findings.push(twin);
    let scan = Scan::assemble(parts);
    let text = gitlab::render(&scan, &Places::new(Base::folder("./apps/"), &NoSources));
    let issues: Vec<Value> = serde_json::from_str(&text).expect("an array");
    assert_eq!(issues.len(), scan.findings.len());
    let fingerprints: HashSet<&str> = issues.iter().map(|i| i["fingerprint"].as_str().expect("a string")).collect();
    assert_eq!(fingerprints.len(), issues.len());
    for issue in &issues {
        for field in ["description", "check_name", "severity"] {
            assert!(issue[field].as_str().is_some_and(|s| !s.is_empty()), "{issue}");
        }
        assert!(issue["location"]["path"].as_str().is_some_and(|p| p.starts_with("apps/packages/")), "{issue}");
        assert!(issue["location"]["lines"]["begin"].as_u64().is_some_and(|l| l > 0), "{issue}");
        assert!(["info", "minor", "major"].contains(&issue["severity"].as_str().expect("a string")));
    }
    assert_eq!(gitlab::render(&Scan::assemble(Parts::default()), &Places::new(Base::root(), &NoSources)), "[]\n");
}

#[test]
fn rdjson_columns_count_bytes() {
    let text = rdjson::render(&hard(), &Edits::default(), &Places::new(Base::root(), &Emoji));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let diagnostic = &document["diagnostics"][0];
    assert_eq!(diagnostic["location"]["range"]["start"], serde_json::json!({ "line": 1, "column": 14 }));
    assert_eq!(diagnostic["location"]["range"]["end"], serde_json::json!({ "line": 1, "column": 21 }));
    assert_eq!((&document["severity"], &diagnostic["severity"]), (&"WARNING".into(), &"WARNING".into()));
    assert_eq!(diagnostic["code"]["value"], "session-keyed-telemetry");
    assert!(diagnostic.get("suggestions").is_none(), "no edit, no suggestion");
}

#[test]
fn junit_holds_no_character_that_xml_refuses() {
    let text = junit::render(&hard(), &Places::new(Base::root(), &Emoji));
    assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{text}");
    assert!(text.contains("&lt;two&gt; &amp; &quot;three&quot;"), "{text}");
    let document = roxmltree::Document::parse(&text).expect("well-formed");
    let case = document.descendants().find(|n| n.has_tag_name("testcase")).expect("a case");
    assert_eq!(case.attribute("file"), Some("src/a,b:c%.ts"));
    let failure = case.first_element_child().expect("a failure");
    let message = "100 % of `x`:\r\none, <two> & \"three\" \u{fffd}[31m]]>.";
    assert_eq!(failure.attribute("message"), Some(message));
    assert!(failure.text().is_some_and(|t| t.contains(message)), "{text}");
}

#[test]
fn junit_counts_its_cases() {
    let text = junit::render(&many(2, 1, 3), &Places::new(Base::root(), &NoSources));
    let document = roxmltree::Document::parse(&text).expect("well-formed");
    let root = document.root_element();
    let count = |name: &str| document.descendants().filter(|n| n.has_tag_name(name)).count().to_string();
    assert_eq!(root.attribute("tests"), Some(count("testcase").as_str()));
    assert_eq!(root.attribute("failures"), Some(count("failure").as_str()));
    assert_eq!(root.attribute("skipped"), Some("3"));
    // The client has no findings: its case passes.
    assert!(text.contains("<testsuite name=\"packages/probe\" tests=\"1\" failures=\"0\""), "{text}");
}

#[test]
fn terse_is_one_line_a_finding() {
    let text = terse::render(&hard(), &Places::new(Base::root(), &Emoji));
    assert_eq!(text.lines().count(), 2, "{text}");
    let text = terse::render(&sample::scan(), &Places::new(Base::folder("repo"), &sample::sources()));
    insta::assert_snapshot!(text, @r"
    auth (also transport-map, app-state): 1 error, 1 warning, 0 notes in 1 server; 6 files not read
    repo/packages/cart/src/server.ts:4:7 session-keyed-state collapsed `baskets` is kept by session id; without one, all callers share a single basket. -> Return a handle from a tool create_basket and take it as the first argument of add_item, checkout and remove_item.
    repo/packages/cart/src/audit.ts:7:3 session-keyed-telemetry - A log line is labelled with the session id.
    ");
}

#[test]
fn json_lines_match_their_schema() {
    let scan = sample::scan();
    let text = jsonl::render(&scan);
    // The parts are those of the document's schema.
    let own = jsonl::SCHEMA_TEXT.replace("scan-v1.schema.json#", "#");
    let mut schema: Value = serde_json::from_str(&own).expect("the schema is JSON");
    let whole: Value = serde_json::from_str(json::SCHEMA_TEXT).expect("the schema is JSON");
    schema["$defs"] = whole["$defs"].clone();
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is sound");
    let mut kinds = Vec::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).expect("an object");
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{line}");
        kinds.push(value["kind"].as_str().expect("a kind").to_owned());
    }
    assert!(!validator.is_valid(&serde_json::json!({ "schema": jsonl::SCHEMA, "kind": "finding" })));
    assert_eq!(kinds[0], "summary");
    assert!(kinds.is_sorted_by_key(|k| ["summary", "server", "finding", "skipped"].iter().position(|x| x == k)));
    assert_eq!(kinds.len(), 1 + scan.servers.len() + scan.findings.len() + scan.skipped.len());
}
