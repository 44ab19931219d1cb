//! What the parts of the rendering share.

use tree_sitter::Node;

use super::edits::Edits;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Carries, Container, Entry, Handle, Role, Touch};
use crate::render::typescript::handle_module::Features;
use crate::render::typescript::imports;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, children, is_function};
use crate::render::typescript::scripts::{Scripts, mentions};
use crate::render::{Refused, Stale};

/// A value that something would have created where it was first used.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The file it is written in.
    pub path: String,
    /// Its expression.
    pub span: Span,
    /// The function around it writes the value, and does not only show something in its place.
    pub strong: bool,
}

/// An import that a file needs.
#[derive(Clone, Debug)]
pub struct Import {
    /// The file.
    pub path: String,
    /// Where the name comes from.
    pub source: String,
    /// The name there.
    pub name: String,
    /// The name here, where it is another.
    pub alias: Option<String>,
    /// It is a type.
    pub is_type: bool,
}

impl Import {
    /// A value under its own name.
    pub fn value(script: &Script, source: String, name: &str) -> Self {
        Self { path: script.path.clone(), source, name: name.to_owned(), alias: None, is_type: false }
    }

    /// What the name means in the file already is no hindrance: it is called otherwise there.
    pub fn apart(mut self, script: &Script, others: &[String]) -> Self {
        if imports::local_name(script, &self.source, &self.name).is_none()
            && !mentions(script, script.tree.root_node(), &self.name).is_empty()
        {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            self.alias = Some(free_name(script, &others));
        }
        self
    }

    /// The name that code of the file uses.
    pub fn local(&self, script: &Script) -> String {
        let known = imports::local_name(script, &self.source, &self.name);
        known.or_else(|| self.alias.clone()).unwrap_or_else(|| self.name.clone())
    }
}

/// An entry that a container gets beside a new value.
#[derive(Clone, Debug)]
pub struct Alongside {
    /// The container.
    pub name: String,
    /// How it is written.
    pub container: Container,
    /// The file and the place of the first entry's code; none for a mark.
    pub value: Option<(String, Span)>,
}

/// A rendering under way.
pub struct Work<'a> {
    /// The plan.
    pub handle: &'a Handle,
    /// The files.
    pub scripts: &'a Scripts<'a>,
    /// The store's methods answer promises.
    pub wait: bool,
    /// Whether a carrier has to wait, where the store's methods answer promises.
    pub waits: Vec<bool>,
    /// Parts of carriers that only run where a tool creates a value, though the carrier serves others.
    pub beginnings: Vec<Vec<Span>>,
    /// Carriers that only run where a value is created.
    pub creating: Vec<bool>,
    /// Helpers that make the handle themselves, so that nobody hands them one.
    pub makers: Vec<usize>,
    /// What is put beside a new value: the container's name, how it is written, and the code of its first entry.
    pub alongside: Vec<Alongside>,
    /// What stands for the key, by carrier: `basket_id`, or `basket_id, owner`.
    pub keys: Vec<String>,
    /// The handle alone, by carrier.
    pub names: Vec<String>,
    /// The owner, by carrier.
    pub owners: Vec<Option<String>>,
    /// The changes so far.
    pub edits: Edits,
    /// What the module has to offer.
    pub features: Features,
    /// Initial values that were found.
    pub initials: Vec<Initial>,
    /// Deletions that begin a value anew: the file, and where the new value goes.
    pub resets: Vec<(String, usize)>,
    /// Seconds without use after which the server dropped a value, as code.
    pub idle: Option<String>,
    /// These seconds count from the creation of a value.
    pub aged: bool,
    /// How many values the server's own code lets live, as code.
    pub limit: Option<String>,
    /// What frees a value, as a function.
    pub close: Option<String>,
    /// Accesses that are seen to.
    pub done: Vec<Site>,
    /// Code elsewhere uses the store: it has to be reachable.
    pub outward: bool,
    /// Files that ask who owns a handle.
    pub owned_files: Vec<String>,
    /// Imports that are needed.
    pub wanted: Vec<Import>,
    /// What the reader has to know.
    pub notes: Vec<String>,
    /// Texts that a person has to see to.
    pub left: Vec<Stale>,
}

impl<'a> Work<'a> {
    /// The function of a carrier.
    pub fn function(&self, carrier: &Carries) -> Result<(&'a Script, Node<'a>), Refused> {
        let scripts = self.scripts;
        let (script, node) = scripts.expression(&carrier.function)?;
        match function_in(node) {
            Some(node) => Ok((script, node)),
            None => Err(script.refuse(node, "a function was expected here", "run again")),
        }
    }

    /// Whether a carrier is a handler that creates the value itself.
    pub fn creates(&self, carrier: &Carries) -> bool {
        let Entry::Handler(tools) = &carrier.entry else { return false };
        !self.handle.lazy
            && !tools.is_empty()
            && tools.iter().all(|tool| self.handle.tools[*tool].role == Role::Creates)
    }

    /// Whether code of a carrier only runs where a value is created.
    pub fn creates_at(&self, carrier: usize, at: Span) -> bool {
        self.creating[carrier] || self.is_beginning(carrier, at)
    }

    /// Whether a carrier that serves several tools runs some code for creating ones alone.
    pub fn is_beginning(&self, carrier: usize, at: Span) -> bool {
        self.beginnings[carrier].iter().any(|part| part.contains(at))
    }

    /// What stands for the key at a place of a carrier.
    pub fn key_at(&self, carrier: usize, at: Span) -> String {
        if !self.is_beginning(carrier, at) {
            return self.keys[carrier].clone();
        }
        let owner = self.owners[carrier].as_ref().map(|owner| format!(", {owner}")).unwrap_or_default();
        format!("{}{owner}", self.handle.names.argument)
    }

    /// The handle alone at a place of a carrier.
    pub fn name_at(&self, carrier: usize, at: Span) -> String {
        if self.is_beginning(carrier, at) { self.handle.names.argument.clone() } else { self.names[carrier].clone() }
    }

    /// The accesses of a carrier.
    pub fn touches(&self, carrier: usize) -> impl Iterator<Item = &'a Touch> {
        self.handle.touches.iter().filter(move |touch| touch.carrier == carrier && !touch.companion)
    }

    /// Puts the handle in place of a key, a whole argument or what stands in brackets.
    pub fn key(&self, touch: &Touch) -> String {
        self.key_at(touch.carrier, touch.at.span)
    }

    /// Adds an initial value.
    pub fn initial(&mut self, script: &Script, node: Node<'_>, strong: bool) {
        let initial =
            Initial { path: script.path.clone(), span: Span::new(node.start_byte(), node.end_byte()), strong };
        if !self.initials.iter().any(|known| known.path == initial.path && known.span == initial.span) {
            self.initials.push(initial);
        }
    }

    /// Adds what is put beside a new value.
    pub fn alongside(&mut self, more: Vec<Alongside>) {
        for more in more {
            if !self.alongside.iter().any(|known| known.name == more.name) {
                self.alongside.push(more);
            }
        }
    }

    /// Whether an access lies within something that goes already.
    pub fn is_gone(&self, site: &Site) -> bool {
        self.done.contains(site) || self.edits.covers(&site.path, site.span)
    }
}

/// The function that a declaration, a variable or an expression is.
pub fn function_in(node: Node<'_>) -> Option<Node<'_>> {
    if is_function(node) {
        return Some(node);
    }
    match node.kind() {
        "export_statement" | "lexical_declaration" | "variable_declarator" | "pair" => {
            children(node).into_iter().find_map(function_in)
        }
        _ => None,
    }
}

/// The node that is the whole argument, or the whole of what stands in brackets, around a key.
pub fn whole_argument<'t>(key: Node<'t>, within: Node<'t>) -> Node<'t> {
    let mut node = key;
    while let Some(parent) = node.parent() {
        if parent == within || parent.kind() == "arguments" {
            break;
        }
        node = parent;
    }
    node
}

/// Whether two stretches of code are the same but for white space.
pub fn same_code(a: &str, b: &str) -> bool {
    let squeeze = |text: &str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
    squeeze(a).replace(",}", "}").replace(",]", "]") == squeeze(b).replace(",}", "}").replace(",]", "]")
}
