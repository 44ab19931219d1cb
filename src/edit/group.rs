//! Groups: one idea each, applied as a whole or not at all.

use super::level::Level;
use super::text::{Edit, NewFile};

/// Edits that make sense only together, over any number of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Names the idea, and stays the same from round to round: a group that comes back after it was applied is a mistake.
    pub id: String,
    /// One line.
    pub title: String,
    /// The rule whose findings it is about.
    pub rule: &'static str,
    /// How far it can go without a person.
    pub level: Level,
    /// Groups without which this one makes no sense; they come first.
    pub requires: Vec<String>,
    /// Changes of files that are there.
    pub edits: Vec<Edit>,
    /// Files that are made.
    pub new_files: Vec<NewFile>,
    /// Keys of the findings that are gone afterwards.
    pub claims: Vec<String>,
    /// What a reader of the change should know.
    pub notes: Vec<String>,
}

impl Group {
    /// A group that does nothing yet.
    pub fn new(id: impl Into<String>, title: impl Into<String>, rule: &'static str, level: Level) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            rule,
            level,
            requires: Vec::new(),
            edits: Vec::new(),
            new_files: Vec::new(),
            claims: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.new_files.is_empty()
    }

    /// The files that it changes or makes, sorted, each once.
    pub fn paths(&self) -> Vec<&str> {
        let edited = self.edits.iter().map(|edit| edit.path.as_str());
        let mut paths: Vec<&str> = edited.chain(self.new_files.iter().map(|file| file.path.as_str())).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Its edits of one file, in the order in which they were given, without those that put nothing in the place of nothing.
    pub fn edits_of(&self, path: &str) -> Vec<Edit> {
        let does_something = |edit: &&Edit| !(edit.is_insertion() && edit.replacement.is_empty());
        self.edits.iter().filter(|edit| edit.path == path).filter(does_something).cloned().collect()
    }
}
