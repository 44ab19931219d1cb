//! SARIF 2.1.0, for code scanning and for viewers in editors.
//!
//! `partialFingerprints` has a key of our own only: GitHub's upload computes `primaryLocationLineHash` itself and complains
//! about every value that it did not compute.

mod model;
mod rules;

use std::collections::BTreeMap;

use super::edits::{Edit, Edits};
use super::places::{self, Places};
use super::scan::{Scan, SkipReason, Skipped, Tool};
use super::verdict::as_sentence;
use crate::rules::finding::{Finding, Severity};
use model::*;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// What paths are relative to.
const ROOT: &str = "%SRCROOT%";
/// The key of our fingerprints. A change of what they are made of changes the number.
const FINGERPRINT: &str = "mcpMigrate/v1";
/// Longer lines are no help to a reader.
const LONGEST_LINE: usize = 400;
/// Longer snippets are left out.
const LONGEST_SNIPPET: usize = 2000;

/// The log, indented, with a line feed at its end.
pub fn render(scan: &Scan, edits: &Edits, places: &Places<'_>) -> String {
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run(scan, edits, places)] };
    let mut out = serde_json::to_string_pretty(&log).expect("a log has only string keys and finite numbers");
    out.push('\n');
    out
}

fn run(scan: &Scan, edits: &Edits, places: &Places<'_>) -> Run {
    let category = match places.base().prefix() {
        "" => format!("{}/", Tool::THIS.name),
        prefix => format!("{}/{prefix}/", Tool::THIS.name),
    };
    let base = UriBase { description: Text::plain("The root of the repository.") };
    Run {
        tool: RunTool {
            driver: Driver {
                name: Tool::THIS.name,
                version: Tool::THIS.version,
                semantic_version: Tool::THIS.version,
                rules: rules::all(),
                notifications: rules::notifications(),
            },
        },
        // All up to the last slash is the category under which GitHub keeps the results of a run.
        automation_details: AutomationDetails { id: category },
        column_kind: "utf16CodeUnits",
        original_uri_base_ids: BTreeMap::from([(ROOT, base)]),
        invocations: [Invocation {
            execution_successful: true,
            tool_execution_notifications: scan.skipped.iter().map(|s| notification(s, places)).collect(),
        }],
        results: scan.findings.iter().map(|finding| result(finding, edits.of(finding), places)).collect(),
        properties: RunProperties {
            category: scan.summary.category.map(|c| c.id()),
            categories: scan.summary.categories.iter().map(|c| c.id()).collect(),
            facets: scan.summary.facets.iter().map(|f| f.id()).collect(),
            servers: scan.summary.servers,
            spec: scan.spec,
        },
    }
}

/// The level of a severity.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn notification(skipped: &Skipped, places: &Places<'_>) -> Notification {
    let reason = skipped.reason;
    let text = match &skipped.detail {
        Some(detail) => format!("{}: {detail}", reason.words()),
        None => reason.words().to_owned(),
    };
    let physical_location =
        PhysicalLocation { artifact_location: artifact(&skipped.path, places), region: None, context_region: None };
    Notification {
        descriptor: Reference {
            id: reason.id(),
            index: SkipReason::ALL.iter().position(|r| *r == reason).unwrap_or_default(),
        },
        // What bundlers and generators wrote is left out on purpose.
        level: match reason {
            SkipReason::Minified | SkipReason::Generated | SkipReason::UnsupportedLanguage => "note",
            _ => "warning",
        },
        message: Text::plain(as_sentence(&text)),
        locations: [Location { id: None, physical_location, message: None }],
    }
}

fn result(finding: &Finding, edit: Option<&Edit>, places: &Places<'_>) -> RunResult {
    let primary = location(&finding.path, &places.of(finding), places);
    let related: Vec<Location> = finding
        .related
        .iter()
        .enumerate()
        .map(|(i, related)| Location {
            id: Some(i + 1),
            message: Some(LocationMessage { text: as_sentence(&related.message) }),
            ..location(&related.at.path, &places.word(&related.at), places)
        })
        .collect();
    RunResult {
        rule_id: finding.rule,
        rule_index: rules::index(finding.rule),
        level: level(finding.severity),
        message: Text::plain(message(finding, places)),
        code_flows: code_flow(finding, &primary, &related).into_iter().collect(),
        locations: [primary],
        related_locations: related,
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, finding.fingerprint.clone())]),
        fixes: edit.map(|edit| fix(edit, places)).into_iter().collect(),
        properties: ResultProperties { server: finding.server.clone(), failure: finding.failure.map(|f| f.id()) },
    }
}

/// The message, its first sentence what is wrong, with a link to each related location, then what to do.
fn message(finding: &Finding, places: &Places<'_>) -> String {
    let mut out = as_sentence(&finding.message);
    let links: Vec<String> = finding
        .related
        .iter()
        .enumerate()
        .map(|(i, related)| {
            let place = format!("{}:{}", places.path(&related.at.path), related.at.line);
            format!("[{}]({}) ({place})", link_text(&related.message), i + 1)
        })
        .collect();
    if !links.is_empty() {
        out.push_str(&format!(" See: {}.", links.join("; ")));
    }
    if !finding.advice.is_empty() {
        out.push(' ');
        out.push_str(&as_sentence(&finding.advice));
    }
    out
}

/// Brackets would end the link.
fn link_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// The places of what is kept per session, in reading order, the file of its declaration first.
fn code_flow(finding: &Finding, primary: &Location, related: &[Location]) -> Option<CodeFlow> {
    finding.failure.filter(|_| !related.is_empty())?;
    let here = Location { message: Some(LocationMessage { text: as_sentence(&finding.message) }), ..primary.clone() };
    let home = &primary.physical_location.artifact_location.uri;
    let mut steps: Vec<Location> = std::iter::once(here).chain(related.iter().cloned()).collect();
    for step in &mut steps {
        step.id = None;
        // The step's own location among the results has the whole line.
        step.physical_location.context_region = None;
    }
    steps.sort_by_key(|step| {
        let at = &step.physical_location;
        let region = at.region.as_ref().map(|r| (r.start_line, r.start_column));
        (at.artifact_location.uri != *home, at.artifact_location.uri.clone(), region)
    });
    Some(CodeFlow {
        message: Text::plain("Where it is declared and where calls reach it, in reading order."),
        thread_flows: [ThreadFlow { locations: steps.into_iter().map(|location| Step { location }).collect() }],
    })
}

fn location(path: &str, region: &places::Region, places: &Places<'_>) -> Location {
    let line = region.line.as_ref().filter(|line| line.len() <= LONGEST_LINE);
    Location {
        id: None,
        physical_location: PhysicalLocation {
            artifact_location: artifact(path, places),
            context_region: line.filter(|_| region.start.line == region.end.line).map(|line| ContextRegion {
                start_line: region.start.line,
                end_line: region.start.line,
                snippet: Snippet { text: line.clone() },
            }),
            region: Some(sarif_region(region)),
        },
        message: None,
    }
}

fn sarif_region(region: &places::Region) -> Region {
    Region {
        start_line: region.start.line,
        start_column: region.start.utf16,
        end_line: region.end.line,
        end_column: region.end.utf16,
        byte_offset: region.bytes.as_ref().map(|bytes| bytes.start),
        byte_length: region.bytes.as_ref().map(|bytes| bytes.end - bytes.start),
        snippet: region.text.clone().filter(|text| text.len() <= LONGEST_SNIPPET).map(|text| Snippet { text }),
    }
}

/// The beginning of a file that is not there yet.
const NOTHING_YET: Region = Region {
    start_line: 1,
    start_column: 1,
    end_line: 1,
    end_column: 1,
    byte_offset: None,
    byte_length: None,
    snippet: None,
};

/// A whole group: its files belong together.
fn fix(edit: &Edit, places: &Places<'_>) -> Fix {
    let mut changes: Vec<ArtifactChange> = Vec::new();
    for part in &edit.replacements {
        let artifact_location = artifact(&part.path, places);
        let replacement = Replacement {
            deleted_region: Region { snippet: None, ..sarif_region(&places.between(&part.path, part.start, part.end)) },
            inserted_content: Snippet { text: part.text.clone() },
        };
        match changes.iter_mut().find(|change| change.artifact_location.uri == artifact_location.uri) {
            Some(change) => change.replacements.push(replacement),
            None => changes.push(ArtifactChange { artifact_location, replacements: vec![replacement] }),
        }
    }
    changes.extend(edit.new_files.iter().map(|(path, text)| ArtifactChange {
        artifact_location: artifact(path, places),
        replacements: vec![Replacement {
            deleted_region: NOTHING_YET,
            inserted_content: Snippet { text: text.clone() },
        }],
    }));
    Fix { description: Text::plain(as_sentence(&edit.title)), artifact_changes: changes }
}

fn artifact(path: &str, places: &Places<'_>) -> ArtifactLocation {
    ArtifactLocation { uri: uri(&places.path(path)), uri_base_id: ROOT }
}

/// A relative URI: what may not stand in one is percent-encoded, and so is a colon, which would end a scheme.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::places::Base;
    use crate::report::sources::Sources;
    use crate::rules::finding::Position;

    struct One(&'static str);

    impl Sources for One {
        fn read(&self, _path: &str) -> Option<String> {
            Some(self.0.to_owned())
        }
    }

    #[test]
    fn uris() {
        assert_eq!(uri("app/(group)/[id]/a b:c.ts"), "app/(group)/%5Bid%5D/a%20b%3Ac.ts");
        assert_eq!(uri("src/\u{e9}#?%.ts"), "src/%C3%A9%23%3F%25.ts");
    }

    #[test]
    fn an_edit_of_two_files_is_one_fix() {
        let at = |column, byte| Position { line: 1, column, byte };
        let part = |path: &str, text: &str| crate::report::edits::Replacement {
            path: path.to_owned(),
            start: at(2, 4),
            end: at(3, 5),
            text: text.to_owned(),
        };
        let edit = Edit {
            group: "handle:a".into(),
            title: "use handles".into(),
            new_files: vec![("h.ts".into(), "z".into())],
            replacements: vec![part("a.ts", "x"), part("b.ts", "y"), part("a.ts", "")],
        };
        let source = One("\u{1f600}b");
        let fix = fix(&edit, &Places::new(Base::folder("pkg"), &source));
        let value = serde_json::to_value(&fix).expect("JSON");
        assert_eq!(value["artifactChanges"][0]["artifactLocation"]["uri"], "pkg/a.ts");
        assert_eq!(value["artifactChanges"][0]["replacements"].as_array().map(Vec::len), Some(2));
        assert_eq!(
            value["artifactChanges"][1]["replacements"][0],
            serde_json::json!({
                "deletedRegion": {
                    "startLine": 1, "startColumn": 3, "endLine": 1, "endColumn": 4, "byteOffset": 4, "byteLength": 1
                },
                "insertedContent": { "text": "y" }
            })
        );
        assert_eq!(value["artifactChanges"][2]["artifactLocation"]["uri"], "pkg/h.ts");
        assert_eq!(value["artifactChanges"][2]["replacements"][0]["insertedContent"]["text"], "z");
    }
}
