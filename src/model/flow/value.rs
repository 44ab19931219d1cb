//! Abstract values: what an expression may be.

use crate::model::name::Name;
use crate::model::program::{ClassRef, DeclRef, ExprRef, FuncRef, SymbolRef};
use crate::model::vocabulary::Role;

/// An abstract object: everything created at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjId(pub u32);

impl ObjId {
    /// Position in the table of objects.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place where a session id (or an identity, a credential) enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// Created by an expression.
    Expr(ExprRef),
    /// All instances of a class of the program.
    Class(ClassRef),
    /// Known only by the written type of a symbol.
    Symbol(SymbolRef),
    /// Known only by a declared type.
    Decl(DeclRef),
    /// A part of another object that an SDK provides (`server.transport`).
    Part(ObjId, Name),
    /// A parameter that an SDK fills.
    Param(FuncRef, u32),
}

/// An abstract object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it comes from.
    pub site: Site,
    /// The role it plays, if the vocabulary knows one.
    pub role: Option<Role>,
    /// The class it is an instance of.
    pub class: Option<ClassRef>,
    /// The external name it is an instance of: package and path.
    pub external: Option<(Name, Name)>,
}

/// How a session id (or other tracked text) enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceKind {
    /// The raw header of an HTTP request, in a route.
    Header,
    /// The raw header, as a tool handler sees it.
    ToolHeader,
    /// The SDK's id in a handler's context.
    Context,
    /// The id of a transport object.
    Transport,
    /// The id of a legacy SSE transport.
    SseTransport,
    /// The argument of the callback that a new session runs.
    Initialized,
    /// The argument of the callback that the end of a session runs.
    Closed,
    /// An id that the program made itself and gives to the transport or the client.
    Minted,
    /// A query parameter of the SSE era.
    Query,
    /// An id that the SDK makes up for each request that has no session.
    Fresh,
    /// What was an id once and is now always absent.
    Missing,
    /// What was an id once; reading it is an error now.
    Removed,
    /// The identity of an object that stands for the session.
    Identity,
}

/// An entry point of a tracked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceInfo {
    /// What it is.
    pub kind: SourceKind,
    /// Where it enters.
    pub at: ExprRef,
}

/// An abstract value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An object.
    Object(ObjId),
    /// A function.
    Func(FuncRef),
    /// A class.
    Class(ClassRef),
    /// A module of the program as a value.
    Namespace(u32),
    /// A name of a package outside the program.
    External(Name, Name),
    /// A method of an object that the vocabulary knows.
    Method(ObjId, Name),
    /// A session id.
    Id(SourceId),
    /// A credential or identity of one HTTP request, taken at the given expression.
    Credential(ExprRef),
    /// An argument of a tool, as the model passes it.
    Argument(FuncRef),
    /// A literal text.
    Text(Name),
    /// A random id.
    Random(ExprRef),
    /// The absent value.
    Absent,
}
