//! One file per rule: documentation, metadata, detection on the model. A rule never prints and never edits.

pub mod dead_session_code;
pub mod detect;
pub mod finding;
pub mod handle_not_usable;
pub mod handle_registry_in_factory;
pub mod handshake_client_info;
pub mod implicit_sessions;
pub mod process_lifetime_state;
pub mod rule;
pub mod server_initiated_request;
pub mod session_bound_auth;
pub mod session_dependent_list;
pub mod session_fallback_bucket;
pub mod session_gateway;
pub mod session_guard;
pub mod session_keyed_state;
pub mod session_keyed_telemetry;
pub mod session_object_key;
pub mod session_scoped_server;
pub mod session_state_api;
pub mod session_transport_map;
pub mod session_transport_setup;
pub mod shared_stateless_server;
pub mod stateless_capability;
pub mod stream_resumability;
pub mod unused_allow;

pub use rule::{Docs, Example, Level, Rule};

/// Every rule, in the order in which they are best read.
pub const ALL: &[&Rule] = &[
    &session_transport_setup::RULE,
    &session_transport_map::RULE,
    &session_keyed_state::RULE,
    &session_scoped_server::RULE,
    &session_object_key::RULE,
    &session_state_api::RULE,
    &session_bound_auth::RULE,
    &session_gateway::RULE,
    &session_guard::RULE,
    &session_keyed_telemetry::RULE,
    &session_fallback_bucket::RULE,
    &session_dependent_list::RULE,
    &process_lifetime_state::RULE,
    &implicit_sessions::RULE,
    &dead_session_code::RULE,
    &shared_stateless_server::RULE,
    &stateless_capability::RULE,
    &handshake_client_info::RULE,
    &server_initiated_request::RULE,
    &stream_resumability::RULE,
    &handle_not_usable::RULE,
    &handle_registry_in_factory::RULE,
    &unused_allow::RULE,
];

/// A name that no rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The name that was asked for.
    pub name: String,
    /// The rule whose name is nearest, where one is near enough to be meant.
    pub nearest: Option<&'static str>,
}

impl std::fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no rule named `{}`", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownRule {}

/// The rule of this name.
pub fn find(name: &str) -> Result<&'static Rule, UnknownRule> {
    if let Some(rule) = ALL.iter().find(|r| r.name == name) {
        return Ok(rule);
    }
    let wanted = name.trim().to_lowercase().replace(['_', ' '], "-");
    let nearest = ALL
        .iter()
        .map(|r| (strsim::damerau_levenshtein(&wanted, r.name), r.name))
        .min()
        .filter(|(distance, near)| *distance <= 2.max(near.len() / 4))
        .map(|(_, near)| near)
        .or_else(|| ALL.iter().map(|r| r.name).find(|n| wanted.len() >= 4 && n.contains(&wanted)));
    Err(UnknownRule { name: name.to_owned(), nearest })
}
