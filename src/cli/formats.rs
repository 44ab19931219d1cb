//! From the name of a format to its renderer, and the files that a run on a build machine leaves behind.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use mcp_migrate::report::edits::Edits;
use mcp_migrate::report::places::{Base, Places};
use mcp_migrate::report::scan::Scan;
use mcp_migrate::report::sources::DiskSources;
use mcp_migrate::report::{github, gitlab, json, jsonl, junit, markdown, rdjson, sarif, terse, text};

use super::args::{Global, ScanFormat};
use super::output::Output;

/// Whether a format has a place for edits. Thinking them out takes time.
pub fn carries_edits(format: ScanFormat) -> bool {
    matches!(format, ScanFormat::Sarif | ScanFormat::Rdjson)
}

/// The scan in a format.
pub fn render(format: ScanFormat, scan: &Scan, edits: &Edits, global: &Global, output: &Output) -> String {
    let sources = DiskSources::new(scan.disk_root.clone());
    // Tools of a repository look from its root; who typed the command looks from where it was typed.
    let from_repository = || Places::new(repository(scan), &sources);
    let from_here = || Places::new(Base::shown(scan), &sources);
    match format {
        ScanFormat::Text => {
            let detail = match (global.quiet, global.verbose) {
                (true, _) => text::Detail::Brief,
                (_, true) => text::Detail::Full,
                _ => text::Detail::Normal,
            };
            text::render(scan, &sources, output.style(), detail)
        }
        ScanFormat::Terse => terse::render(scan, &from_here()),
        ScanFormat::Json => json::render(scan),
        ScanFormat::Jsonl => jsonl::render(scan),
        ScanFormat::Sarif => sarif::render(scan, edits, &from_repository()),
        ScanFormat::Github => github::render(scan, &from_repository()),
        ScanFormat::Gitlab => gitlab::render(scan, &from_repository()),
        ScanFormat::Rdjson => rdjson::render(scan, edits, &from_here()),
        ScanFormat::Junit => junit::render(scan, &from_repository()),
        ScanFormat::Markdown => markdown::render(scan, None, &repository(scan)),
    }
}

/// Paths as the repository names them.
pub fn repository(scan: &Scan) -> Base {
    Base::repository(scan, Path::new("."))
}

/// Appends the report to the summary of the step, where GitHub Actions runs the program.
pub fn step_summary(scan: &Scan, output: &Output) {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let (Some(actions), Some(path)) = (variable("GITHUB_ACTIONS"), variable("GITHUB_STEP_SUMMARY")) else { return };
    if actions != "true" {
        return;
    }
    let report = markdown::render(scan, None, &repository(scan));
    let appended = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = appended.and_then(|mut file| file.write_all(report.as_bytes())) {
        output.note(&format!("note: the summary of the step can't be written: {error}"));
    }
}
