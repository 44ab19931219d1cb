//! `--show-settings`: the effective settings, written as a configuration file, each with its origin.

use std::fmt::{Display, Write};

use mcp_migrate::rules;
use mcp_migrate::rules::finding::Severity;

use super::args::Global;
use super::settings::{Origin, Settings, id};

/// The text.
pub fn settings(settings: &Settings, global: &Global) -> String {
    let mut out = String::new();
    match &settings.config {
        Some(config) => {
            let how = match config.origin {
                Origin::Default => "the nearest to the scanned folder".to_owned(),
                other => other.to_string(),
            };
            let _ = writeln!(out, "# {} ({how})", config.value.path.display());
        }
        None => out.push_str("# no mcp-migrate.toml at or above the scanned folder\n"),
    }
    let file = settings.file();
    line(&mut out, "fail-on", &quoted(&id(&settings.fail_on.value)), &settings.fail_on.origin);
    line(&mut out, "format", &quoted(&id(&settings.format.value)), &settings.format.origin);
    line(&mut out, "include-tests", &settings.include_tests.value.to_string(), &settings.include_tests.origin);
    if let Some(path) = &settings.baseline.value {
        line(&mut out, "baseline", &quoted(&path.to_string_lossy()), &settings.baseline.origin);
    }
    let exclude = file.map_or(&[][..], |file| &file.exclude);
    let origin = match (exclude.is_empty(), global.exclude.is_empty()) {
        (true, true) => "default",
        (false, true) => "file",
        (true, false) => "flag",
        (false, false) => "file and flag",
    };
    line(&mut out, "exclude", &list(exclude.iter().chain(&global.exclude)), &origin);
    let functions = file.map_or(&[][..], |file| &file.session_id_functions);
    let origin = if functions.is_empty() { Origin::Default } else { Origin::File };
    line(&mut out, "session-id-functions", &list(functions), &origin);
    for ignore in file.iter().flat_map(|file| &file.ignore) {
        out.push_str("\n[[ignore]]  # file\n");
        let _ = writeln!(out, "paths = {}", list(&ignore.globs));
        if !ignore.rules.is_empty() {
            let _ = writeln!(out, "rules = {}", list(&ignore.rules));
        }
        let _ = writeln!(out, "reason = {}", quoted(&ignore.reason));
    }
    out.push_str("\n[rules]\n");
    for rule in rules::ALL {
        let set = file.and_then(|file| file.rules.iter().find(|(known, _)| known.name == rule.name));
        let severity = set.map_or(Some(rule.severity), |(_, severity)| *severity);
        let (severity, origin) = if global.rule.is_empty() {
            (severity, if set.is_some() { Origin::File } else { Origin::Default })
        } else if global.rule.iter().any(|named| named.name == rule.name) {
            (severity.or(Some(rule.severity)), Origin::Flag)
        } else {
            (None, Origin::Flag)
        };
        line(&mut out, rule.name, &quoted(word(severity)), &origin);
    }
    out
}

fn line(out: &mut String, key: &str, value: &str, origin: &dyn Display) {
    let _ = writeln!(out, "{key} = {value}  # {origin}");
}

fn word(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Note) => "note",
        Some(Severity::Warning) => "warning",
        Some(Severity::Error) => "error",
        None => "off",
    }
}

/// A TOML text: JSON's escapes are a part of TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let quoted: Vec<String> = items.into_iter().map(|item| quoted(item.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}
