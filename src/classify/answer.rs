//! What a scan says of a server, as data. The ids are those of SEP-2567 and of the scan's JSON contract.

use serde::Serialize;

pub use crate::workspace::upgrades::ChangeKind;

/// Declares a closed vocabulary with its published ids.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $id:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $id)] $variant,)* }
        impl $name {
            /// Every member, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The published id.
            pub fn id(self) -> &'static str { match self { $(Self::$variant => $id,)* } }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.id()) }
        }
    };
}

vocabulary! {
    /// The six survey categories of SEP-2567, least severe first (the order is the rank).
    Category {
        /// No application-level reference to the MCP session.
        None = "none",
        /// Only the transport is set up with sessions.
        SetupOnly = "setup-only",
        /// A map from session id to transport.
        TransportMap = "transport-map",
        /// Application state kept by session.
        AppState = "app-state",
        /// Credentials, claims or owner checks bound to the session.
        Auth = "auth",
        /// One upstream or child process per session, sticky routing.
        Gateway = "gateway",
    }
}

vocabulary! {
    /// What is reported beside the category.
    Facet {
        /// Logs, metrics or limits keyed by session.
        Telemetry = "telemetry",
        /// A list endpoint that varies by connection or earlier calls.
        MutableList = "mutable-list",
        /// Mutable state of the process (stdio, or shared by all clients).
        ProcessState = "process-state",
        /// Sessionless set-up exists, perhaps as an option.
        StatelessAlready = "stateless-already",
        /// State is already named by handles.
        HandlesAlready = "handles-already",
        /// A modern (2026-07-28) entry point exists.
        Migrated = "migrated",
        /// Sessions are on by an SDK default.
        ImplicitSessions = "implicit-sessions",
        /// The code is (also) an MCP client.
        Client = "client",
        /// The server calls its client.
        ServerInitiated = "server-initiated",
        /// Streams can be resumed.
        Resumability = "resumability",
        /// An SDK's session-shaped API is used.
        SessionApi = "session-api",
        /// The HTTP+SSE transport is served.
        SseLegacy = "sse-legacy",
        /// One upstream shared by all clients.
        SharedUpstream = "shared-upstream",
        /// Session code that does nothing any more.
        DeadSessionCode = "dead-session-code",
    }
}

vocabulary! {
    /// What a store holds.
    Holds {
        /// State of the application.
        AppState = "app-state",
        /// Transports (with the server and bookkeeping beside them).
        Transport = "transport",
        /// Upstream clients, child processes, backend addresses.
        Upstream = "upstream",
        /// Credentials and identities.
        Auth = "auth",
        /// What admits or refuses later calls.
        Guard = "guard",
        /// Counts, limits, labels.
        Telemetry = "telemetry",
        /// What the client said of itself.
        ClientInfo = "client-info",
        /// Who wants to be told of what.
        Subscription = "subscription",
    }
}

vocabulary! {
    /// Where the state of a store belongs once there is no session.
    Carrier {
        /// A handle that a `create_*` tool returns.
        Handle = "handle",
        /// An ordinary required argument.
        Argument = "argument",
        /// The server's URL or start flags.
        Address = "address",
        /// The authenticated user.
        Principal = "principal",
        /// The request itself.
        Request = "request",
        /// A multi-round-trip request (`input_required`).
        Mrtr = "mrtr",
        /// The tasks extension.
        Tasks = "tasks",
        /// The process: no session state.
        Process = "process",
        /// It goes away.
        Drop = "drop",
        /// A human decides.
        Manual = "manual",
    }
}

vocabulary! {
    /// What a modern request meets on the newest SDK release.
    Failure {
        /// State silently empty on the next call.
        Lost = "lost",
        /// One bucket shared by all.
        Collapsed = "collapsed",
        /// The caller chooses the key.
        Spoofed = "spoofed",
        /// A loud error on every call.
        Refused = "refused",
        /// A check that no longer protects.
        Unguarded = "unguarded",
        /// Code that no longer does anything.
        Dead = "dead",
        /// Legal as it stands.
        Works = "works",
    }
}

vocabulary! {
    /// What a store is keyed by.
    KeyedBy {
        /// The session id.
        SessionId = "session-id",
        /// An object that stands for the session.
        SessionObject = "session-object",
        /// Nothing: the store itself lives as long as the session.
        SessionLifetime = "session-lifetime",
        /// A bag that the SDK keeps per session.
        SessionApi = "session-api",
        /// Nothing: it lives as long as the process.
        Process = "process",
    }
}

vocabulary! {
    /// How strong the server's notion of its caller is.
    Principal {
        /// Nobody is authenticated.
        None = "none",
        /// One key or client id for everybody.
        App = "app",
        /// Each user is known.
        User = "user",
    }
}

vocabulary! {
    /// What a package is to the protocol.
    Role {
        /// It serves.
        Server = "server",
        /// It calls servers.
        Client = "client",
        /// Both.
        Both = "both",
        /// It is used by servers.
        Library = "library",
    }
}

vocabulary! {
    /// Which revision family the SDK in use speaks.
    Era {
        /// Sessions: revisions up to 2025-11-25 only.
        Legacy = "legacy",
        /// Speaks 2026-07-28.
        Modern = "modern",
    }
}

/// A place in a file: 1-based line, 1-based column in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Path relative to the scan's root.
    pub path: String,
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// A field of a store's value, with its readers and writers as `path:line`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreField {
    /// Its name.
    pub name: String,
    /// Where it is read.
    pub readers: Vec<String>,
    /// Where it is written.
    pub writers: Vec<String>,
}

/// Something that is kept per session (or, as a note, per process).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Store {
    /// `path#name`, unique within the scan.
    pub id: String,
    /// Variable, field or captured local; for an external store the literal part of its key.
    pub name: String,
    /// Container type as the code names it (`Map`, `Record`, `LRUCache`, `redis`, `variable`, `field` …).
    pub container: String,
    /// What keys it.
    pub keyed_by: KeyedBy,
    /// Type of the value as written or inferred; null if unknown.
    pub value: Option<String>,
    /// What it holds.
    pub holds: Holds,
    /// Where it belongs.
    pub carrier: Carrier,
    /// What becomes of it.
    pub failure: Failure,
    /// Names of the tools that reach it, sorted.
    pub tools: Vec<String>,
    /// Fields of the value that are read or written.
    pub fields: Vec<StoreField>,
    /// Its declaration.
    pub at: Place,
}

/// The SDK or framework that a server is built on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SdkAnswer {
    /// Package name.
    pub name: String,
    /// The manifest's requirement.
    pub requirement: Option<String>,
    /// The version resolved by lock file or exact pin.
    pub resolved: Option<String>,
    /// Era of that version; null if it can't be told.
    pub era: Option<Era>,
}

/// One package × language that constructs a server (or is a client or library of interest).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Server {
    /// The package's folder relative to the root; `.` for the root itself.
    pub path: String,
    /// `typescript`, `javascript`, `python`, `rust`.
    pub language: &'static str,
    /// Its role.
    pub role: Role,
    /// SDK in use; null for a hand-written protocol.
    pub sdk: Option<SdkAnswer>,
    /// The most severe category.
    pub category: Category,
    /// All found, see the contract.
    pub categories: Vec<Category>,
    /// Facets, sorted.
    pub facets: Vec<Facet>,
    /// Strength of the principal.
    pub principal: Principal,
    /// Where the principal is established.
    pub principal_at: Option<Place>,
    /// Stores.
    pub stores: Vec<Store>,
    /// What says that it runs in several processes, by place.
    pub processes: Vec<Processes>,
    /// What a package that moves to another version would change, for each that was asked about.
    pub upgrades: Vec<Upgrade>,
}

/// What one package that moves to another version changes for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Upgrade {
    /// The package as it is asked about.
    pub package: String,
    /// The version in use, as far as it is known.
    pub from: Option<String>,
    /// The version it moves to, as it was given.
    pub to: String,
    /// What changes.
    pub changes: Vec<UpgradeChange>,
}

/// One thing that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UpgradeChange {
    /// What kind of thing.
    pub kind: ChangeKind,
    /// What changes.
    pub message: String,
    /// Where the code meets it; nowhere in particular where that is empty.
    pub at: Vec<Place>,
}

/// Something in the repository that says that a server runs in several processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Processes {
    /// What it says.
    pub reason: String,
    /// Where.
    pub at: Place,
}
