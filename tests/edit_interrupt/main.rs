//! A run that writes is killed at many moments: every file is old or new, and the next run brings it to its end. The program calls
//! itself as the run that is killed, so it has a `main` of its own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use mcp_migrate::edit::{Change, Recovery, recover, write};

/// How many files are written.
const FILES: usize = 80;

/// How often a run is killed at any moment.
const KILLS: u32 = 40;

/// How many kills have to come while files are renamed, and how often that is tried.
const PARTLY: usize = 25;
const TRIES: u32 = 200;

const CHILD: &str = "--write-and-be-killed";

fn main() {
    let mut arguments = env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some(CHILD), Some(folder)) => {
            write(Path::new(&folder), &changes()).expect("writes");
        }
        // Harnesses ask for the list of tests.
        (Some("--list"), _) => {}
        _ => experiment(),
    }
}

fn name(number: usize) -> String {
    format!("d{}/f{number}.ts", number % 7)
}

/// Long enough that a file is not written in one go.
fn text(number: usize, word: &str) -> String {
    format!("// {word} {number}\n").repeat(1500)
}

/// Every tenth file is new.
fn changes() -> Vec<Change> {
    let one = |number: usize| Change {
        path: name(number),
        before: (!number.is_multiple_of(10)).then(|| text(number, "old").into()),
        after: text(number, "new").into(),
    };
    (0..FILES).map(one).collect()
}

fn fresh(root: &Path) {
    for entry in fs::read_dir(root).expect("folder").flatten() {
        let path = entry.path();
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        removed.expect("removes");
    }
    for change in changes() {
        let path = root.join(&change.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        if let Some(before) = change.before {
            fs::write(path, &*before).expect("file");
        }
    }
}

fn start(root: &Path) -> Child {
    let program = env::current_exe().expect("this program");
    Command::new(program).arg(CHILD).arg(root).spawn().expect("starts")
}

/// How many files are new; panics on one that is neither old nor new.
fn count_new(root: &Path) -> usize {
    let is_new = |change: &Change| {
        let there = fs::read_to_string(root.join(&change.path)).ok();
        if there.as_deref() == Some(&*change.after) {
            return true;
        }
        assert_eq!(there.as_deref(), change.before.as_deref(), "{} is neither old nor new", change.path);
        false
    };
    changes().iter().filter(|change| is_new(change)).count()
}

fn leftovers(root: &Path) -> Vec<PathBuf> {
    let folders = (0..7).map(|number| root.join(format!("d{number}"))).chain([root.to_owned()]);
    let entries = folders.flat_map(|folder| fs::read_dir(folder).expect("folder").flatten());
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("/.mcp-migrate-")).collect()
}

/// What kills met.
#[derive(Default)]
struct Met {
    untouched: usize,
    partly: usize,
    done: usize,
}

impl Met {
    /// Looks at what a kill left, and lets the next run go on from there.
    fn look(&mut self, root: &Path) {
        let new = count_new(root);
        match recover(root).expect("recovers") {
            Recovery::Completed { files, left } => {
                assert!(left.is_empty(), "{left:?}");
                assert_eq!((files.len() + new, count_new(root)), (FILES, FILES));
            }
            Recovery::Discarded => assert_eq!((new, count_new(root)), (0, 0)),
            Recovery::Nothing => assert!(new == 0 || new == FILES),
            Recovery::TakenBack { still } => panic!("nobody took anything back: {still:?}"),
        }
        assert_eq!(leftovers(root), Vec::<PathBuf>::new());
        match new {
            0 => self.untouched += 1,
            FILES => self.done += 1,
            _ => self.partly += 1,
        }
        if count_new(root) == 0 {
            write(root, &changes()).expect("the next run writes");
            assert_eq!(count_new(root), FILES);
        }
    }
}

/// Waits until a run begins to rename, or ends.
fn wait_until_prepared(root: &Path, child: &mut Child) {
    let journal = root.join(".mcp-migrate-journal");
    let is_prepared = || fs::read(&journal).is_ok_and(|bytes| bytes.ends_with(b"prepared\n"));
    while !is_prepared() && child.try_wait().expect("waits").is_none() {
        thread::sleep(Duration::from_micros(100));
    }
}

fn experiment() {
    let dir = tempfile::tempdir().expect("temp dir");
    let root = dir.path();
    fresh(root);
    let begun = Instant::now();
    assert!(start(root).wait().expect("ends").success());
    let whole = begun.elapsed();
    assert_eq!(count_new(root), FILES);

    let mut met = Met::default();
    for kill in 0..KILLS {
        fresh(root);
        let mut child = start(root);
        thread::sleep(whole.mul_f64(1.1 * f64::from(kill) / f64::from(KILLS)));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().expect("ends");
        met.look(root);
    }
    // Renaming takes a small part of the time: kills at any moment seldom meet it.
    let mut tries = 0;
    while met.partly < PARTLY && tries < TRIES {
        fresh(root);
        let mut child = start(root);
        wait_until_prepared(root, &mut child);
        thread::sleep(Duration::from_micros(u64::from(tries) * 173 % 2500));
        let _ = child.kill();
        child.wait().expect("ends");
        met.look(root);
        tries += 1;
    }
    let Met { untouched, partly, done } = met;
    println!(
        "{} kills of a run of {whole:?}: {untouched} before the first file, {partly} between files, {done} after the last",
        KILLS + tries
    );
    assert!(untouched > 0 && partly > 0, "the kills came at no moment that means anything");
}
