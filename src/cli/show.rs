//! `--show-settings`: the effective settings, written as a configuration file, each with its origin.

use std::fmt::{Display, Write};

use mcp_migrate::plan::PlanSettings;
use mcp_migrate::plan::settings::LifetimeSetting;
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
    out.push_str("\n[fix]\n");
    line(&mut out, "level", &quoted(&id(&settings.level.value)), &settings.level.origin);
    plan(&mut out, file.map(|file| &file.plan));
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

/// Names and lifetimes. Only a file has any.
fn plan(out: &mut String, plan: Option<&PlanSettings>) {
    let Some(plan) = plan else { return };
    let lifetime = |setting: &LifetimeSetting| {
        let seconds = setting.idle_seconds.map(|number| format!("idle-seconds = {number}"));
        let limit = setting.limit.map(|number| format!("limit = {number}"));
        table(seconds.into_iter().chain(limit))
    };
    if !plan.names.is_empty() {
        out.push_str("\n[fix.names]\n");
    }
    for (store, setting) in &plan.names {
        let noun = setting.noun.as_ref().map(|noun| format!("noun = {}", quoted(noun)));
        let prefix = setting.prefix.as_ref().map(|prefix| format!("prefix = {}", quoted(prefix)));
        line(out, &quoted(store), &table(noun.into_iter().chain(prefix)), &Origin::File);
    }
    let general = plan.lifetime != LifetimeSetting::default();
    if general || !plan.lifetimes.is_empty() {
        out.push_str("\n[fix.lifetimes]\n");
    }
    if general {
        line(out, "default", &lifetime(&plan.lifetime), &Origin::File);
    }
    for (store, setting) in &plan.lifetimes {
        line(out, &quoted(store), &lifetime(setting), &Origin::File);
    }
}

fn table(parts: impl Iterator<Item = String>) -> String {
    format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "))
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
