//! Phrases about one server that several formats share.

use super::words;
use crate::classify::answer::{Category, Era, Server};

/// Whether there is nothing to say about a server but its name.
pub fn is_quiet(server: &Server) -> bool {
    server.category == Category::None && server.stores.is_empty()
}

/// The SDK, its version and what it speaks.
pub fn sdk(server: &Server) -> String {
    let Some(sdk) = &server.sdk else {
        return "none; the protocol is written by hand".to_owned();
    };
    let version = match (&sdk.resolved, &sdk.requirement) {
        (Some(resolved), _) => resolved.clone(),
        (None, Some(requirement)) => format!("{requirement} (no lock file)"),
        (None, None) => "version not known".to_owned(),
    };
    let era = match sdk.era {
        Some(Era::Legacy) => ", speaks revisions up to 2025-11-25",
        Some(Era::Modern) => ", speaks 2026-07-28",
        None => "",
    };
    format!("{} {version}{era}", sdk.name)
}

/// The category, what it means, and the others found.
pub fn categories(server: &Server) -> String {
    let others: Vec<&str> =
        server.categories.iter().filter(|c| **c != server.category && **c != Category::None).map(|c| c.id()).collect();
    let meaning = words::category(server.category);
    if others.is_empty() {
        format!("{}: {meaning}", server.category)
    } else {
        format!("{}: {meaning} (also {})", server.category, others.join(", "))
    }
}
