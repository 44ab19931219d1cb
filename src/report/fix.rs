//! What a fix did, or would do, and what it leaves to a person: the data of its renderers.

use serde::Serialize;

use super::scan::Tool;
use super::tool_text::ToolText;
use crate::classify::answer::{Category, Place};
use crate::edit::Level;
use crate::rules::finding::Severity;

/// What became of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is applied (in a dry run: would be).
    Applied,
    /// It is not.
    Refused,
    /// It is not, since comments or settings say that all of it is to stay.
    Allowed,
}

/// Code that stops a group, beside what its reason is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// The places of which this is to be said.
    pub at: Vec<Place>,
    /// Why it stops the group.
    pub reason: String,
    /// What to do about that.
    pub help: String,
}

/// One idea and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Names it; the same in every run as long as the code it is about keeps its name.
    pub id: String,
    /// One line.
    pub title: String,
    /// The rule whose findings it answers.
    pub rule: String,
    /// What it asks of its reader.
    pub level: Level,
    /// What became of it.
    pub status: Status,
    /// Why it is not applied.
    pub reason: Option<String>,
    /// What to do about that.
    pub help: Option<String>,
    /// The code that stopped it.
    pub at: Option<Place>,
    /// What else stops it, so that it can be seen to in one go.
    pub stops: Vec<Stop>,
    /// Groups that it needs.
    pub requires: Vec<String>,
    /// Files that it changes or makes.
    pub files: Vec<String>,
    /// Fingerprints of the findings that it takes away.
    pub findings: Vec<String>,
    /// Where the findings stand that stay because it is not applied.
    pub about: Vec<Place>,
    /// What its reader has to know.
    pub notes: Vec<String>,
    /// What it changes, as a patch on top of the groups before it.
    pub patch: String,
}

/// What is left to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Manual {
    /// The rule.
    pub rule: String,
    /// How much it matters: what is a note leaves nothing to be done.
    pub severity: Severity,
    /// The code that it is about.
    #[serde(flatten)]
    pub at: Place,
    /// Other places of which the same is to be said.
    pub also: Vec<Place>,
    /// What remains.
    pub what: String,
    /// Why the tool does not do it.
    pub why: String,
    /// What to do, one way each.
    pub todo: Vec<String>,
}

/// Something that had to be so, was looked at, and is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Precondition {
    /// What.
    pub what: String,
    /// Where it shows.
    pub at: Option<Place>,
}

/// A fix in a few figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Category before; `None`: no server found.
    pub before: Option<Category>,
    /// Category of the result.
    pub after: Option<Category>,
    /// Groups applied.
    pub applied: usize,
    /// Groups refused.
    pub refused: usize,
    /// Groups that are to stay by comment or setting.
    pub allowed: usize,
    /// Things left to a person.
    pub manual: usize,
    /// Files changed or made.
    pub files: usize,
}

/// The whole answer of a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The program.
    pub tool: Tool,
    /// The protocol revision.
    pub spec: &'static str,
    /// The root; paths are relative to it.
    pub root: String,
    /// Nothing was written.
    pub dry_run: bool,
    /// The highest level that was asked for.
    pub level: Level,
    /// In a few figures.
    pub summary: Summary,
    /// Ideas, in the order in which they are applied; then those refused.
    pub groups: Vec<Group>,
    /// What is left to a person.
    pub manual: Vec<Manual>,
    /// What has to be known of servers that are done: nothing is to be changed there.
    pub good_to_know: Vec<Manual>,
    /// What was checked and holds.
    pub preconditions: Vec<Precondition>,
    /// What the change makes of the texts that models read.
    pub tool_text: ToolText,
    /// What the user should know of the writing.
    pub notes: Vec<String>,
    /// The whole change as one patch.
    pub patch: String,
}

impl Group {
    /// What else stops it: a sentence for each kind, and what to do about it.
    pub fn stopped_by(&self) -> impl Iterator<Item = (String, &str)> {
        self.stops.iter().map(|stop| {
            let places: Vec<String> = stop.at.iter().map(|at| format!("{}:{}", at.path, at.line)).collect();
            let same = self.reason.as_ref() == Some(&stop.reason);
            let reason = if same { "for the same reason" } else { stop.reason.as_str() };
            (format!("it is stopped at {} as well: {reason}", places.join(", ")), stop.help.as_str())
        })
    }
}

impl Manual {
    /// The other places, behind the first: ` (also lines 23, 27; src/b.ts:4)`.
    pub fn others(&self) -> String {
        let (here, far): (Vec<&Place>, Vec<&Place>) = self.also.iter().partition(|place| place.path == self.at.path);
        let mut lines: Vec<u32> = here.iter().map(|place| place.line).filter(|line| *line != self.at.line).collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        let mut parts = Vec::new();
        if !lines.is_empty() {
            parts.push(format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, lines.join(", ")));
        }
        parts.extend(far.iter().map(|place| format!("{}:{}", place.path, place.line)));
        if parts.is_empty() { String::new() } else { format!(" (also {})", parts.join("; ")) }
    }
}

impl Fix {
    /// The groups that are applied.
    pub fn applied(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.status == Status::Applied)
    }

    /// The groups that are to stay.
    pub fn allowed(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.status == Status::Allowed)
    }

    /// The groups that are not.
    pub fn refused(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.status == Status::Refused)
    }

    /// Whether something is left for a person.
    pub fn leaves(&self) -> bool {
        self.summary.refused + self.summary.manual > 0
    }
}
