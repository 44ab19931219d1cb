//! Plan steps as changes of text: one back end per language. Decides nothing, but refuses where the code at hand is not what the
//! step says it is.

mod allowance;
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
    /// Raises the step's level, where what was rendered asks for more.
    pub level: Option<Level>,
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
    rendered.changes = union::united(rendered.changes);
    Ok(rendered)
}

fn by_kind(step: &Step, files: &dyn Files) -> Result<Rendered, Refused> {
    match &step.kind {
        StepKind::Handle(handle) => typescript::handle::render(handle, files),
        StepKind::Labels(labels) => typescript::labels::render(labels, files),
        StepKind::Captured(captured) => typescript::handle::captured::render(captured, files),
        StepKind::Telemetry(telemetry) => typescript::telemetry::render(telemetry, files),
        StepKind::Transport(transport) => typescript::transport::render(transport, files),
        StepKind::Allowance(allowance) => allowance::render(allowance, files),
        StepKind::Singleton(singleton) => typescript::singleton::render(singleton, files),
    }
}
