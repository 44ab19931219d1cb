//! `mcp-migrate fix`.

use mcp_migrate::check::config::plan_file::PlanFile;
use mcp_migrate::edit::Stop;
use mcp_migrate::pipeline::fix::{self, Committed, FixError, FixOptions, Prepared, Verdict};
use mcp_migrate::report::fix::{Fix, Status};
use mcp_migrate::report::layout::plural;
use mcp_migrate::report::{fix_json, fix_text};
use mcp_migrate::workspace::walk::repository_root;

use super::args::{self, Global, ListFormat};
use super::output::Output;
use super::progress::Counter;
use super::settings::Settings;
use super::{FAILED, FOUND, OK, interactive};

/// Runs the command and gives its exit code.
pub fn run(own: &args::Fix, global: &Global, output: &Output) -> u8 {
    match attempt(own, global, output) {
        Ok(code) => code,
        Err(Failure::Fix(error)) => failed(&error, output),
        Err(Failure::Said) => FAILED,
    }
}

/// Why the command came to no end.
enum Failure {
    /// The library says why.
    Fix(FixError),
    /// It was said already.
    Said,
}

impl From<FixError> for Failure {
    fn from(error: FixError) -> Self {
        Self::Fix(error)
    }
}

fn attempt(own: &args::Fix, global: &Global, output: &Output) -> Result<u8, Failure> {
    let settings = Settings::of_fix(own, global).map_err(|error| {
        output.error(&error);
        Failure::Said
    })?;
    let mut options = FixOptions { allow_dirty: own.allow_dirty, ..settings.fix_options(global) };
    options.scan.plan.transition = own.transition;
    if let Some(path) = &own.plan {
        let plan = PlanFile::load(path).map_err(|error| {
            output.error(&error);
            Failure::Said
        })?;
        options.scan.plan.decisions = plan.decisions.clone();
        options.plan = Some(plan);
    }
    let writes = !own.dry_run && own.patch.is_none();
    if writes && let Some(said) = fix::recover(&own.paths)? {
        output.note(&format!("note: {said}"));
    }
    if !writes && let Some(said) = fix::interrupted(&own.paths) {
        output.note(&format!("note: {said}"));
    }
    let prepared = match own.interactive {
        Some(from) => interactive::choose(&mut options, from, output)?,
        None => prepare(own, &options, output)?,
    };
    if let Some(path) = &own.patch {
        return patch(prepared.told(), path, output);
    }
    if !writes || prepared.is_empty() {
        show(prepared.told(), None, own, output);
        return Ok(code(prepared.told()));
    }
    let (told, undo) = if own.commit_per_group {
        let (told, commits) = prepared.commit()?;
        (told, undo_commits(&commits))
    } else {
        let mixes = prepared.mixes();
        let told = prepared.write(&options)?;
        let undo = match mixes {
            Some(stop) => undo_by_hand(&stop),
            None => undo_files(&told),
        };
        (told, undo)
    };
    show(&told, Some(&undo), own, output);
    Ok(code(&told))
}

fn prepare(own: &args::Fix, options: &FixOptions, output: &Output) -> Result<Prepared, FixError> {
    let counter = Counter::new(output.shows_progress());
    let Some(command) = &own.check_cmd else { return fix::prepare(options, &counter) };
    let (prepared, verdict) = fix::with_check(options, command, &counter)?;
    match verdict {
        Verdict::Passes => {}
        Verdict::FailedBefore => {
            output.note(&format!(
                "note: `{command}` fails before anything is changed, so it tells nothing of the change"
            ));
        }
        Verdict::Without(broken) => {
            output.note(&format!("note: `{command}` fails with {}: left out", plural(broken.len(), "change")));
            for one in &broken {
                output.note(&format!("note: with \"{}\" it printed at its end:", one.title));
                one.printed.iter().for_each(|line| output.note(&format!("  {line}")));
            }
        }
    }
    Ok(prepared)
}

fn patch(told: &Fix, path: &std::path::Path, output: &Output) -> Result<u8, Failure> {
    if !output.result_to(Some(path), &told.patch) {
        return Err(Failure::Said);
    }
    let (groups, files) = (plural(told.summary.applied, "change"), plural(told.summary.files, "file"));
    let command = apply_command(&told.root);
    output.note(&format!("`{}` holds {groups} of {files}; `{command}` takes it", path.display()));
    Ok(code(told))
}

/// How git applies a patch whose paths are relative to a folder. Git takes them for relative to the repository.
fn apply_command(root: &str) -> String {
    let real = std::fs::canonicalize(root).unwrap_or_default();
    let within = repository_root(&real).and_then(|top| Some(real.strip_prefix(top).ok()?.to_owned()));
    match within.filter(|within| !within.as_os_str().is_empty()) {
        Some(within) => format!("git apply --directory={}", within.to_string_lossy().replace('\\', "/")),
        None => "git apply".to_owned(),
    }
}

fn show(told: &Fix, undo: Option<&str>, own: &args::Fix, output: &Output) {
    output.result(&match own.format {
        ListFormat::Text => fix_text::render(told, output.style(), undo),
        ListFormat::Json => fix_json::render(told),
    });
}

/// 0 where all is done, 1 where something remains.
fn code(told: &Fix) -> u8 {
    let would_change = told.dry_run && told.summary.applied > 0;
    if would_change || told.leaves() { FOUND } else { OK }
}

fn undo_files(told: &Fix) -> String {
    let mut files: Vec<&str> = told.applied().flat_map(|group| group.files.iter().map(String::as_str)).collect();
    files.sort_unstable();
    files.dedup();
    let made = |path: &&str| {
        let header = format!("--- /dev/null\n+++ b/{path}\n");
        told.groups.iter().any(|group| group.status == Status::Applied && group.patch.contains(&header))
    };
    let (made, changed): (Vec<&str>, Vec<&str>) = files.into_iter().partition(made);
    let mut parts = Vec::new();
    if !changed.is_empty() {
        parts.push(format!("git restore -- {}", changed.join(" ")));
    }
    if !made.is_empty() {
        parts.push(format!("rm {}", made.join(" ")));
    }
    let place = if told.root == "." { String::new() } else { format!(", in `{}`", told.root) };
    format!("`{}`{place}", parts.join(" && "))
}

/// What is said where git would take back more than what was written, or nothing at all.
fn undo_by_hand(stop: &Stop) -> String {
    let why = match stop {
        Stop::Dirty(files) => {
            let paths: Vec<String> = files.iter().map(|file| format!("`{}`", file.path)).collect();
            format!("git can't tell these changes from those that {} held before", paths.join(", "))
        }
        _ => "no git repository knows how the files were".to_owned(),
    };
    format!("{why}; `--patch FILE` instead of this would have kept them as a patch that can be taken back")
}

fn undo_commits(commits: &[Committed]) -> String {
    let hashes: Vec<&str> = commits.iter().rev().map(|commit| commit.hash.as_str()).collect();
    format!("`git revert {}`, or any of them that no later one needs", hashes.join(" "))
}

/// Says why there is no result, and gives the exit code.
pub fn failed(error: &FixError, output: &Output) -> u8 {
    match error {
        FixError::Scan(error) => output.error(error),
        FixError::Stopped(stop) => say(&stop.to_string(), &help(stop), output),
        FixError::Program { message, help } => say(message, help, output),
    }
    FAILED
}

/// Why it came to no end, in one line.
pub fn reason(error: &FixError) -> String {
    match error {
        FixError::Scan(error) => error.to_string(),
        FixError::Stopped(stop) => stop.to_string(),
        FixError::Program { message, .. } => message.clone(),
    }
}

fn help(stop: &Stop) -> String {
    stop.help().to_owned()
}

fn say(message: &str, help: &str, output: &Output) {
    output.note(&format!("error: {message}\n  help: {help}"));
}
