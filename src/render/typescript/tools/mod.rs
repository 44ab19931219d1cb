//! Tools of the SDK as text: an argument more for one that is registered, a new one beside it, an id more in what one answers.
//!
//! What a caller needs to know of a registration is only where it stands: which of the SDK's forms it has (`registerTool`, `tool`,
//! a table that a loop registers, an entry in the list of the low-level `Server` with its branch in the dispatch) is found out here.
//! All changes are small and disjoint: a caller may change what stands around and between them, in particular the handler's body.
//! Two tools that share a piece of code yield the same change of it twice: callers keep one of changes that are equal.

mod answer;
mod answerer;
mod create;
mod describe;
mod dispatch;
mod handler;
mod home;
mod json;
mod listing;
mod lists;
mod literal;
mod looked_up;
mod own_file;
mod parameters;
mod reach;
mod register;
mod remove;
mod require;
mod schema;
pub(super) mod sdk;
mod table;
mod types;

pub use answer::{append_to_answers, append_to_texts};
pub use describe::{description, say_ends, say_more, with_stop};
pub use dispatch::part;
pub use home::serves_several;
pub use json::require;
pub use literal::{applied, pair};
pub use reach::table_entry;
pub use register::argument_schema;
pub use remove::remove;
pub use require::argument as require_argument;
pub use types::OPTIONAL;

use tree_sitter::Node;

use super::script::Script;
use super::scripts::{Scripts, mentions};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::{Change, Refused};

/// An argument that a tool is given as its first and, but for a time of transition, required one.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name in the schema: `basket_id`.
    pub name: String,
    /// What the model reads of it: `basket_id returned by create_basket`.
    pub description: String,
    /// The tool that tells it, for handlers that check their arguments themselves.
    pub source: String,
    /// A constant that holds its schema, where the caller declares one.
    pub constant: Option<String>,
    /// The schema lets callers leave it out, who are told by the handler where to get one.
    pub optional: bool,
    /// Its schema as written, where it is that of another tool's argument; handlers check it themselves then.
    pub schema: Option<String>,
    /// The handler's own variable of that name goes.
    pub frees: bool,
}

impl Argument {
    /// The expression by which the code of a handler gets the argument, once it is known what names it there.
    fn expression(&self, script: &Script, name: String) -> String {
        if !self.optional {
            return name;
        }
        let string = |text: &str| script.style.string(text);
        format!("{GIVEN}({name}, {}, {})", string(&self.name), string(&self.source))
    }
}

/// The function of the module of handles that asks for a handle which a schema lets callers leave out.
pub const GIVEN: &str = "givenHandle";

/// The declaration of that function in a file that has none, in front of the code that needs it.
pub fn given(script: &Script, from: Node<'_>) -> Option<Change> {
    if !mentions(script, script.tree.root_node(), GIVEN).is_empty() {
        return None;
    }
    let typed = |text: &'static str| if script.typed() { text } else { "" };
    let text = format!(
        "function {GIVEN}(handle{}, name{}, createTool{}){} {{\n\tif (!handle) throw new Error(`${{name}} is required; call \
         ${{createTool}} and pass the ${{name}} that it returns`);\n\treturn handle;\n}}\n\n",
        typed(": string | undefined"),
        typed(": string"),
        typed(": string"),
        typed(": string"),
    );
    let top = std::iter::successors(Some(from), Node::parent)
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))?;
    let at = script.line_start(script.with_comments(top));
    Some(script.change(Span::new(at, at), script.style.dress(&text)))
}

/// What becomes of the SDK's context among a handler's parameters, once the argument is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The owner check needs it: it is added where it is missing.
    pub owner: bool,
    /// Names that the parameter binds (`extra`, or `sessionId` of a pattern) and that nothing in the handler uses any more.
    pub gone: Vec<String>,
}

/// What was added.
#[derive(Clone, Debug)]
pub struct Added {
    /// The changes: of the schema and of the handler's parameters.
    pub changes: Vec<Change>,
    /// The expression by which the handler's code names the argument: `basket_id`, `args.basket_id`; for tools that are dispatched by
    /// name `handleIn(args, 'basket_id', 'create_basket')`, which comes from the module of handles.
    pub name: String,
    /// The expression by which it names who is calling (`extra.authInfo`, `ctx.http?.authInfo`), where that was asked for.
    pub auth: Option<String>,
}

/// A parameter of a new tool.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
}

/// What a parameter of a new tool takes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A handle.
    Handle {
        /// What the model reads of it.
        description: String,
        /// The tool that tells it.
        source: String,
    },
    /// A text, by default the given literal (source text, quotes included).
    Text(String),
    /// What another tool's argument takes: the schema as written there.
    Same(String),
}

/// A tool that does not exist yet.
#[derive(Clone, Debug)]
pub struct NewTool {
    /// Its name.
    pub name: String,
    /// Its description, sentence by sentence, each as the inside of a template literal.
    pub description: Vec<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Statements before the answer, one a line, one tab for each level of depth. They name parameters by their bare names and the
    /// caller as `{auth}`.
    pub body: Vec<String>,
    /// The text of the answer, as the inside of a template literal.
    pub text: String,
    /// The names that the answer holds in structured form as well.
    pub structured: Vec<String>,
    /// The handler answers the text alone, which others make an answer of.
    pub text_alone: bool,
    /// These are lists of texts, and not one text each.
    pub lists: bool,
}

/// Gives a tool a further argument, which stands first and is required. For tools that one handler dispatches, what becomes of its
/// context is up to [`add_context`].
pub fn add_argument(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    argument: &Argument,
    context: &Context,
) -> Result<Added, Refused> {
    match &tool.entry {
        Some(_) if tool.looked_up().is_some() => looked_up::add_argument(scripts, tool, argument, context),
        Some(_) => dispatch::add_argument(scripts, tool, argument),
        None => register::add_argument(scripts, tool, argument, context),
    }
}

/// The changes of the context parameter of a handler that dispatches tools, or of a tool that gets no argument, and the expression
/// by which it names who is calling.
pub fn add_context(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    context: &Context,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    match &tool.entry {
        Some(_) if tool.looked_up().is_some() => looked_up::context(scripts, tool, context),
        Some(_) => dispatch::context(scripts, tool, context),
        None => register::context(scripts, tool, context),
    }
}

/// The changes that let a handler which dispatches tools answer the errors of the store itself.
pub fn answering(scripts: &Scripts<'_>, tool: &ToolUse) -> Result<Vec<Change>, Refused> {
    dispatch::answering(scripts, tool)
}

/// The file that a new tool gets beside another, where each has one: as a draft.
pub fn file_for<'s>(scripts: &'s Scripts<'_>, beside: &ToolUse, name: &str) -> Option<&'s Script> {
    match &beside.entry {
        Some(_) if beside.looked_up().is_some() => looked_up::file_for(scripts, beside, name),
        Some(_) => None,
        None => table::file_for(scripts, beside, name),
    }
}

/// Adds a tool before (or behind) the registration of another, in that one's form. Where tools are dispatched by name, it is
/// dispatched before the code at `ahead` runs. `all` are the tools that go with it.
pub fn insert(
    scripts: &Scripts<'_>,
    beside: &ToolUse,
    all: &[ToolUse],
    before: bool,
    tool: &NewTool,
    ahead: Option<Span>,
) -> Result<Vec<Change>, Refused> {
    match &beside.entry {
        Some(_) if beside.looked_up().is_some() => looked_up::insert(scripts, beside, before, tool),
        Some(_) => dispatch::insert(scripts, beside, before, tool, ahead),
        None => create::insert(scripts, beside, all, before, tool),
    }
}
