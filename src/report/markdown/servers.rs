//! The inventory: each server, what it keeps, and where each thing belongs.

use super::Cx;
use super::decisions::{self, Decision};
use super::escape::{cell, code, prose};
use crate::classify::answer::{Category, Role, Server, Store};
use crate::report::describe;
use crate::report::verdict::as_sentence;
use crate::report::words;

/// One part for the head of each server, one for each of its stores.
pub fn render(cx: &Cx<'_>) -> Vec<String> {
    let speaks_of = |server: &Server| cx.scan.findings.iter().any(|f| f.server == server.path);
    let is_quiet = |server: &&Server| describe::is_quiet(server) && !speaks_of(server);
    let (quiet, loud): (Vec<&Server>, Vec<&Server>) = cx.scan.servers.iter().partition(is_quiet);
    let decisions = decisions::all(cx);
    let mut parts = Vec::new();
    for server in loud {
        parts.push(head(cx, server));
        parts.extend(server.stores.iter().map(|store| details(cx, store, &decisions)));
    }
    if !quiet.is_empty() {
        let names: Vec<String> = quiet
            .iter()
            .map(|s| {
                format!("{} ({} {})", code(&cx.base.path(&s.path)), words::language(s.language), words::role(s.role))
            })
            .collect();
        parts.push(format!("\nNothing that refers to a session: {}.\n", names.join(", ")));
    }
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, "\n## What is kept\n");
    }
    parts
}

fn head(cx: &Cx<'_>, server: &Server) -> String {
    let mut out = format!(
        "\n### {} ({} {})\n\n",
        code(&folder(cx, server)),
        words::language(server.language),
        words::role(server.role)
    );
    let sdk = describe::sdk(server);
    let sdk = server.sdk.as_ref().map_or(sdk.clone(), |s| sdk.replacen(&s.name, &code(&s.name), 1));
    out.push_str(&format!("- SDK: {}\n", prose(&sdk)));
    if server.role != Role::Client {
        out.push_str(&format!("- Category: {}\n", describe::categories(server)));
        let callers = words::principal(server.principal);
        let at = server.principal_at.as_ref().map(|at| format!(" ({})", cx.at(at))).unwrap_or_default();
        out.push_str(&format!("- Callers: {callers}{at}\n"));
    }
    if let Some(text) = describe::processes(server, &|found| format!("{} ({})", prose(&found.reason), cx.at(&found.at)))
    {
        out.push_str(&format!("- Processes: {}\n", text));
    }
    for facet in &server.facets {
        out.push_str(&format!("- `{facet}`: {}\n", words::facet(*facet)));
    }
    if server.category > Category::None {
        out.push_str(&format!("- To do: {}\n", words::to_do(server.category)));
    }
    if let Some(text) = describe::shared_store(server) {
        out.push_str(&format!("- {text}\n"));
    }
    if server.stores.is_empty() && server.category == Category::SetupOnly {
        out.push_str("\nNothing in the application reads the session id, so tools answer as before.\n");
    }
    if !server.stores.is_empty() {
        out.push('\n');
        out.push_str(&table(cx, server.stores.iter()));
    }
    out
}

/// The folder of a server.
fn folder(cx: &Cx<'_>, server: &Server) -> String {
    match (server.path.as_str(), cx.base.prefix()) {
        (".", "") => ".".to_owned(),
        (".", prefix) => prefix.to_owned(),
        (path, _) => cx.base.path(path),
    }
}

/// Stores as a table.
pub fn table<'a>(cx: &Cx<'_>, stores: impl Iterator<Item = &'a Store>) -> String {
    let mut out = "| store | declared | holds | without a session | carrier | tools |\n".to_owned();
    out.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for store in stores {
        let tools: Vec<String> = store.tools.iter().map(|tool| code(tool)).collect();
        let tools = if tools.is_empty() { "\u{2013}".to_owned() } else { tools.join(", ") };
        let cells = [
            code(&store.name),
            cx.at(&store.at),
            words::holds(store.holds).to_owned(),
            format!("{}: {}", store.failure, words::failure(store.failure)),
            words::carrier(store.carrier).to_owned(),
            tools,
        ];
        out.push_str(&format!("| {} |\n", cells.map(|c| cell(&c)).join(" | ")));
    }
    out
}

/// A store with its fields and why it goes where it goes.
fn details(cx: &Cx<'_>, store: &Store, decisions: &[Decision<'_>]) -> String {
    let container = code(&store.container);
    let value = store.value.as_ref().map(|value| format!(" of {}", code(value))).unwrap_or_default();
    let mut out = format!("\n**{}**: {container}{value}, kept {}.", code(&store.name), words::keyed_by(store.keyed_by));
    match decisions.iter().position(|d| d.stores.iter().any(|s| std::ptr::eq(*s, store))) {
        Some(number) => out.push_str(&format!(" Where it belongs is decision {} above.\n", number + 1)),
        None => out.push_str(&format!(
            " Without a session: {}. Carrier `{}`: {}{}\n",
            words::on_upgrade(store.failure),
            store.carrier,
            as_sentence(words::move_to(store.carrier, store.holds)),
            cx.reached(store)
        )),
    }
    if !store.fields.is_empty() {
        out.push_str("\n| field | read | written |\n| --- | --- | --- |\n");
        for field in &store.fields {
            let cells = [code(&field.name), cx.spots(&field.readers), cx.spots(&field.writers)];
            out.push_str(&format!("| {} |\n", cells.map(|c| cell(&c)).join(" | ")));
        }
    }
    out
}
