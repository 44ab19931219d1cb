//! Arbitrary texts and edits, folders, and git as the referee.

use std::convert::Infallible;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mcp_migrate::edit::{Edit, Group, Level, Outcome, Overlay, Proposal, Settings, fixpoint};
use proptest::prelude::*;

pub fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,5}",
        3 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => Just("\t ".to_owned()),
        1 => Just("é😀".to_owned()),
        1 => Just("\\ No newline at end of file\n".to_owned()),
        1 => Just("--- a/x\n+++ b/x\n@@ -1 +1 @@\n".to_owned()),
    ];
    (any::<bool>(), proptest::collection::vec(piece, 0..40))
        .prop_map(|(mark, pieces)| format!("{}{}", if mark { "\u{feff}" } else { "" }, pieces.concat()))
}

/// What edits refer to.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Places of edits, as parts of a text of any length.
pub fn any_places() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    let replacement = prop_oneof![Just(String::new()), "[A-Z]{0,3}(\n|\r\n|é)?[A-Z]{0,2}"];
    proptest::collection::vec((0..1000_usize, 0..120_usize, replacement), 0..6)
}

/// Edits of one text that don't overlap.
pub fn edits_at(path: &str, text: &str, places: &[(usize, usize, String)]) -> Vec<Edit> {
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let mut out: Vec<Edit> = Vec::new();
    for (start, length, replacement) in places {
        let start = boundary(text.len() * start / 1000);
        let end = boundary((start + text.len() * length / 1000).min(text.len()));
        let edit = Edit::replace(path, start..end, replacement.clone());
        if out.iter().all(|other| other.end <= edit.start || edit.end <= other.start) {
            out.push(edit);
        }
    }
    out
}

pub fn group(id: &str, edits: Vec<Edit>) -> Group {
    Group { edits, ..Group::new(id, format!("Title of {id}"), "a-rule", Level::Safe) }
}

/// Everything is sound.
pub fn sound(_path: &str, _text: &str) -> Result<Vec<Range<usize>>, String> {
    Ok(Vec::new())
}

/// Each `!` is an error.
pub fn no_exclamation(_path: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
    Ok(text.match_indices('!').map(|(at, _)| at..at + 1).collect())
}

/// Runs with proposals that depend on the state of the files.
pub fn run(root: &Path, settings: Settings, mut propose: impl FnMut(&Overlay) -> Proposal) -> Outcome {
    let mut propose = |overlay: &Overlay| Ok::<_, Infallible>(propose(overlay));
    match fixpoint::run(root, settings, &no_exclamation, &mut propose) {
        Ok(outcome) => outcome,
        Err(never) => match never {},
    }
}

/// Proposes groups once, and nothing after that.
pub fn once(root: &Path, groups: Vec<Group>) -> Outcome {
    let mut groups = Some(groups);
    let mut propose =
        |_: &Overlay| Ok::<_, Infallible>(Proposal { groups: groups.take().unwrap_or_default(), findings: Vec::new() });
    match fixpoint::run(root, Settings::default(), &sound, &mut propose) {
        Ok(outcome) => outcome,
        Err(never) => match never {},
    }
}

/// A folder with files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temp dir");
    for (path, text) in files {
        put(dir.path(), path, text);
    }
    dir
}

pub fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
    fs::write(path, text).expect("file");
}

pub fn read(root: &Path, path: &str) -> String {
    String::from_utf8(fs::read(root.join(path)).expect("file")).expect("text")
}

/// Runs git, free of the settings of whoever runs the tests.
pub fn git(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", folder.parent().expect("a folder"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("these tests need git");
    // Git may have seen enough before all was written.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("git ends")
}

/// The same, where it must succeed.
pub fn git_ok(folder: &Path, arguments: &[&str], input: &str) {
    let output = git(folder, arguments, input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?} failed: {said}\nwith input:\n{input}");
}

pub fn apply_patch(folder: &Path, patch: &str) {
    if !patch.is_empty() {
        git_ok(folder, &["apply", "--whitespace=nowarn", "-"], patch);
    }
}
