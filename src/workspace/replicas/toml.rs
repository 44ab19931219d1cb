//! `fly.toml`, `wrangler.toml`, `netlify.toml`.

use super::command::{is_several, several};
use super::entries::{self, Entry};
use super::{Replicas, at};

/// Machines that run at the same time, workers of a process.
pub fn fly(text: &str) -> Vec<Replicas> {
    let entries = entries::toml(text);
    let machines = |entry: &Entry| {
        let more = entry.ends(&["min_machines_running"]) && entry.number().is_some_and(|number| number > 1);
        more.then(|| at(entry.line, entry.column, format!("min_machines_running = {}", entry.value)))
    };
    let workers = |entry: &Entry| {
        if entry.is(&["env", "WEB_CONCURRENCY"]) && is_several(&entry.value, false) {
            return Some(at(entry.line, entry.column, format!("WEB_CONCURRENCY={}", entry.value)));
        }
        let runs = entry.is(&["processes", "*"]) || entry.is(&["experimental", "cmd"]);
        let found = runs.then(|| several(&entry.tokens()))??;
        Some(at(found.line, found.column, found.words))
    };
    entries.iter().filter_map(|entry| machines(entry).or_else(|| workers(entry))).collect()
}

/// A worker; what has only assets runs no code.
pub fn wrangler(text: &str) -> Vec<Replicas> {
    let entries = entries::toml(text);
    let main = entries.iter().find(|entry| entry.is(&["main"]));
    main.map(|entry| at(entry.line, entry.column, super::json::WORKER.to_owned())).into_iter().collect()
}

/// Functions.
pub fn netlify(text: &str) -> Vec<Replicas> {
    let entries = entries::toml(text);
    let functions = |entry: &&Entry| entry.starts(&["functions"]) || entry.is(&["build", "functions"]);
    let first = entries.iter().find(functions);
    first.map(|entry| at(entry.line, entry.column, "Netlify functions".to_owned())).into_iter().collect()
}
