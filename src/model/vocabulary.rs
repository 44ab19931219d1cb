//! What names mean: the roles that things play and the operations that calls perform, for one language's SDKs, frameworks and
//! built-ins. The tables are data (`grammars/<language>/sdk.toml`), compiled in at build time.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// Declares a closed set of ids that the data files use.
macro_rules! ids {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $id:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// The member that the data files call `id`.
            pub const fn from_id(id: &str) -> Option<Self> {
                $(if same(id, $id) { return Some(Self::$variant); })*
                None
            }
        }
    };
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

ids! {
    /// What a value is to the protocol and to the program around it.
    Role {
        /// An MCP server object.
        Server = "server",
        /// A transport of the streamable HTTP kind, that can hold sessions.
        Transport = "transport",
        /// A transport of the HTTP+SSE kind; it always has a session.
        SseTransport = "sse-transport",
        /// What makes a transport for each session, or none.
        SessionManager = "session-manager",
        /// A stdio transport.
        StdioTransport = "stdio-transport",
        /// A handler that builds a server for each request.
        RequestEntry = "request-entry",
        /// A server base class behind which a framework keeps sessions.
        SessionFramework = "session-framework",
        /// An MCP client.
        Client = "client",
        /// A client's transport.
        ClientTransport = "client-transport",
        /// A child process.
        ChildProcess = "child-process",
        /// What a tool handler gets beside its arguments.
        HandlerContext = "handler-context",
        /// The same, of an SDK that makes up a session id for each request that has none.
        SessionContext = "session-context",
        /// What middleware around handlers gets.
        MiddlewareContext = "middleware-context",
        /// The session object of an SDK.
        SessionObject = "session-object",
        /// The request inside the handler context.
        RequestInfo = "request-info",
        /// Verified identity of the caller of one request.
        AuthInfo = "auth-info",
        /// A server's table of low-level handlers: what is put in is registered.
        HandlerTable = "handler-table",
        /// A registered tool, resource or prompt, that can be switched off.
        Registration = "registration",
        /// A server-side HTTP request.
        Request = "request",
        /// Headers of a server-side request.
        Headers = "headers",
        /// Headers of the request as a tool handler sees them.
        ContextHeaders = "context-headers",
        /// Query of a server-side request.
        Query = "query",
        /// Parameters in the path of a server-side request.
        PathParameters = "path-parameters",
        /// Headers of a request without those that belong to the protocol.
        StrippedHeaders = "stripped-headers",
        /// What all code that serves one request shares: an ASGI scope, a request's state.
        RequestScope = "request-scope",
        /// A server-side HTTP response.
        Response = "response",
        /// What an HTTP client got back.
        FetchResponse = "fetch-response",
        /// An HTTP client.
        HttpClient = "http-client",
        /// A router or web application.
        Router = "router",
        /// A web application behind a variable method: `app[method]`.
        HttpServer = "http-server",
        /// A map.
        Map = "map",
        /// A map that holds its keys weakly.
        WeakMap = "weak-map",
        /// A set.
        Set = "set",
        /// A cache with expiry or bound.
        Cache = "cache",
        /// A list.
        List = "list",
        /// A store outside the process.
        External = "external-store",
        /// A connection to a database, or a cursor of it.
        Database = "database",
        /// The `_meta` of a message, where a route may put what handlers read.
        MessageMeta = "message-meta",
        /// A statement that was prepared, or that values are bound to.
        Statement = "statement",
        /// A value carried along the asynchronous call chain.
        AsyncContext = "async-context",
        /// A timer.
        Timer = "timer",
        /// A logger.
        Logger = "logger",
        /// A meter, span, analytics client.
        Telemetry = "telemetry",
        /// A rate limiter.
        Limiter = "limiter",
        /// An event store for resumable streams.
        EventStore = "event-store",
        /// What the model passes to a tool.
        Arguments = "arguments",
        /// The options of a transport.
        TransportOptions = "transport-options",
        /// A session manager that opens no session.
        NoSessions = "no-sessions",
        /// A bag of values of many types that belongs to one request.
        Extensions = "extensions",
        /// What middleware has attached to a request, by type: who is calling, above all.
        Attached = "attached",
        /// A place for one value that changes behind shared references: a lock, an atomic number.
        Cell = "cell",
        /// What something outside holds open for whoever has it: a browser, a remote shell, a socket, an interpreter.
        Live = "live",
        /// One end of a channel between tasks.
        Channel = "channel",
        /// A response that streams events.
        EventStream = "event-stream",
        /// A date.
        Date = "date",
        /// A promise-like or other value with nothing of interest.
        Plain = "plain",
    }
}

ids! {
    /// What a call does.
    Op {
        /// Registers a tool: name, …, handler last.
        RegisterTool = "register-tool",
        /// Registers a tool given as one object with a handler field.
        RegisterToolObject = "register-tool-object",
        /// Registers a resource.
        RegisterResource = "register-resource",
        /// Registers a prompt.
        RegisterPrompt = "register-prompt",
        /// Registers a low-level request handler: schema, handler.
        RequestHandler = "request-handler",
        /// Registers the function given to it as a tool, or answers what will.
        DecorateTool = "decorate-tool",
        /// The same for a resource.
        DecorateResource = "decorate-resource",
        /// The same for a prompt.
        DecoratePrompt = "decorate-prompt",
        /// The same for a low-level request handler.
        DecorateMethod = "decorate-method",
        /// The same for a route.
        DecorateRoute = "decorate-route",
        /// Given as an option: runs when a session begins (and, on newer releases, when the process does).
        SessionLifespan = "session-lifespan",
        /// Given as an option: runs when the process begins.
        ProcessLifespan = "process-lifespan",
        /// Given as an option: the session id that a transport shall have, or none.
        SessionOption = "session-option",
        /// Connects a server to a transport.
        Connect = "connect",
        /// A transport answers a request.
        HandleRequest = "handle-request",
        /// Tells the client that a list changed.
        ListChanged = "list-changed",
        /// Sends a notification outside a request.
        Notify = "notify",
        /// Calls the client and waits for its answer.
        AskClient = "ask-client",
        /// Sends a log message to the client.
        LogMessage = "log-message",
        /// Reads what the client said in the handshake.
        ClientInfo = "client-info",
        /// Switches a registration.
        Switch = "switch",
        /// Says whether a body is an initialize request.
        IsInitialize = "is-initialize",
        /// Tells requests of earlier revisions from those of the newest.
        IsLegacy = "is-legacy",
        /// Serves a factory, one server per request.
        ServePerRequest = "serve-per-request",
        /// Serves each request with a server that the library makes and the given function fills.
        ServeInit = "serve-init",
        /// Wraps a handler; the value passes through.
        Wrap = "wrap",
        /// Calls the first argument with the others.
        Apply = "apply",
        /// Connects a client to an upstream.
        ConnectClient = "connect-client",
        /// Starts a process.
        Spawn = "spawn",
        /// Reads by key.
        Get = "get",
        /// Writes by key.
        Put = "put",
        /// Asks by key.
        Has = "has",
        /// Removes by key.
        Remove = "remove",
        /// Reads by key, creating where absent.
        GetOrInsert = "get-or-insert",
        /// Removes by key and reads what was there.
        Extract = "extract",
        /// Takes over the entries of what is given.
        Merge = "merge",
        /// Makes a map whose reads create: the callback makes a value.
        DefaultMap = "default-map",
        /// Runs a statement of a query language with values.
        Query = "query",
        /// Removes everything.
        Clear = "clear",
        /// Adds an element.
        Add = "add",
        /// Takes an element out, or reads one by position.
        Take = "take",
        /// Looks an element up with a callback.
        Find = "find",
        /// Runs a callback on each element.
        Each = "each",
        /// Runs a callback on each key and value, as two parameters or a pair.
        EachPair = "each-pair",
        /// Runs a callback on each element and collects what it returns.
        Collect = "collect",
        /// A collection of the same elements.
        Same = "same",
        /// All keys.
        Keys = "keys",
        /// All values.
        Values = "values",
        /// All entries.
        Entries = "entries",
        /// The receiver (or first argument) passes through.
        Pass = "pass",
        /// A string made of the receiver (or first argument).
        AsText = "as-text",
        /// A route with handlers.
        Route = "route",
        /// A route given as an object.
        RouteObject = "route-object",
        /// Starts serving with a handler.
        Serve = "serve",
        /// Reads a header (or another request value) by name.
        HeaderGet = "header-get",
        /// Sets a header.
        HeaderSet = "header-set",
        /// Runs a callback with a context value.
        ContextRun = "context-run",
        /// Sets the context value.
        ContextSet = "context-set",
        /// Reads the context value.
        ContextGet = "context-get",
        /// Makes a random id.
        RandomId = "random-id",
        /// Writes a log line.
        Log = "log",
        /// Records a metric, span or analytics event.
        Measure = "measure",
        /// Starts a timer.
        StartTimer = "start-timer",
        /// Stops a timer.
        StopTimer = "stop-timer",
        /// Runs a callback later with the receiver's value.
        Then = "then",
        /// Calls an HTTP server elsewhere.
        Fetch = "fetch",
        /// Sends something to an HTTP server elsewhere.
        Send = "send",
        /// The headers of the request at hand: those of the protocol only where asked for.
        RequestHeaders = "request-headers",
        /// A parameter that the framework fills from a header.
        HeaderParameter = "header-parameter",
        /// A parameter that the framework fills with what the callback returns.
        Inject = "inject",
        /// Authenticates requests.
        Authenticate = "authenticate",
        /// Reads or writes a bag that the SDK keeps per session.
        StateGet = "state-get",
        /// See [`Op::StateGet`].
        StateSet = "state-set",
        /// Given as an option: what is set is set for the request alone.
        RequestOnly = "request-only",
        /// As a base class: it stands for every class that has its methods.
        StructuralType = "structural-type",
        /// As a constructor: what it makes keeps a connection to another server for each session.
        SessionUpstreams = "session-upstreams",
        /// As a base class: the instances are rows of a database's table.
        Table = "table",
        /// Changes what one session may see.
        SessionVisibility = "session-visibility",
        /// The identity of an object as a number.
        IdentityOf = "identity-of",
        /// Serves a factory: one server per session, or per request where sessions are switched off.
        ServeSessions = "serve-sessions",
        /// Sets an option of the receiver, named like the call; the receiver passes through.
        Configure = "configure",
        /// Makes an instance of the type that it is called on.
        Construct = "construct",
        /// Makes a value of the type that its use asks for.
        Make = "make",
        /// Runs a callback with the value, where there is one; the result is what it returns.
        MapValue = "map-value",
        /// Changes the receiver in place.
        Change = "change",
        /// Reads a value by its type.
        TypedGet = "typed-get",
        /// Marks a function that runs when a session opens.
        OnStart = "on-start",
        /// Marks a function that runs when its object goes away.
        OnEnd = "on-end",
        /// A route, layer or service with handlers whose parameters say by their types what they take.
        RouteTyped = "route-typed",
    }
}

ids! {
    /// What a member read yields besides a role.
    Source {
        /// The session id as the SDK hands it to a tool handler.
        ContextId = "context-id",
        /// An id that the SDK makes up anew for each request without a session.
        FreshId = "fresh-id",
        /// What was once an id and is now always absent.
        MissingId = "missing-id",
        /// What was once an id; reading it is an error on the newest release.
        RemovedId = "removed-id",
        /// What the server's lifespan hands over.
        Lifespan = "lifespan",
        /// The session id of a live transport.
        TransportId = "transport-id",
        /// The verified identity of a request's caller.
        Identity = "identity",
        /// What the client said of itself.
        ClientInfo = "client-info",
    }
}

/// An exported name of a package, or a global.
#[derive(Debug)]
pub struct ExportRow {
    /// Package; empty for a global of the language.
    pub from: &'static str,
    /// Exported name (`default` for a default export); a dotted path for a member of it.
    pub name: &'static str,
    /// Role of an instance of it, of a value typed with it, or of what calling it returns.
    pub gives: Option<Role>,
    /// What calling (or constructing) it does. For the path `Class.option`: what giving the option to the constructor does.
    pub does: Option<Op>,
    /// The text that it is a constant for.
    pub text: Option<&'static str>,
}

/// A member of everything that plays a role.
#[derive(Debug)]
pub struct MemberRow {
    /// The role.
    pub of: Role,
    /// The member.
    pub name: &'static str,
    /// Role of what reading it, or calling it, yields.
    pub gives: Option<Role>,
    /// What calling it does.
    pub does: Option<Op>,
    /// What reading it yields.
    pub source: Option<Source>,
}

/// An option that switches sessions on or off.
#[derive(Debug)]
pub struct SwitchRow {
    /// The option, as a field or as the call that sets it.
    pub name: &'static str,
    /// The value that switches sessions on.
    pub on: &'static str,
}

/// Names by which a server is set up and served, where calls and settings say whether there are sessions. Empty where a language has
/// no such names.
#[derive(Debug)]
pub struct SetupNames {
    /// Keywords and settings that switch sessions off where they are true.
    pub switches: &'static [&'static str],
    /// The member of a server that holds its settings.
    pub settings: &'static str,
    /// The environment variable that does the same.
    pub environment: &'static str,
    /// The method that sets a variable of the environment where it is not set.
    pub if_unset: &'static str,
    /// The keyword that says over what a server is served.
    pub transport: &'static str,
    /// What it says for HTTP.
    pub http: &'static [&'static str],
    /// What it says for HTTP+SSE.
    pub sse: &'static [&'static str],
    /// Methods that serve over what that keyword says.
    pub run: &'static [&'static str],
    /// Methods that serve over HTTP, whoever has them.
    pub run_http: &'static [&'static str],
    /// Methods of a server that serve over HTTP unless the keyword says otherwise.
    pub run_app: &'static [&'static str],
    /// Methods that serve over HTTP+SSE.
    pub run_sse: &'static [&'static str],
    /// The keyword that gives an event store.
    pub event_store: &'static str,
    /// The server class of releases that speak the modern revision.
    pub modern: &'static str,
    /// What keywords begin with that give such a server its handlers.
    pub hook: &'static str,
    /// The member of the SDK's session manager that holds the sessions.
    pub counted: &'static str,
    /// Calls that read a variable of the environment by its name.
    pub environment_reads: &'static [&'static str],
    /// Methods that give a text in one spelling.
    pub normalizes: &'static [&'static str],
    /// Built-ins that hand on what they are given.
    pub converts: &'static [&'static str],
    /// Calls that declare a field of settings with its default.
    pub fields: &'static [&'static str],
    /// The method that declares an option of the command line.
    pub option: &'static str,
}

/// What a function is whose last parameters have these names: something outside runs it for a request.
#[derive(Debug)]
pub struct Signature {
    /// Names of the parameters.
    pub params: &'static [&'static str],
    /// The role of the first of them.
    pub gives: Role,
}

/// How a language (with its SDKs) differs from others where the model has to know.
#[derive(Debug)]
pub struct Traits {
    /// Reading an absent key, attribute or element is an error.
    pub absent_raises: bool,
    /// A table of transports filled by hand keeps working: clients fall back to the old era.
    pub transport_table_works: bool,
    /// A function that builds a server runs once for each session, as far as its package shows.
    pub factory_per_session: bool,
    /// An instance shows the attributes of its class.
    pub class_attributes: bool,
    /// Handlers get arguments by name, and what else they get by the types they declare.
    pub handlers_by_type: bool,
    /// The parts of a package's dotted names do not matter but for the last ones.
    pub dotted: bool,
    /// Names of other modules are in sight without being bound (`from m import *`).
    pub open_imports: bool,
    /// What an object literal acts as.
    pub object_literal: Option<Role>,
    /// The method that makes an object callable.
    pub call_method: &'static str,
    /// The methods that say what a context manager hands over.
    pub enter_methods: &'static [&'static str],
    /// The name of a module that stands for its folder.
    pub index_module: &'static str,
    /// How the language calls an object literal, a list, a set, a map, a weak map.
    pub containers: [&'static str; 5],
    /// What stands around type arguments.
    pub generics: [&'static str; 2],
    /// A server factory is always handed to the SDK: a function that nothing calls is none.
    pub explicit_factories: bool,
    /// What is written as the base of a class is the class itself, continued in another place; a class plays the roles of what it
    /// implements.
    pub partial_classes: bool,
    /// Whoever makes an instance gives each field its value: the written type of a field speaks only where that says nothing.
    pub full_construction: bool,
    /// Every transport of a release that speaks the modern revision serves it, whatever its options say of sessions.
    pub modern_by_version: bool,
    /// The SDK hands the raw session header of a request to tools, whatever the revision: the caller chooses it.
    pub raw_header: bool,
    /// Names of handler parameters that are the context where no type says so.
    pub context_names: &'static [&'static str],
    /// The keyword for the value that something has before it is set.
    pub default_name: &'static str,
}

/// The tables of one language.
#[derive(Debug)]
pub struct Tables {
    /// How the language differs.
    pub traits: Traits,
    /// Functions that are known by their parameters' names.
    pub signatures: &'static [Signature],
    /// Options that switch sessions.
    pub switches: &'static [SwitchRow],
    /// Names of setting up and serving.
    pub setup: SetupNames,
    /// Exports, sorted by (name, package).
    pub exports: &'static [ExportRow],
    /// Members, sorted by name.
    pub members: &'static [MemberRow],
    /// Members of anything whose role is unknown, by name: what the call most likely does.
    pub anywhere: &'static [(&'static str, Op)],
    /// The same by key, made on first use: the solver asks millions of times.
    pub index: OnceLock<Index>,
}

/// The rows of one language by what they are asked for.
#[derive(Debug, Default)]
pub struct Index {
    exports: FxHashMap<(&'static str, &'static str), &'static ExportRow>,
    members: FxHashMap<(Role, &'static str), &'static MemberRow>,
    anywhere: FxHashMap<&'static str, Op>,
}

impl Tables {
    /// The row of an exported name.
    pub fn export(&self, from: &str, name: &str) -> Option<&'static ExportRow> {
        let exact = |name: &str| self.index().exports.get(&(from, name)).copied();
        let found = exact(name);
        if found.is_some() || !self.traits.dotted {
            return found;
        }
        // `server.lowlevel.Server` and `Server` are one.
        let mut rest = name;
        while let Some((_, after)) = rest.split_once('.') {
            if let Some(found) = exact(after) {
                return Some(found);
            }
            rest = after;
        }
        None
    }

    /// The row of a member.
    pub fn member(&self, of: Role, name: &str) -> Option<&'static MemberRow> {
        self.index().members.get(&(of, name)).copied()
    }

    /// What a call of this name does on a receiver of unknown role.
    pub fn anywhere(&self, name: &str) -> Option<Op> {
        self.index().anywhere.get(name).copied()
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index {
            exports: self.exports.iter().map(|row| ((row.from, row.name), row)).collect(),
            members: self.members.iter().map(|row| ((row.of, row.name), row)).collect(),
            anywhere: self.anywhere.iter().copied().collect(),
        })
    }
}

include!(concat!(env!("OUT_DIR"), "/vocabulary.rs"));
