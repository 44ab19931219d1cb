//! What is decided about each store: the data of the plan file.

use super::fix::{Group, Manual};
use crate::classify::answer::{Carrier, Place};
use crate::edit::Level;
use crate::plan::handle::{Lifetime, Names};

/// Decisions, server by server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Servers, by path.
    pub servers: Vec<Server>,
}

/// What is decided about one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its folder.
    pub path: String,
    /// Its language.
    pub language: &'static str,
    /// What it is: category and SDK.
    pub about: String,
    /// There is a planner for its language.
    pub planned: bool,
    /// What says that it runs in several processes.
    pub processes: Option<String>,
    /// Its stores, by place.
    pub stores: Vec<Store>,
    /// Changes beside those of stores.
    pub others: Vec<Group>,
    /// What is left to a person beside stores.
    pub manual: Vec<Manual>,
}

/// What is decided about one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Its id.
    pub id: String,
    /// Its declaration.
    pub at: Place,
    /// What it is, in words.
    pub about: String,
    /// Where the state goes.
    pub carrier: Carrier,
    /// What that means.
    pub meaning: &'static str,
    /// What the change asks of its reader; `None` where there is none.
    pub level: Option<Level>,
    /// Stores that are kept under its handle.
    pub with: Vec<String>,
    /// The store under whose handle this one is kept.
    pub under: Option<String>,
    /// Tools that reach it, each with its place where that is known.
    pub tools: Vec<(String, Option<Place>)>,
    /// Its handle.
    pub handle: Option<Handle>,
    /// The argument that it becomes.
    pub choice: Option<Choice>,
    /// Why it stays as it is.
    pub refused: Option<Refused>,
}

/// What is decided about the handle of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// How things are called.
    pub names: Names,
    /// How long a value lives, and how many may; none where a store outside of the program decides.
    pub lifetime: Option<Lifetime>,
    /// The tool that creates a value already, and where.
    pub creator: Option<(String, Place)>,
    /// The tool that drops one already, and where.
    pub destroyer: Option<(String, Place)>,
    /// Where values came into being.
    pub first: Option<Place>,
    /// What the create tool lets its caller choose.
    pub parameters: Vec<String>,
    /// A handle belongs to the user who created it.
    pub owner: Option<Place>,
}

/// What is decided about a choice that becomes an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The argument.
    pub argument: String,
    /// The tool that set it, and where.
    pub setter: (String, Place),
    /// Why that tool stays, as one that looks up; `None` where it goes.
    pub stays: Option<Place>,
    /// Other tools that go.
    pub gone: Vec<String>,
    /// It is a field of a store's records.
    pub part: bool,
}

/// Why a store stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The code that is in the way.
    pub at: Option<Place>,
    /// Why.
    pub why: String,
    /// What to do, one way each.
    pub todo: Vec<String>,
    /// Only that the server runs in several processes is in the way.
    pub by_processes: bool,
}
