//! `paths` and `baseUrl` of a `tsconfig.json`, with `extends`.

use std::path::Path;

use serde_json::Value;

use crate::workspace::packages::{Specifier, jsonc, read_text};
use crate::workspace::paths;

/// How long a chain of `extends` may be.
const EXTENDS_DEPTH: usize = 8;

/// What of a configuration matters for imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TsConfig {
    /// The folder that bare names are tried in.
    pub base_url: Option<String>,
    /// Patterns with their targets, relative to the root of the scan.
    pub paths: Vec<(String, Vec<String>)>,
}

impl TsConfig {
    /// The targets for a specifier, by the exact pattern, else the one with the longest prefix.
    pub fn targets(&self, specifier: &str) -> Vec<String> {
        let mut best: Option<(usize, &[String], &str)> = None;
        for (pattern, targets) in &self.paths {
            let Some((prefix, suffix)) = pattern.split_once('*') else {
                if pattern == specifier {
                    return targets.clone();
                }
                continue;
            };
            let star = specifier.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
            if let Some(star) = star
                && best.is_none_or(|(length, ..)| length < prefix.len())
            {
                best = Some((prefix.len(), targets, star));
            }
        }
        best.map(|(_, targets, star)| targets.iter().map(|target| target.replace('*', star)).collect())
            .unwrap_or_default()
    }
}

/// Reads a configuration and what it extends. `package_dir` finds the folder of a package of the same repository.
pub(super) fn load<'a>(root: &Path, path: &str, package_dir: &dyn Fn(&str) -> Option<&'a str>) -> Option<TsConfig> {
    load_at(root, path, package_dir, EXTENDS_DEPTH)
}

fn load_at<'a>(
    root: &Path,
    path: &str,
    package_dir: &dyn Fn(&str) -> Option<&'a str>,
    depth: usize,
) -> Option<TsConfig> {
    let json = jsonc(&read_text(&root.join(path))?)?;
    let dir = paths::parent(path);
    let mut config = TsConfig::default();
    if depth > 0 {
        let extends = match json.get("extends") {
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        for extended in extends {
            let inherited = candidates(dir, extended, package_dir)
                .into_iter()
                .find_map(|path| load_at(root, &path, package_dir, depth - 1));
            let Some(inherited) = inherited else {
                continue;
            };
            config.base_url = inherited.base_url.or(config.base_url);
            if !inherited.paths.is_empty() {
                config.paths = inherited.paths;
            }
        }
    }
    let options = json.get("compilerOptions");
    if let Some(base) = options.and_then(|options| options.get("baseUrl")?.as_str()) {
        config.base_url = paths::join(dir, base);
    }
    if let Some(map) = options.and_then(|options| options.get("paths")?.as_object()) {
        let base = config.base_url.as_deref().unwrap_or(dir);
        let targets = |value: &Value| {
            let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            texts.filter_map(|target| paths::join(base, target)).collect()
        };
        config.paths = map.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect();
    }
    // A solution (no files of its own, only references) leaves the paths to its parts.
    if depth > 0 && config == TsConfig::default() {
        let references = json.get("references").and_then(Value::as_array);
        let part = references.into_iter().flatten().filter_map(|part| part.get("path")?.as_str()).find_map(|part| {
            let mut found = candidates(dir, part, package_dir).into_iter();
            let config = found.find_map(|path| load_at(root, &path, package_dir, depth - 1))?;
            (config != TsConfig::default()).then_some(config)
        });
        config = part.unwrap_or_default();
    }
    Some(config)
}

/// Where an `extends` may lead.
fn candidates<'a>(dir: &str, extended: &str, package_dir: &dyn Fn(&str) -> Option<&'a str>) -> Vec<String> {
    let joined = if extended.starts_with('.')
        || Specifier::parse(extended).is_none_or(|specifier| package_dir(specifier.name).is_none())
    {
        paths::join(dir, extended)
    } else {
        Specifier::parse(extended).and_then(|specifier| {
            paths::join(
                package_dir(specifier.name)?,
                if specifier.subpath.is_empty() { "tsconfig.json" } else { specifier.subpath },
            )
        })
    };
    let Some(path) = joined else {
        return Vec::new();
    };
    vec![path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")]
}
