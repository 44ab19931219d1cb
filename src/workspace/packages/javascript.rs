//! `package.json`, `pnpm-workspace.yaml`, `deno.json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::specifier::Specifier;
use super::{Dependency, Family, Package, line_of};

/// Named sets of requirements that members of a workspace refer to; the unnamed one is `""`.
pub(super) type Catalogs = BTreeMap<String, BTreeMap<String, String>>;

/// Takes in `package.json`; `None` where it is no JSON object.
pub(super) fn package_json(text: &str, manifest: &str, package: &mut Package) -> Option<Catalogs> {
    let Value::Object(json) = serde_json::from_str(text).ok()? else {
        return None;
    };
    let string = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
    package.name = string("name").or(package.name.take());
    package.version = string("version").or(package.version.take());
    let js = &mut package.js;
    js.is_module = json.get("type").and_then(Value::as_str) == Some("module");
    js.main = string("main");
    js.module = string("module");
    js.types = string("types").or_else(|| string("typings"));
    js.exports = json.get("exports").cloned();
    js.imports.extend(entries(json.get("imports")).map(|(key, value)| (key.clone(), value.clone())));
    js.bin = match json.get("bin") {
        Some(Value::String(file)) => vec![(package.name.clone().unwrap_or_default(), file.clone())],
        bin => strings(bin).map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    };
    let workspaces = json.get("workspaces");
    let members = workspaces.and_then(|value| value.as_array().or_else(|| value.get("packages")?.as_array()));
    js.workspaces = members.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    for (section, dev) in [
        ("dependencies", false),
        ("optionalDependencies", false),
        ("peerDependencies", false),
        ("devDependencies", true),
    ] {
        for (name, requirement) in strings(json.get(section)) {
            let line = line_of(text, &format!("\"{name}\""), requirement);
            package.dependencies.push(dependency(name, requirement, dev, manifest, line));
        }
    }
    Some(catalogs_of(&json, workspaces))
}

/// Whether the manifest says more than how its folder's modules are spelled.
pub(super) fn is_package(package: &Package) -> bool {
    package.name.is_some()
        || !package.dependencies.is_empty()
        || !package.js.workspaces.is_empty()
        || !package.js.imports.is_empty()
}

fn catalogs_of(json: &Map<String, Value>, workspaces: Option<&Value>) -> Catalogs {
    let mut catalogs = Catalogs::new();
    for holder in [workspaces.and_then(Value::as_object), Some(json)].into_iter().flatten() {
        let mut add = |name: &str, catalog: Option<&Value>| {
            let entries = strings(catalog).map(|(key, value)| (key.to_owned(), value.to_owned()));
            catalogs.entry(name.to_owned()).or_default().extend(entries);
        };
        add("", holder.get("catalog"));
        for (name, catalog) in entries(holder.get("catalogs")) {
            add(name, Some(catalog));
        }
    }
    catalogs
}

/// A dependency as written: `^1.2`, `npm:real@^1`, `workspace:*`, `catalog:name`.
fn dependency(name: &str, requirement: &str, dev: bool, manifest: &str, line: u32) -> Dependency {
    let renamed =
        requirement.strip_prefix("npm:").and_then(Specifier::parse).filter(|_| requirement.starts_with("npm:"));
    let (real, alias, requirement) = match &renamed {
        Some(real) if real.name != name && Family::Js.looks_like_name(real.name) => {
            (real.name, Some(name.to_owned()), real.requirement)
        }
        Some(real) if real.name == name => (name, None, real.requirement),
        _ => (name, None, Some(requirement)),
    };
    Dependency {
        name: real.to_owned(),
        alias,
        requirement: requirement.map(str::to_owned),
        dev,
        manifest: manifest.to_owned(),
        line,
        ..Dependency::default()
    }
}

impl Family {
    /// `npm:^1.2` renames nothing; `npm:real@^1.2` does.
    fn looks_like_name(self, text: &str) -> bool {
        text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '@')
    }
}

/// Takes in `deno.json` or `deno.jsonc`; `None` where it can't be read.
pub(super) fn deno_json(text: &str, manifest: &str, package: &mut Package) -> Option<()> {
    let json = jsonc(text)?;
    let json = json.as_object()?;
    let string = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
    package.name = package.name.take().or_else(|| string("name"));
    package.version = package.version.take().or_else(|| string("version"));
    if package.js.exports.is_none() {
        package.js.exports = json.get("exports").cloned();
    }
    package.js.is_module = true;
    let members = json.get("workspace").and_then(|value| value.as_array().or_else(|| value.get("members")?.as_array()));
    package.js.workspaces.extend(members.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    for (alias, target) in entries(json.get("imports")) {
        package.js.imports.push((alias.clone(), target.clone()));
        let Some(target) = target.as_str().filter(|target| target.starts_with("npm:") || target.starts_with("jsr:"))
        else {
            continue;
        };
        let Some(specifier) = Specifier::parse(target) else {
            continue;
        };
        let local = alias.trim_end_matches('/');
        package.dependencies.push(Dependency {
            name: specifier.name.to_owned(),
            alias: (local != specifier.name).then(|| local.to_owned()),
            requirement: specifier.requirement.map(str::to_owned),
            manifest: manifest.to_owned(),
            line: line_of(text, &format!("\"{alias}\""), target),
            ..Dependency::default()
        });
    }
    Some(())
}

#[derive(Deserialize, Default)]
struct PnpmWorkspace {
    #[serde(default)]
    packages: Option<Vec<String>>,
    #[serde(default)]
    catalog: Option<BTreeMap<String, String>>,
    #[serde(default)]
    catalogs: Option<Catalogs>,
}

/// Reads `pnpm-workspace.yaml`: its members and catalogs; `None` where it is broken.
pub(super) fn pnpm_workspace(text: &str) -> Option<(Vec<String>, Catalogs)> {
    let has_content =
        text.lines().any(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty() && line.trim() != "---");
    let file = if has_content { serde_saphyr::from_str(text).ok()? } else { PnpmWorkspace::default() };
    let mut catalogs = file.catalogs.unwrap_or_default();
    catalogs.entry(String::new()).or_default().extend(file.catalog.unwrap_or_default());
    Some((file.packages.unwrap_or_default(), catalogs))
}

/// What `catalog:` or `catalog:name` stands for.
pub(super) fn from_catalog<'a>(catalogs: &'a Catalogs, requirement: &str, name: &str) -> Option<&'a str> {
    let catalog = requirement.strip_prefix("catalog:")?.trim();
    let names: &[&str] = if matches!(catalog, "" | "default") { &["", "default"] } else { &[catalog] };
    names.iter().find_map(|catalog| catalogs.get(*catalog)?.get(name)).map(String::as_str)
}

/// JSON with comments and trailing commas.
pub(crate) fn jsonc(text: &str) -> Option<Value> {
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    entries(value).filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}
