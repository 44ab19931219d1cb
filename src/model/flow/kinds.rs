//! What the flow engine tells functions, fields and registrations apart by.

use super::value::ObjId;
use crate::model::name::Name;
use crate::model::program::{ClassRef, ExprRef, FuncRef};
use crate::model::vocabulary::Role;

/// Who owns a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Instances of a class (its topmost ancestor in the program).
    Class(ClassRef),
    /// The class itself.
    Static(ClassRef),
    /// One object.
    Object(ObjId),
    /// All objects of a role: what serves one request has one of them.
    Shared(Role),
}

/// How one function comes to run another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// It calls it.
    Call,
    /// It hands it to something that will call it.
    Callback,
    /// It calls what came in as a parameter. Whoever handed it over has an edge of its own; following this one would mix up
    /// everything that was ever handed to a helper.
    Given,
}

/// Why something outside the program runs a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// A client calls a tool, reads a resource, gets a prompt, or sends another request.
    Handler,
    /// An HTTP request arrives.
    Route,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// An SDK runs it around each session (and, on newer releases, around the process).
    SessionLifespan,
    /// An SDK runs it around the process.
    ProcessLifespan,
    /// An SDK builds a server for one request.
    RequestFactory,
    /// A timer fires.
    Timer,
    /// An SDK builds a server for each session of a transport, or for each request where the transport opens none.
    Factory,
}

/// What a registration registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Registered {
    /// A tool.
    Tool,
    /// A resource or resource template.
    Resource,
    /// A prompt.
    Prompt,
    /// A handler of a request method.
    Method,
}

/// A registration of handlers.
#[derive(Clone, Debug)]
pub struct Registration {
    /// What it registers.
    pub what: Registered,
    /// Its name, or the request schema's name for a method.
    pub name: Option<Name>,
    /// The registering call.
    pub at: ExprRef,
    /// The handlers found so far.
    pub handlers: Vec<FuncRef>,
}
