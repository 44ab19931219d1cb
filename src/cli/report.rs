//! `mcp-migrate report`.

use std::fs;

use mcp_migrate::report::markdown;

use super::args::{self, Global, ReportFormat};
use super::output::Output;
use super::{FAILED, OK, formats, scan};

/// Runs the command and gives its exit code: findings are what the report is about, so they do not fail it.
pub fn run(own: &args::Report, global: &Global, output: &Output) -> u8 {
    let Some(scan) = scan::answer(&own.paths, global, output) else { return FAILED };
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
