//! The vocabulary of the answers in words. Sentences describe and advise; they do not rate and do not hurry.

use crate::classify::answer::{Carrier, Category, Facet, Failure, Holds, KeyedBy, Principal, Role};
use crate::rules::finding::Severity;

/// What the category means, to follow "the category: ".
pub fn category(category: Category) -> &'static str {
    match category {
        Category::None => "nothing in the application refers to the MCP session",
        Category::SetupOnly => "sessions are switched on, but the application never uses the session id",
        Category::TransportMap => "the session id only finds the transport again",
        Category::AppState => "the application keeps state by session",
        Category::Auth => "credentials or identities are bound to the session",
        Category::Gateway => "the session decides which upstream or child process answers",
    }
}

/// The share of such repositories in the survey of SEP-2567, as a percentage.
pub fn share(category: Category) -> &'static str {
    match category {
        Category::None => "90.0",
        Category::SetupOnly => "2.8",
        Category::TransportMap => "3.5",
        Category::AppState => "2.5",
        Category::Auth => "0.5",
        Category::Gateway => "0.7",
    }
}

/// What to do about a server of this category, where its stores say no more.
pub fn to_do(category: Category) -> &'static str {
    match category {
        Category::None => "Nothing.",
        Category::SetupOnly => {
            "Switch the SDK to its sessionless mode, and build the server and its transport per request where they are \
             shared now."
        }
        Category::TransportMap => {
            "Serve each request on its own: the map, its routes and its clean-up go together, in one change."
        }
        Category::AppState => "Give each kind of state its carrier first; then take the session away.",
        Category::Auth => "Authenticate every request on its own; a person should read this change.",
        Category::Gateway => "Decide first what a request is routed by; this is a design, not an edit.",
    }
}

/// The facet in words.
pub fn facet(facet: Facet) -> &'static str {
    match facet {
        Facet::Telemetry => "logs, metrics or limits are keyed by session",
        Facet::MutableList => "a list endpoint varies by connection or by earlier calls",
        Facet::ProcessState => "mutable state lives as long as the process",
        Facet::StatelessAlready => "a sessionless set-up is there already",
        Facet::HandlesAlready => "state is named by handles already",
        Facet::Migrated => "an entry point for 2026-07-28 is there already",
        Facet::ImplicitSessions => "sessions are on by a default of the SDK",
        Facet::Client => "the code is also an MCP client",
        Facet::ServerInitiated => "the server sends requests to its client",
        Facet::Resumability => "streams can be resumed",
        Facet::SessionApi => "a session-shaped API of the SDK is used",
        Facet::SseLegacy => "the older HTTP+SSE transport is served",
        Facet::SharedUpstream => "all clients share one upstream",
        Facet::DeadSessionCode => "session code is left that does nothing any more",
    }
}

/// What a store holds, in words.
pub fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::AppState => "application state",
        Holds::Transport => "transports",
        Holds::Upstream => "upstreams",
        Holds::Auth => "credentials",
        Holds::Guard => "a guard",
        Holds::Telemetry => "counts and labels",
        Holds::ClientInfo => "client info",
        Holds::Subscription => "subscriptions",
    }
}

/// The failure in a table's cell.
pub fn failure(failure: Failure) -> &'static str {
    match failure {
        Failure::Lost => "empty again on every call",
        Failure::Collapsed => "one bucket for all callers",
        Failure::Spoofed => "the caller chooses the key",
        Failure::Refused => "an error on every call",
        Failure::Unguarded => "the check no longer protects",
        Failure::Dead => "does nothing any more",
        Failure::Works => "goes on working",
    }
}

/// What a request of revision 2026-07-28 meets on the newest SDK, to follow "baskets: ".
pub fn on_upgrade(failure: Failure) -> &'static str {
    match failure {
        Failure::Lost => "silently empty again on the next call, since what was kept per session lives for one request",
        Failure::Collapsed => {
            "one bucket that all callers share, since every request then has the same key; callers see each other's data"
        }
        Failure::Spoofed => "opened by whatever the caller writes into the header, since nobody vouches for that value",
        Failure::Refused => "an error on every call that needs it, since no session id arrives",
        Failure::Unguarded => "callers without a session id are let through, so the check no longer protects",
        Failure::Dead => "not reached any more",
        Failure::Works => "goes on working as it stands",
    }
}

/// The carrier in a table's cell.
pub fn carrier(carrier: Carrier) -> &'static str {
    match carrier {
        Carrier::Handle => "handle",
        Carrier::Argument => "argument",
        Carrier::Address => "address",
        Carrier::Principal => "principal",
        Carrier::Request => "request",
        Carrier::Mrtr => "input_required",
        Carrier::Tasks => "tasks",
        Carrier::Process => "process",
        Carrier::Drop => "none, it goes",
        Carrier::Manual => "you decide",
    }
}

/// What to do with a store of this carrier, as an imperative with the store's name before it ("baskets: …").
pub fn move_to(carrier: Carrier, holds: Holds) -> &'static str {
    match (carrier, holds) {
        (_, Holds::Guard) if carrier == Carrier::Manual => {
            "decide what the guard is about (a user, a call, a resource) before the session goes; a handle would let the \
             model carry its own permission"
        }
        (Carrier::Handle, _) => {
            "return a handle from a create tool and take it as the first, required argument of the tools that use the state"
        }
        (Carrier::Argument, _) => {
            "make the choice an ordinary required argument of the tools that read it; the tool that set it goes"
        }
        (Carrier::Address, _) => "put the choice into the server's URL or start flags; it is constant for a client",
        (Carrier::Principal, _) => "key it by the authenticated user: issuer, client and subject",
        (Carrier::Request, _) => {
            "take what is needed from the request itself, or key it by the user or the network address"
        }
        (Carrier::Mrtr, _) => "answer input_required and let the client retry with the missing input",
        (Carrier::Tasks, _) => "run it as a task of the tasks extension",
        (Carrier::Process, _) => "leave it: it belongs to the process, not to a session",
        (Carrier::Drop, Holds::Transport) => {
            "it goes away with the sessionless transport, together with its routes and clean-up"
        }
        (Carrier::Drop, _) => "it goes away",
        (Carrier::Manual, Holds::Auth) => {
            "decide by hand: authenticate each request, or keep a nonce in the OAuth state; credentials never become handles"
        }
        (Carrier::Manual, Holds::Upstream) => {
            "decide what a request is routed by: the user, a handle that names the upstream, or an upstream without state"
        }
        (Carrier::Manual, Holds::Subscription) => {
            "decide by hand: it follows a standing connection, which `subscriptions/listen` replaces"
        }
        (Carrier::Manual, _) => "decide by hand where it belongs",
    }
}

/// The strength of the principal in words.
pub fn principal(principal: Principal) -> &'static str {
    match principal {
        Principal::None => "nobody is authenticated",
        Principal::App => "one key or client id for everybody",
        Principal::User => "each user is known",
    }
}

/// The role in words.
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Server => "server",
        Role::Client => "client",
        Role::Both => "server and client",
        Role::Library => "library for servers",
    }
}

/// The severity in one word.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The language as people write it.
pub fn language(id: &str) -> &str {
    match id {
        "typescript" => "TypeScript",
        "javascript" => "JavaScript",
        "python" => "Python",
        "rust" => "Rust",
        other => other,
    }
}

/// What keys a store, to follow "kept ".
pub fn keyed_by(keyed_by: KeyedBy) -> &'static str {
    match keyed_by {
        KeyedBy::SessionId => "by session id",
        KeyedBy::SessionObject => "by an object that stands for the session",
        KeyedBy::SessionLifetime => "as long as a session lives",
        KeyedBy::SessionApi => "in the SDK's store per session",
        KeyedBy::Process => "as long as the process lives",
    }
}
