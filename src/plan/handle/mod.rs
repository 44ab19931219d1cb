//! Session-keyed state as handles: what is the noun, which functions and tools carry the handle, where is the value created, read,
//! consumed and dropped. All by the model; how the code is written is the back end's business.

mod callbacks;
pub mod captured;
mod carriers;
mod chosen;
pub mod clients;
mod closures;
mod composite;
mod dropped;
pub mod external;
mod facts;
mod fields;
mod groups;
pub mod handed;
pub mod injected;
mod limits;
mod listing;
mod names;
mod nouns;
mod objects;
mod planner;
pub mod registry;
mod roles;
mod served;
mod stops;
mod trace;
mod wrapped;

use super::{SharedStore, Site};

pub(super) use carriers::{Problem, follow, follow_reads};
pub(super) use facts::{argument_names, container, entry as entry_of, loose, made, place, tool_names, values};
pub(super) use limits::is_time;
pub(super) use names::singular;
pub use names::{Names, plural};
pub(super) use planner::{INTERFACE, manual as refused};
pub use planner::{plan, withhold};
pub use roles::Role;
pub(super) use served::only_domain;
pub(super) use trace::home;

/// A store that becomes a store of handles.
#[derive(Clone, Debug)]
pub struct Handle {
    /// The container.
    pub store: Store,
    /// Containers beside it that are keyed alike: they stay, and are keyed by the handle.
    pub companions: Vec<Companion>,
    /// The names of all of them.
    pub stores: Vec<String>,
    /// How things are called.
    pub names: Names,
    /// How long a value lives, and how many may.
    pub lifetime: Lifetime,
    /// What keeps the values in the place of a store in memory.
    pub shared: Option<SharedStore>,
    /// The server knows its callers: a handle belongs to one.
    pub owner: bool,
    /// Functions that the handle passes through, tool handlers among them.
    pub carriers: Vec<Carries>,
    /// Accesses in those functions.
    pub touches: Vec<Touch>,
    /// Accesses and calls elsewhere, where the session begins or ends, or in a sweep.
    pub outside: Vec<Outside>,
    /// Calls that handed the id on to what takes the handle now, or does not need either.
    pub sheds: Vec<Shed>,
    /// Places where the id was put into an object that is handed on: the handle is put in now.
    pub carried: Vec<Carried>,
    /// Where the id is read from an object of the program's own, outside of those functions.
    pub strays: Vec<Site>,
    /// Other mentions of the container: its size, a loop over it, an argument.
    pub loose: Vec<Site>,
    /// Tools that reach the store.
    pub tools: Vec<ToolUse>,
    /// Constructions of servers, whose instructions may speak of sessions.
    pub servers: Vec<Site>,
    /// The value is created where it is first used, or where a session begins: a new tool creates it.
    pub lazy: bool,
    /// The type of a value as written, if it is a plain one (number, text, flag) that may be falsy.
    pub plain: bool,
    /// What a first value is, where a class around the container is given that.
    pub first: Option<Site>,
    /// A class of the program's own is around the container, and gives way with it.
    pub wrapped: bool,
    /// The type of a value as that class writes it.
    pub value: Option<String>,
    /// How many milliseconds a value lives without use, where that class is given it.
    pub idle: Option<Site>,
    /// Fields of the initial value that a caller may choose.
    pub choices: Vec<String>,
    /// The containers stay as they are, and a store beside them knows the handles.
    pub registry: bool,
    /// What ran where a session ended, where the containers stay.
    pub ends: Vec<registry::End>,
    /// Functions of the files that keep and drop the values, with their calls.
    pub functions: Vec<Called>,
    /// Calls of `setInterval` that only drop what is old from the containers: handles expire by themselves.
    pub sweeps: Vec<Site>,
    /// Where it is noted when a session was used last, for such a timer alone.
    pub last_use: Vec<Site>,
    /// The tables of such notes, which go.
    pub forgotten: Vec<Site>,
    /// The object with the containers, where the code that registers the tools is handed it.
    pub injected: Option<injected::Injected>,
    /// The same stores as they can be migrated where the code turns out to be none that this way can change.
    pub otherwise: Option<Box<Handle>>,
    /// Schemas let callers leave the handle out, for a time: they are told where to get one.
    pub transition: bool,
    /// What an owner hears about a value that has expired: `its lines are lost`.
    pub loss: String,
    /// Why it is done like this, one decision each.
    pub reasons: Vec<String>,
}

/// A container.
#[derive(Clone, Debug)]
pub struct Store {
    /// Its name at its declaration.
    pub declared: Site,
    /// The expression that makes it (`new Map()`, `{}`).
    pub made: Site,
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub place: Place,
    /// How it is written.
    pub container: Container,
}

/// A container that is keyed by the handle of another store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// Its name.
    pub name: String,
    /// How it is written.
    pub container: Container,
}

/// Where a container lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A variable of a module.
    Module,
    /// A field of a class, one object of which lives as long as the process.
    Field,
    /// A variable of a function that runs more than once: it has to move out.
    Local,
}

/// How a container is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `new Map()` and caches with its methods.
    Map,
    /// An object used as a record.
    Record,
    /// `new Set()` of the ids themselves.
    Set,
}

/// How long values live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Seconds without use.
    pub idle_seconds: u32,
    /// How many may live at once.
    pub limit: u32,
    /// The seconds are set for this store: they come before what its code says.
    pub idle_is_set: bool,
    /// So is the limit.
    pub limit_is_set: bool,
    /// The code says how long, by an option of the container or a timer that sweeps it.
    pub idle_in_code: bool,
    /// The code of the container says how many.
    pub limit_in_code: bool,
}

/// A function that the handle passes through.
#[derive(Clone, Debug)]
pub struct Carries {
    /// The whole function.
    pub function: Site,
    /// Its name.
    pub name: Option<String>,
    /// How it gets the handle.
    pub entry: Entry,
    /// Where it is called (nowhere, for a handler).
    pub calls: Vec<CallSite>,
    /// Where it is handed over as a value, by its name alone.
    pub handed: Vec<CallSite>,
    /// Expressions in it that mean the session id.
    pub ids: Vec<Site>,
    /// Another store takes the id in it as well: what makes and checks the id stays.
    pub shared: bool,
}

/// How a function gets the handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It handles the tools with these indices.
    Handler(Vec<usize>),
    /// In place of a parameter that was the session id, or led to it.
    Parameter {
        /// Its position.
        index: usize,
        /// The parameter, without type and default.
        at: Site,
        /// The parameter was the id itself.
        whole: bool,
    },
    /// Within an object that it is handed: the handle stands where the id did in it, and the function goes on reading it there.
    Part {
        /// The parameter.
        at: Site,
        /// What the field is called.
        field: String,
    },
    /// As a new first parameter: the id came from its surroundings.
    New,
    /// It is a callback that was handed the id, in a function that has the handle.
    Closure {
        /// The parameter that was the id.
        at: Site,
        /// Index of the function around it.
        within: usize,
        /// Calls that hand it the id.
        given: Vec<Site>,
    },
}

/// A place where the id is put into an object that is handed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// What is put in.
    pub at: Site,
    /// Index of the function that it stands in.
    pub within: usize,
}

/// A call that handed the id to functions which do not take it any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shed {
    /// The call.
    pub call: Site,
    /// The function that it stands in.
    pub function: Site,
    /// Calls of that function by its name.
    pub callers: Vec<Site>,
    /// The argument that was the id.
    pub argument: Site,
    /// Its position.
    pub index: usize,
    /// Parameters that are left of it in functions which do not use it.
    pub unused: Vec<Site>,
}

/// A call of a function that takes the handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The call.
    pub at: Site,
    /// Index of the function it stands in.
    pub within: usize,
    /// The argument that the handle takes the place of.
    pub argument: Option<Site>,
}

/// What an access does.
pub use crate::classify::access::Kind;

/// An access in a function that carries the handle.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The index expression or call.
    pub at: Site,
    /// The key.
    pub key: Site,
    /// The container's expression.
    pub receiver: Site,
    /// What it does.
    pub kind: Kind,
    /// What is written.
    pub value: Option<Site>,
    /// Index of the function whose handle it uses.
    pub carrier: usize,
    /// It is one of a companion.
    pub companion: bool,
}

/// What has to go, or to move, where no tool is called.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The access, or the call of a function that takes the handle now.
    pub at: Site,
    /// What it does; a call of a helper drops.
    pub kind: Kind,
    /// What is written.
    pub value: Option<Site>,
    /// It is the access itself, and not a call that leads there.
    pub direct: bool,
    /// Calls of the function that it stands in.
    pub calls: Vec<Site>,
    /// Calls that the function is handed to.
    pub handed: Vec<Site>,
    /// It is one of a companion.
    pub companion: bool,
}

/// A function that is run by nothing but calls.
#[derive(Clone, Debug)]
pub struct Called {
    /// The function.
    pub function: Site,
    /// The calls.
    pub calls: Vec<Site>,
}

/// A tool that reaches the store.
#[derive(Clone, Debug)]
pub struct ToolUse {
    /// Its name.
    pub name: String,
    /// The call that registers it (its dispatching handler).
    pub registration: Site,
    /// Its handler.
    pub handler: Site,
    /// Its entry in a list of tools, where it is dispatched by name.
    pub entry: Option<Site>,
    /// The handler is the tool's own function, which the registered handler calls.
    pub body: Option<BodyUse>,
    /// What it does with the value.
    pub role: Role,
}

/// A tool's own function, which what the SDK is given calls.
#[derive(Clone, Debug)]
pub struct BodyUse {
    /// Its first parameter, where that was the id and the arguments come behind it.
    pub leading: Option<Site>,
    /// The position of the arguments among its parameters.
    pub arguments: usize,
    /// The calls.
    pub calls: Vec<Site>,
    /// It tells several tools apart by the name that it is handed.
    pub dispatches: bool,
}

impl ToolUse {
    /// The tool's own function, where the handler of a low-level server looks it up.
    pub fn looked_up(&self) -> Option<&BodyUse> {
        self.body.as_ref().filter(|body| self.entry.is_some() && !body.dispatches)
    }
}

impl Carries {
    /// Whether all that handed a callback the id stops to do so.
    pub fn sheds(&self, sheds: &[Shed]) -> bool {
        let Entry::Closure { given, .. } = &self.entry else { return false };
        given.iter().all(|call| sheds.iter().any(|shed| shed.call == *call))
    }
}

impl Handle {
    /// What its step is called.
    pub fn title(&self) -> String {
        let kept = if self.registry { "Key" } else { "Turn" };
        let how = if self.registry { "by handle" } else { "into handles" };
        format!("{kept} {} {how}", self.stores.join(" and "))
    }

    /// Whether a tool that creates a value is to be added.
    pub fn adds_creator(&self) -> bool {
        self.lazy || !self.tools.iter().any(|tool| tool.role == Role::Creates)
    }

    /// Whether a tool that drops a value is to be added.
    pub fn adds_destroyer(&self) -> bool {
        !self.tools.iter().any(|tool| tool.role == Role::Destroys)
    }

    /// The tool whose answer tells the id.
    pub fn creating_tool(&self) -> String {
        let known = self.tools.iter().find(|tool| tool.role == Role::Creates).filter(|_| !self.lazy);
        known.map_or_else(|| self.names.create.clone(), |tool| tool.name.clone())
    }

    /// The tool that only drops a value.
    pub fn destroying_tool(&self) -> String {
        let known = self.tools.iter().find(|tool| tool.role == Role::Destroys);
        known.map_or_else(|| self.names.destroy.clone(), |tool| tool.name.clone())
    }
}
