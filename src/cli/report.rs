//! `mcp-migrate report`.

use std::fs;

use mcp_migrate::report::markdown;

use super::args::{self, Check, Global, ReportFormat};
use super::output::Output;
use super::settings::Settings;
use super::{FAILED, OK, formats, scan};

/// Runs the command and gives its exit code: findings are what the report is about, so they do not fail it.
pub fn run(own: &args::Report, global: &Global, output: &Output) -> u8 {
    let mut settings = match Settings::of_paths(&own.paths, global) {
        Ok(settings) => settings,
        Err(error) => {
            output.error(&error);
            return FAILED;
        }
    };
    // A report tells everything, also what is known.
    settings.baseline.value = None;
    let Some(scan) = scan::answer(&own.paths, &Check::default(), &settings, global, output) else { return FAILED };
    let base = formats::repository(&scan);
    let text = match own.format {
        ReportFormat::Markdown => markdown::render(&scan, &base),
        ReportFormat::Pr => markdown::brief(&scan, &base),
    };
    let Some(path) = &own.output else {
        output.result(&text);
        return OK;
    };
    match fs::write(path, text) {
        Ok(()) => OK,
        Err(error) => {
            output.note(&format!("error: `{}` can't be written: {error}", path.display()));
            FAILED
        }
    }
}
