//! What a rule is: its name, its severity and its documentation. The documentation is what `explain` prints.

use super::finding::Severity;
pub use crate::edit::level::Level;

/// A pair of short programs: what the rule finds, and what it should become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// `TypeScript`, `Python`, `Rust`.
    pub language: &'static str,
    /// What the rule finds.
    pub bad: &'static str,
    /// What it should become.
    pub good: &'static str,
}

/// The documentation of a rule. Paragraphs are separated by a blank line; code spans stand in backquotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Docs {
    /// What it finds.
    pub finds: &'static str,
    /// Why it matters: what a request of revision 2026-07-28 meets there.
    pub why: &'static str,
    /// Before and after.
    pub examples: &'static [Example],
    /// What the migration is.
    pub migration: &'static str,
    /// Its usual level.
    pub level: Level,
    /// What makes that level right, and when it is another one.
    pub safety: &'static str,
    /// Where the specification says so.
    pub references: &'static [&'static str],
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name: kebab-case words.
    pub name: &'static str,
    /// The severity of its findings.
    pub severity: Severity,
    /// One line: what it finds.
    pub summary: &'static str,
    /// Its documentation.
    /// Finds it.
    pub detect: fn(&super::detect::Context<'_, '_>) -> Vec<super::detect::Detection>,
    /// What `explain` prints.
    pub docs: Docs,
}
