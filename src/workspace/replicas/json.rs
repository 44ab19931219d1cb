//! `package.json`, `vercel.json`, `wrangler.json`.

use serde_json::Value;

use super::command::{several, tokens};
use super::{Replicas, at};
use crate::workspace::packages::jsonc;

/// What a Cloudflare Worker is called.
pub const WORKER: &str = "a Cloudflare Worker, of which any number runs";

/// Scripts that start workers.
pub fn scripts(text: &str) -> Vec<Replicas> {
    let manifest = jsonc(text);
    let scripts = manifest.as_ref().and_then(|manifest| manifest.get("scripts")).and_then(Value::as_object);
    let mut out = Vec::new();
    for (name, script) in scripts.into_iter().flatten() {
        let helps = ["test", "bench", "load", "lint", "pretest", "posttest"].iter().any(|word| name.starts_with(word));
        let Some(found) = script.as_str().filter(|_| !helps).and_then(|script| several(&tokens(script, 1, 1))) else {
            continue;
        };
        let (line, column) = place(text, name, Some("scripts"));
        out.push(at(line, column, format!("{} in script {name}", found.words)));
    }
    out
}

/// Functions of Vercel.
pub fn vercel(text: &str) -> Vec<Replicas> {
    let Some(config) = jsonc(text) else { return Vec::new() };
    let filled = |key: &str| {
        let value = config.get(key);
        value.and_then(Value::as_object).is_some_and(|value| !value.is_empty())
            || value.and_then(Value::as_array).is_some_and(|value| {
                value
                    .iter()
                    .any(|build| build.get("use").and_then(Value::as_str).is_some_and(|name| name != "@vercel/static"))
            })
    };
    let key = ["functions", "builds"].into_iter().find(|key| filled(key));
    key.map(|key| {
        let (line, column) = place(text, key, None);
        at(line, column, "Vercel functions".to_owned())
    })
    .into_iter()
    .collect()
}

/// A worker of Cloudflare.
pub fn wrangler(text: &str) -> Vec<Replicas> {
    let main = jsonc(text).is_some_and(|config| config.get("main").is_some_and(Value::is_string));
    let (line, column) = place(text, "main", None);
    if main { vec![at(line, column, WORKER.to_owned())] } else { Vec::new() }
}

/// Where a key stands; `after`: behind that other key.
fn place(text: &str, key: &str, after: Option<&str>) -> (u32, u32) {
    let key = format!("\"{key}\"");
    let from = after.and_then(|after| text.find(&format!("\"{after}\""))).unwrap_or(0);
    let is_key = |at: &usize| text[at + key.len()..].trim_start().starts_with(':');
    let Some(at) = text[from..].match_indices(&key).map(|(at, _)| at + from).find(is_key) else { return (1, 1) };
    let before = &text[..at];
    let line = before.matches('\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() as u32 + 1)
}
