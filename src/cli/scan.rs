//! `mcp-migrate scan`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mcp_migrate::ScanOptions;
use mcp_migrate::report::layout::plural;
use mcp_migrate::report::scan::Scan;

use super::args::{self, Global, ScanFormat};
use super::output::Output;
use super::progress::Counter;
use super::{FAILED, FOUND, OK, formats};

/// Runs the command and gives its exit code.
pub fn run(own: &args::Scan, global: &Global, output: &Output) -> u8 {
    let started = Instant::now();
    let Some(scan) = answer(&own.paths, global, output) else { return FAILED };
    let took = started.elapsed();
    output.result(&formats::render(own.format, &scan, global, output));
    if own.format == ScanFormat::Github {
        formats::step_summary(&scan, output);
    }
    if own.stats {
        output.note(&stats(&scan, took));
    }
    if own.fail_on.fails(scan.worst()) { FOUND } else { OK }
}

/// Scans; where that fails, says why.
pub fn answer(paths: &[PathBuf], global: &Global, output: &Output) -> Option<Scan> {
    let options = ScanOptions {
        paths: paths.to_vec(),
        include_tests: global.include_tests,
        exclude: global.exclude.clone(),
        threads: global.threads.map(usize::from),
        rules: global.rule.iter().map(|r| r.name).collect(),
        allow_empty: global.allow_empty,
    };
    let answer = {
        let counter = Counter::new(output.shows_progress());
        mcp_migrate::scan(&options, &counter)
    };
    answer.map_err(|error| output.error(&error)).ok()
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
