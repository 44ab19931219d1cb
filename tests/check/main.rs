//! Checks as a pull request meets them: changed lines, baseline, suppressions, settings, and what runs them.

mod allowed;
mod baseline;
mod changed;
mod ci;
mod edits;
mod settings;
mod spared;
mod support;
