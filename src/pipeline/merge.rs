//! Adding up what parts of one server told.

use super::upgrades;
use crate::classify::answer::{Category, Role, Server};

/// One answer for each package and language: its parts that do not import each other are added up.
pub fn servers(servers: &mut Vec<Server>) {
    let mut out: Vec<Server> = Vec::new();
    for server in servers.drain(..) {
        let family =
            |language: &str| if language == "javascript" { "typescript".to_owned() } else { language.to_owned() };
        match out
            .iter_mut()
            .find(|known| known.path == server.path && family(known.language) == family(server.language))
        {
            Some(known) => add(known, server),
            None => out.push(server),
        }
    }
    *servers = out;
}

fn add(known: &mut Server, other: Server) {
    known.role = match (known.role, other.role) {
        (a, b) if a == b => a,
        (Role::Library, b) => b,
        (a, Role::Library) => a,
        _ => Role::Both,
    };
    if other.language == "typescript" {
        known.language = "typescript";
    }
    known.sdk = known.sdk.take().or(other.sdk);
    known.category = known.category.max(other.category);
    known.categories.extend(other.categories);
    known.categories.sort_unstable();
    known.categories.dedup();
    if known.categories.len() > 1 {
        known.categories.retain(|category| *category != Category::SetupOnly);
    }
    known.facets.extend(other.facets);
    known.facets.sort_unstable();
    known.facets.dedup();
    if other.principal > known.principal {
        known.principal = other.principal;
        known.principal_at = other.principal_at;
    }
    known.stores.extend(other.stores);
    known.processes.extend(other.processes);
    upgrades::merge(&mut known.upgrades, other.upgrades);
}
