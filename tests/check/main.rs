//! Checks as a pull request meets them: changed lines, baseline, suppressions, settings, and what runs them.

// Pinned packages are installed as the end-to-end bench does.
#[allow(dead_code, reason = "the bench uses the rest")]
#[path = "../e2e/install.rs"]
mod install;
#[allow(dead_code, reason = "the bench uses the rest")]
#[path = "../e2e/process.rs"]
mod process;

mod allowed;
mod baseline;
mod changed;
mod ci;
mod edits;
mod fingerprints;
mod git;
mod ready_made;
mod runner;
mod settings;
mod spared;
mod support;
