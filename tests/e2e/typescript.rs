//! Migrated TypeScript and JavaScript servers really run: each case of `fixtures/e2e/typescript/cases.toml` is type-checked,
//! started and driven before and after, with pinned SDKs and real clients. See `README.md` beside this file.

#[cfg(not(unix))]
compile_error!("the end-to-end tests stop servers by process groups, which needs a Unix system");

mod cases;
mod check;
mod drive;
mod install;
mod place;
mod process;
mod referees;
mod server;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use cases::{Broken, Case, Source, fixtures};
use drive::{Driver, Era, Side, all_hold, failing};
use libtest_mimic::{Arguments, Failed, Trial};
use referees::Referees;
use server::Program;

/// Servers, clients and type checkers of two cases keep a small machine busy.
const AT_ONCE: usize = 2;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(arguments.test_threads.unwrap_or(AT_ONCE).min(AT_ONCE));
    let table = cases::read();
    let mut trials = Vec::new();
    for case in table.case {
        let case = Arc::new(case);
        for set in case.sets.clone() {
            let case = Arc::clone(&case);
            trials.push(Trial::test(format!("{}::{set}", case.name), move || told(migrates(&case, &set))));
        }
    }
    for broken in table.broken {
        trials.push(Trial::test(format!("broken::{}", broken.name), move || told(is_caught(&broken))));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn told(outcome: Result<(), String>) -> Result<(), Failed> {
    outcome.map_err(Failed::from)
}

/// The server works before and after, has sessions before, and none after.
fn migrates(case: &Case, set: &str) -> Result<(), String> {
    let packages = install::npm(set)?;
    let stage = place::stage(&packages, &case.name)?;
    let outcome = run_case(case, set, &packages, stage.path());
    outcome.map_err(|error| format!("{error}\n(all files: {})", stage.keep().display()))
}

fn run_case(case: &Case, set: &str, packages: &Path, stage: &Path) -> Result<(), String> {
    let driver = Driver::new(&case.drive, Era::of(set), install::npm("clients")?)?;
    let before = driver.program(stage.join(Side::Before.id()), &case.entry);
    let result = driver.program(stage.join(Side::Result.id()), &case.entry);
    place::copy(&fixtures().join(&case.before), &before.folder)?;
    place::result(case, &result.folder)?;
    check::compare(packages, &before.folder, &result.folder)?;
    if case.needs_fix {
        has_sessions(case, &before, &driver)?;
    } else {
        place::same(&before.folder, &result.folder)?;
    }
    all_hold(&driver.drive(&result, Side::Result)?)?;
    judge(case, set, &before, &result, &driver)
}

/// `before` does what the case says, and lacks what its migration is there for.
fn has_sessions(case: &Case, before: &Program, driver: &Driver) -> Result<(), String> {
    let properties = driver.drive(before, Side::Before)?;
    if let Some(steps) = properties.iter().find(|property| property.name == "steps" && !property.holds) {
        return Err(format!("before: {}", steps.detail));
    }
    let failing = failing(&properties);
    match case.before_fails.iter().find(|name| !failing.contains(name.as_str())) {
        Some(name) => Err(format!("before should lack {name}; it lacks {failing:?}")),
        None => Ok(()),
    }
}

fn judge(case: &Case, set: &str, before: &Program, result: &Program, driver: &Driver) -> Result<(), String> {
    let referees = Referees::new()?;
    referees.signature(before, result, case.signature())?;
    referees.inspector(result, driver)?;
    if Era::of(set) == Era::V2 {
        referees.probe(result)?;
    }
    match &case.baseline {
        Some(name) => referees.baseline(result, name, matches!(case.result, Source::Folder(_))),
        None => Ok(()),
    }
}

/// Exactly those properties fail that the case names.
fn is_caught(broken: &Broken) -> Result<(), String> {
    let packages = install::npm(&broken.set)?;
    let stage = place::stage(&packages, &broken.name)?;
    let driver = Driver::new(&broken.drive, Era::of(&broken.set), install::npm("clients")?)?;
    let program = driver.program(stage.path().join(Side::Result.id()), &broken.entry);
    place::copy(&fixtures().join(&broken.server), &program.folder)?;
    if let [first, ..] = &check::errors(&packages, &program.folder)?[..] {
        return Err(format!("the type checker would have caught it: {first}"));
    }
    let properties = driver.drive(&program, Side::Result)?;
    let wanted: BTreeSet<&str> = broken.fails.iter().map(String::as_str).collect();
    if failing(&properties) == wanted {
        return Ok(());
    }
    let seen = all_hold(&properties).err().unwrap_or_default();
    Err(format!("{wanted:?} should fail, but {seen}"))
}
