//! `mcp-migrate scan`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mcp_migrate::classify::answer::Upgrade;
use mcp_migrate::pipeline::fix::{self, FixOptions};
use mcp_migrate::report::edits::Edits;
use mcp_migrate::report::layout::plural;
use mcp_migrate::report::scan::Scan;
use mcp_migrate::workspace::upgrades::Target;

use super::args::{self, Check, Global, ScanFormat};
use super::check;
use super::output::Output;
use super::progress::Counter;
use super::settings::Settings;
use super::{FAILED, FOUND, OK, fix as fix_command, formats};

/// Runs the command and gives its exit code.
pub fn run(own: &args::Scan, global: &Global, output: &Output) -> u8 {
    let settings = match Settings::of_scan(own, global) {
        Ok(settings) => settings,
        Err(error) => {
            output.error(&error);
            return FAILED;
        }
    };
    let started = Instant::now();
    let Some(scan) = answer(&own.paths, &own.check, &settings, global, output) else { return FAILED };
    let took = started.elapsed();
    if !global.quiet {
        for target in own.upgrade_to.iter().filter(|target| !speaks_of(&scan, target)) {
            output
                .note(&format!("note: no server here depends on `{}`, so nothing is said about {target}", target.name));
        }
    }
    let edits = edits(&scan, &settings, global, output);
    output.result(&formats::render(settings.format.value, &scan, &edits, global, output));
    if settings.format.value == ScanFormat::Github {
        formats::step_summary(&scan, output);
    }
    if own.stats {
        output.note(&stats(&scan, took));
    }
    if settings.fail_on.value.fails(scan.worst()) { FOUND } else { OK }
}

/// Scans and reduces the answer to what counts; where that fails, says why.
pub fn answer(paths: &[PathBuf], check: &Check, settings: &Settings, global: &Global, output: &Output) -> Option<Scan> {
    let checks = check::checks(paths, check, settings, global).map_err(|error| output.error(&error)).ok()?;
    let answer = {
        let counter = Counter::new(output.shows_progress());
        mcp_migrate::scan_with_evidence(&settings.options(global), &counter)
    };
    let (scan, evidence) = answer.map_err(|error| output.error(&error)).ok()?;
    let checked = mcp_migrate::check::apply(scan, &evidence, checks).map_err(|error| output.error(&error)).ok()?;
    if !global.quiet {
        if let Some(said) = fix::interrupted(paths) {
            output.note(&format!("note: {said}"));
        }
        for note in &checked.notes {
            output.note(&format!("note: {note}"));
        }
    }
    Some(checked.scan)
}

/// What fix would write for the findings, where the format has a place for it.
fn edits(scan: &Scan, settings: &Settings, global: &Global, output: &Output) -> Edits {
    let planned = scan.findings.iter().filter_map(|finding| finding.fix.as_ref()).any(|fix| fix.step.is_some());
    if !planned || !formats::carries_edits(settings.format.value) {
        return Edits::default();
    }
    // Which findings are told was decided by the check: an edit answers all that its group claims.
    let options = FixOptions { rules: Vec::new(), ..settings.fix_options(global) };
    let counter = Counter::new(output.shows_progress());
    fix::edits(&options, &counter).unwrap_or_else(|error| {
        output.note(&format!("note: what fix would write is left out: {}", fix_command::reason(&error)));
        Edits::default()
    })
}

/// Whether any server depends on the package of a target.
fn speaks_of(scan: &Scan, target: &Target) -> bool {
    let same = |upgrade: &Upgrade| upgrade.package == target.name && upgrade.to == target.version;
    scan.servers.iter().flat_map(|server| &server.upgrades).any(same)
}

fn stats(scan: &Scan, took: Duration) -> String {
    let files = scan.summary.files;
    let seconds = took.as_secs_f64();
    let mut text = format!(
        "{} walked, {} parsed, {}; {} skipped; {}; {}; {seconds:.3} s",
        plural(files.walked as usize, "file"),
        files.parsed,
        plural(scan.summary.bytes as usize, "byte"),
        scan.skipped.len(),
        plural(scan.summary.servers, "server"),
        plural(scan.findings.len(), "finding"),
    );
    let mut rules: Vec<(&str, usize)> = Vec::new();
    for finding in &scan.findings {
        match rules.iter_mut().find(|(name, _)| *name == finding.rule) {
            Some((_, n)) => *n += 1,
            None => rules.push((finding.rule, 1)),
        }
    }
    rules.sort_unstable();
    for (rule, n) in rules {
        text.push_str(&format!("\n{n:6} {rule}"));
    }
    text
}
