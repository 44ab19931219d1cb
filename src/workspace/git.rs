//! Runs git. It is a program of its own; it is never asked to fetch, and to write only where the user asks for commits.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

/// Runs git in a folder.
pub fn run<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> io::Result<Output> {
    Command::new("git")
        .arg("-C")
        .arg(folder)
        // A monitor is a program of the repository's choice.
        .args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .output()
}

/// The output as one line.
pub fn line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches(['\r', '\n']).to_owned()
}

/// What git said on stderr, as a further sentence.
pub fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    match text.trim() {
        "" => String::new(),
        text => format!(" Git says: {text}"),
    }
}
