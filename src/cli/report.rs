//! `mcp-migrate report`.

use mcp_migrate::pipeline::fix::{self, FixError, Prepared};
use mcp_migrate::report::markdown;
use mcp_migrate::report::scan::Scan;

use super::args::{self, Check, Global, ReportFormat};
use super::output::Output;
use super::progress::Counter;
use super::settings::Settings;
use super::{FAILED, OK, fix as fix_command, formats, scan};

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
    let prepared = match plan(&scan, &settings, global, output) {
        Ok(prepared) => prepared,
        Err(error) => return fix_command::failed(&error, output),
    };
    let told = prepared.as_ref().map(Prepared::told);
    let text = match own.format {
        ReportFormat::Markdown => markdown::render(&scan, told, &base),
        ReportFormat::Pr => markdown::brief(&scan, told, &base),
    };
    if output.result_to(own.output.as_deref(), &text) { OK } else { FAILED }
}

/// What fix would do; `None` where there is no planner for what was found.
fn plan(scan: &Scan, settings: &Settings, global: &Global, output: &Output) -> Result<Option<Prepared>, FixError> {
    if scan.summary.fixable.is_none() {
        return Ok(None);
    }
    let counter = Counter::new(output.shows_progress());
    fix::prepare(&settings.fix_options(global), &counter).map(Some)
}
