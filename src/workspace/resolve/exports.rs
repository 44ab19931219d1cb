//! `exports` and `imports` of a `package.json`: which files a subpath may stand for.

use serde_json::Value;

/// Conditions in the order in which they lead nearest to the sources.
const PREFERRED: [&str; 8] = ["source", "development", "import", "node", "module", "default", "require", "types"];

/// The targets that `exports` gives for a subpath (empty for the main module), best first.
pub(super) fn targets(exports: &Value, subpath: &str) -> Vec<String> {
    let is_map = exports.as_object().is_some_and(|map| map.keys().any(|key| key.starts_with('.')));
    let mut found = Vec::new();
    match exports.as_object().filter(|_| is_map) {
        Some(map) => {
            let key = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
            if let Some((value, star)) = lookup(map.iter().map(|(key, value)| (key.as_str(), value)), &key) {
                collect(value, star, &mut found);
            }
        }
        None if subpath.is_empty() => collect(exports, "", &mut found),
        None => {}
    }
    found
}

/// The entry for a key: the exact one, else the pattern (`./x/*`) or folder (`./x/`) with the longest prefix; with what its star stands for.
pub(super) fn lookup<'a, 'k>(
    entries: impl Iterator<Item = (&'a str, &'a Value)>,
    wanted: &'k str,
) -> Option<(&'a Value, &'k str)> {
    let mut best: Option<(usize, &Value, &str)> = None;
    for (key, value) in entries {
        if key == wanted {
            return Some((value, ""));
        }
        let (prefix, suffix) = match key.split_once('*') {
            Some(parts) => parts,
            None if key.ends_with('/') => (key, ""),
            None => continue,
        };
        let star = wanted.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        if let Some(star) = star.filter(|star| !star.is_empty())
            && best.is_none_or(|(length, ..)| length < prefix.len())
        {
            best = Some((prefix.len(), value, star));
        }
    }
    best.map(|(_, value, star)| (value, star))
}

/// All targets under a value, best conditions first.
pub(super) fn collect(value: &Value, star: &str, found: &mut Vec<String>) {
    match value {
        Value::String(target) => found.push(match target.ends_with('/') {
            true => format!("{target}{star}"),
            false => target.replace('*', star),
        }),
        Value::Array(options) => options.iter().for_each(|option| collect(option, star, found)),
        Value::Object(conditions) => {
            let rank = |key: &str| {
                PREFERRED.iter().position(|known| *known == key).unwrap_or(if key.contains("source") {
                    0
                } else {
                    PREFERRED.len()
                })
            };
            let mut ordered: Vec<(&String, &Value)> = conditions.iter().collect();
            ordered.sort_by_key(|(key, _)| rank(key));
            ordered.iter().for_each(|(_, value)| collect(value, star, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn subpaths() {
        let map = json!({
            ".": {"types": "./dist/index.d.ts", "require": "./dist/index.cjs", "import": "./dist/index.js"},
            "./features/*.js": "./dist/features/*.js",
            "./features/private/*": null,
            "./*": ["./dist/*.js"],
            "./assets/": "./public/",
        });
        for (subpath, expected) in [
            ("", vec!["./dist/index.js", "./dist/index.cjs", "./dist/index.d.ts"]),
            ("features/a.js", vec!["./dist/features/a.js"]),
            ("features/private/x", vec![]),
            ("deep/a", vec!["./dist/deep/a.js"]),
            ("assets/x.ts", vec!["./public/x.ts"]),
        ] {
            assert_eq!(targets(&map, subpath), expected, "{subpath}");
        }
        assert_eq!(targets(&json!("./a.js"), ""), ["./a.js"]);
        assert_eq!(
            targets(&json!({"@acme/source": "./src/a.ts", "default": "./dist/a.js"}), ""),
            ["./src/a.ts", "./dist/a.js"]
        );
        assert!(targets(&json!("./a.js"), "b").is_empty());
    }
}
