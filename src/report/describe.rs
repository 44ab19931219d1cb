//! Phrases about one server that several formats share.

use super::words;
use crate::classify::answer::{
    Carrier, Category, ChangeKind, Era, KeyedBy, Processes, Server, Store, Upgrade, UpgradeChange,
};

/// Whether there is nothing to say about a server but its name.
pub fn is_quiet(server: &Server) -> bool {
    server.category == Category::None && server.stores.is_empty() && server.upgrades.is_empty()
}

/// What says that a server runs in several processes, each shown by `one`; nothing where nothing does.
pub fn processes(server: &Server, one: &dyn Fn(&Processes) -> String) -> Option<String> {
    let reasons: Vec<String> = server.processes.iter().map(one).collect();
    (!reasons.is_empty())
        .then(|| format!("runs in several processes: {}, so what is kept in memory is not shared", reasons.join(", ")))
}

/// As many places of a change are named.
const PLACES: usize = 4;

/// What a package that moves to another version changes, a sentence each.
pub fn upgrade(upgrade: &Upgrade) -> Vec<String> {
    if upgrade.changes.is_empty() {
        let from = upgrade.from.as_deref().unwrap_or("a version that is not known");
        return vec![format!("Nothing that is known here changes; {from} is in use.")];
    }
    let one = |change: &UpgradeChange| {
        let mut places: Vec<String> =
            change.at.iter().take(PLACES).map(|at| format!("{}:{}", at.path, at.line)).collect();
        if change.at.len() > PLACES {
            places.push(format!("{} more", change.at.len() - PLACES));
        }
        let at = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        let mut first = change.message.chars();
        // A sentence begins with a capital, the name of a store as it is.
        let head = match (change.kind, first.next()) {
            (ChangeKind::Failure, _) | (_, None) => change.message.clone(),
            (_, Some(letter)) => letter.to_uppercase().chain(first).collect(),
        };
        format!("{head}{at}.")
    };
    upgrade.changes.iter().map(one).collect()
}

/// What several processes mean for the handles of a server; nothing where it has no state that would get one.
pub fn shared_store(server: &Server) -> Option<&'static str> {
    let in_memory = |store: &Store| {
        matches!(store.carrier, Carrier::Handle | Carrier::Principal | Carrier::Manual)
            && store.keyed_by != KeyedBy::Process
    };
    (!server.processes.is_empty() && server.stores.iter().any(in_memory)).then_some(
        "A handle store in memory will not do here, since the next call may reach another process: take a store that \
         the processes share.",
    )
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
