//! Plan steps as changes of text: one back end per language. Decides nothing, but refuses where the code at hand is not what the
//! step says it is.

mod allowance;
mod revise;
pub mod typescript;
mod union;

use std::rc::Rc;

use crate::model::facts::Span;
use crate::plan::{Level, Site, Step, StepKind};
use crate::syntax::source::SourceText;

/// A stretch of a file and what takes its place. An empty span inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, relative to the root.
    pub path: String,
    /// Bytes of the decoded text, without a byte order mark.
    pub span: Span,
    /// The new text, with the line ends of the file.
    pub text: String,
}

/// A step, rendered.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// Changes of files that exist.
    pub changes: Vec<Change>,
    /// Files that are made: path and text.
    pub new_files: Vec<(String, String)>,
    /// What the reader has to know, beside the step's own notes.
    pub notes: Vec<String>,
    /// Texts that a person has to see to.
    pub left: Vec<Stale>,
    /// Raises the step's level, where what was rendered asks for more.
    pub level: Option<Level>,
    /// The title and the notes of what was done, where that is another way than the step's first one.
    pub instead: Option<(String, Vec<String>)>,
}

/// A text that says what is not so any more, in words that only a person can put right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Its file.
    pub path: String,
    /// The text as it is written there: lines move from round to round.
    pub said: String,
    /// It can only mean what is not so any more.
    pub sure: bool,
    /// What is to be done.
    pub what: String,
    /// Why it is left.
    pub why: String,
    /// How.
    pub todo: String,
}

/// Why a step was not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The code that stopped it.
    pub at: Site,
    /// Why.
    pub why: String,
    /// What to do.
    pub todo: String,
    /// Other code that stops it as well: a person sees all of it at once.
    pub also: Vec<Refused>,
}

impl Refused {
    /// All that stops a step, in this order and once each.
    fn with(mut self, other: Self) -> Self {
        let Self { at, why, todo, also } = other;
        for one in [Self { at, why, todo, also: Vec::new() }].into_iter().chain(also) {
            let known = |known: &Self| known.at == one.at && known.why == one.why;
            if !known(&self) && !self.also.iter().any(known) {
                self.also.push(one);
            }
        }
        self
    }
}

/// What questions that do not depend on each other came to: all that they refuse is one refusal. Every one of them is asked.
fn all(outcomes: impl IntoIterator<Item = Result<(), Refused>>) -> Result<(), Refused> {
    let refused: Vec<Refused> = outcomes.into_iter().filter_map(Result::err).collect();
    refused.into_iter().reduce(Refused::with).map_or(Ok(()), Err)
}

/// The files that a step may look at: what is on disk, with what earlier rounds changed.
pub trait Files {
    /// A file's text.
    fn text(&self, path: &str) -> Option<Rc<SourceText>>;
    /// Whether there is such a file.
    fn exists(&self, path: &str) -> bool;
}

/// Renders a step.
pub fn render(step: &Step, files: &dyn Files) -> Result<Rendered, Refused> {
    let mut rendered = by_kind(step, files)?;
    let (changes, made): (Vec<Change>, Vec<Change>) =
        rendered.changes.into_iter().partition(|change| files.exists(&change.path));
    rendered.new_files.extend(made.into_iter().map(|change| (change.path, change.text)));
    rendered.changes = telling(union::united(changes), files);
    Ok(rendered)
}

/// The changes of files that are another text after them.
fn telling(changes: Vec<Change>, files: &dyn Files) -> Vec<Change> {
    let mut paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let idle = |path: &&str| {
        let own: Vec<Change> = changes.iter().filter(|change| change.path == **path).cloned().collect();
        files.text(path).is_some_and(|source| revise::Revision::new(path, &source.text, &own).result() == source.text)
    };
    let idle: Vec<String> = paths.into_iter().filter(idle).map(str::to_owned).collect();
    changes.into_iter().filter(|change| !idle.contains(&change.path)).collect()
}

fn by_kind(step: &Step, files: &dyn Files) -> Result<Rendered, Refused> {
    match &step.kind {
        StepKind::Handle(handle) => typescript::handle::render(handle, files),
        StepKind::Ambient(ambient) => typescript::ambient::render(ambient, files),
        StepKind::Capabilities(step) => typescript::capabilities::render(step, files),
        StepKind::Labels(labels) => typescript::labels::render(labels, files),
        StepKind::Captured(captured) => typescript::handle::captured::render(captured, files),
        StepKind::External(external) => typescript::external::render(external, files),
        StepKind::Records(records) => typescript::records::render(records, files),
        StepKind::Selection(selection) => typescript::selection::render(selection, files),
        StepKind::Telemetry(telemetry) => typescript::telemetry::render(telemetry, files),
        StepKind::Required(required) => typescript::required::render(required, files),
        StepKind::Transport(transport) => typescript::transport::render(transport, files),
        StepKind::Allowance(allowance) => allowance::render(allowance, files),
        StepKind::Singleton(singleton) => typescript::singleton::render(singleton, files),
    }
}
