//! The answer for people.

use mcp_migrate::classify::answer::{Category, Role};
use mcp_migrate::report::scan::{Files, Parts, Scan, Unsupported};
use mcp_migrate::report::sources::NoSources;
use mcp_migrate::report::style::Style;
use mcp_migrate::report::text::{Detail, render};
use mcp_migrate::rules::finding::Severity;

use crate::sample;

fn wide() -> Style {
    Style { width: 100, ..Style::plain(true) }
}

/// Takes the colours away.
fn uncolored(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, r)| r);
    }
    out + rest
}

#[test]
fn everything_for_a_wide_terminal() {
    insta::assert_snapshot!(render(&sample::scan(), &sample::sources(), wide(), Detail::Normal));
}

#[test]
fn ascii_and_narrow() {
    let style = Style { width: 60, ..Style::plain(false) };
    let scan = sample::scan();
    let text = render(&scan, &sample::sources(), style, Detail::Full);
    // The code itself is shown as it is.
    let ours: String = text.lines().filter(|l| !l.contains("dazugelegt")).collect();
    assert!(ours.is_ascii(), "{ours}");
    insta::assert_snapshot!(text);
}

#[test]
fn brief_is_the_verdict_and_the_summary() {
    insta::assert_snapshot!(render(&sample::scan(), &sample::sources(), wide(), Detail::Brief));
}

#[test]
fn without_sources_places_are_named() {
    let text = render(&sample::scan(), &NoSources, wide(), Detail::Normal);
    assert!(text.contains("error[session-keyed-state] packages/cart/src/server.ts:4:7"));
    assert!(text.contains("packages/cart/src/server.ts:8: read here, in tool add_item"));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let (scan, sources) = (sample::scan(), sample::sources());
    let colored = render(&scan, &sources, Style { color: true, ..wide() }, Detail::Normal);
    assert!(colored.contains("\u{1b}[1;31m"));
    assert_eq!(uncolored(&colored), render(&scan, &sources, wide(), Detail::Normal));
}

#[test]
fn a_file_that_changed_since_is_no_panic() {
    let mut parts = sample::parts();
    for finding in &mut parts.findings {
        finding.start.line += 500;
        finding.end.line += 500;
    }
    let text = render(&Scan::assemble(parts), &sample::sources(), wide(), Detail::Normal);
    assert!(text.contains("server.ts:504:7"));
}

#[test]
fn nothing_found() {
    let parts = Parts { files: Files { walked: 12, parsed: 0 }, ..Parts::default() };
    insta::assert_snapshot!(render(&Scan::assemble(parts), &NoSources, wide(), Detail::Normal), @r"
    No MCP server found (12 files).

    Nothing to report.
    ");
}

#[test]
fn nothing_but_another_language() {
    let parts = Parts {
        unsupported: vec![Unsupported { language: "Go".into(), path: "main.go".into(), files: 1 }],
        ..Parts::default()
    };
    insta::assert_snapshot!(render(&Scan::assemble(parts), &NoSources, wide(), Detail::Normal));
}

#[test]
fn a_server_without_sessions() {
    let mut parts = sample::parts();
    parts.findings.clear();
    parts.skipped.clear();
    parts.unsupported.clear();
    parts.servers.retain(|s| s.role == Role::Server);
    let server = &mut parts.servers[0];
    server.category = Category::None;
    server.categories.clear();
    server.facets.clear();
    server.stores.clear();
    insta::assert_snapshot!(render(&Scan::assemble(parts), &NoSources, wide(), Detail::Normal));
}

#[test]
fn set_up_only_and_a_note() {
    let mut parts = sample::parts();
    parts.servers.retain(|s| s.role == Role::Server);
    let server = &mut parts.servers[0];
    server.category = Category::SetupOnly;
    server.categories = vec![Category::SetupOnly];
    server.stores.clear();
    parts.findings.truncate(1);
    parts.findings[0].severity = Severity::Note;
    let text = render(&Scan::assemble(parts), &NoSources, wide(), Detail::Normal);
    assert!(text.contains("No session id is issued any more"));
    assert!(text.contains("1 note in 1 server."));
}
