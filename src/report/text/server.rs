//! One server: what it is, what it keeps, what an upgrade does to it, what to do.

use crate::classify::answer::{Category, Role, Server, Store};
use crate::report::describe;
use crate::report::layout::{table, wrap};
use crate::report::style::Style;
use crate::report::words;

/// Width of the labels at the left.
const LABEL: usize = 12;

/// Appends one line for the servers about which there is nothing to say.
pub fn render_quiet(out: &mut String, servers: &[&Server], style: Style) {
    let names: Vec<String> = servers
        .iter()
        .map(|s| format!("{} ({} {})", s.path, words::language(s.language), words::role(s.role)))
        .collect();
    out.push('\n');
    wrap(out, style, "", "  ", &format!("Nothing that refers to a session: {}.", names.join(", ")));
}

/// Appends the section of one server.
pub fn render(out: &mut String, server: &Server, style: Style) {
    out.push('\n');
    out.push_str(&style.heading(&server.path));
    out.push_str(&style.dim(&format!(
        "  {}{}{}",
        words::language(server.language),
        style.dot(),
        words::role(server.role)
    )));
    out.push('\n');
    line(out, style, "SDK", &describe::sdk(server));
    if server.role != Role::Client {
        line(out, style, "category", &describe::categories(server));
    }
    for (i, facet) in server.facets.iter().enumerate() {
        let label = if i == 0 { "facets" } else { "" };
        line(out, style, label, &format!("{facet}: {}", words::facet(*facet)));
    }
    if server.role != Role::Client {
        line(out, style, "callers", &callers(server));
    }
    if let Some(text) =
        describe::processes(server, &|found| format!("{} ({}:{})", found.reason, found.at.path, found.at.line))
    {
        line(out, style, "processes", &text);
    }
    if !server.stores.is_empty() {
        out.push('\n');
        let rows: Vec<Vec<String>> = server.stores.iter().map(row).collect();
        table(out, style, "  ", &["store", "holds", "after an upgrade", "carrier", "tools"], &rows);
    }
    upgrade(out, server, style);
    to_do(out, server, style);
    for asked in &server.upgrades {
        let items: Vec<String> = describe::upgrade(asked);
        section(out, style, &format!("If {} moves to {}", asked.package, asked.to), &items);
    }
}

fn line(out: &mut String, style: Style, label: &str, text: &str) {
    let first = format!("  {label:LABEL$}");
    let rest = " ".repeat(LABEL + 2);
    let mut plain = String::new();
    wrap(&mut plain, style, &first, &rest, text);
    out.push_str(&style.dim(&first));
    out.push_str(&plain[first.len()..]);
}

fn callers(server: &Server) -> String {
    let strength = words::principal(server.principal);
    match &server.principal_at {
        Some(at) => format!("{strength} ({}:{})", at.path, at.line),
        None => strength.to_owned(),
    }
}

fn row(store: &Store) -> Vec<String> {
    let tools = if store.tools.is_empty() { "-".to_owned() } else { store.tools.join(", ") };
    vec![
        store.name.clone(),
        words::holds(store.holds).to_owned(),
        words::failure(store.failure).to_owned(),
        words::carrier(store.carrier).to_owned(),
        tools,
    ]
}

/// Groups the names of stores by a key, in the order in which the keys first appear.
fn grouped<K: PartialEq>(stores: &[Store], key: impl Fn(&Store) -> K) -> Vec<(K, Vec<&str>)> {
    let mut groups: Vec<(K, Vec<&str>)> = Vec::new();
    for store in stores {
        let key = key(store);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, names)) => names.push(&store.name),
            None => groups.push((key, vec![&store.name])),
        }
    }
    groups
}

fn section(out: &mut String, style: Style, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(&format!("  {}\n", style.bold(title)));
    let bullet = format!("  {} ", style.bullet());
    for item in items {
        wrap(out, style, &bullet, "    ", item);
    }
}

fn upgrade(out: &mut String, server: &Server, style: Style) {
    let mut items: Vec<String> = grouped(&server.stores, |s| s.failure)
        .into_iter()
        .map(|(failure, names)| format!("{}: {}.", names.join(", "), words::on_upgrade(failure)))
        .collect();
    if items.is_empty() && server.category == Category::SetupOnly {
        items.push(
            "No session id is issued any more. Nothing in the application reads it, so tools answer as before."
                .to_owned(),
        );
    }
    section(out, style, "What a request of 2026-07-28 meets on the newest SDK", &items);
}

fn to_do(out: &mut String, server: &Server, style: Style) {
    let mut items: Vec<String> = grouped(&server.stores, |s| words::move_to(s.carrier, s.holds))
        .into_iter()
        .map(|(advice, names)| format!("{}: {advice}.", names.join(", ")))
        .collect();
    if server.category > Category::None {
        items.push(words::to_do(server.category).to_owned());
    }
    items.extend(describe::shared_store(server).map(str::to_owned));
    section(out, style, "What to do", &items);
}
