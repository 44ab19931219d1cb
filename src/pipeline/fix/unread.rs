//! Settings that nothing reads any more: what a change took away read them last. They are told, never removed: what starts or configures
//! the program is not seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::aside;
use crate::edit::Change;
use crate::workspace::{names, paths};

/// Words of which one stands in the name of a setting that has to do with sessions.
const WORDS: &[&str] = &[
    "session",
    "sessions",
    "ttl",
    "idle",
    "timeout",
    "max",
    "limit",
    "cap",
    "reap",
    "reaper",
    "sweep",
    "evict",
    "eviction",
    "expire",
    "expires",
    "expiry",
    "expiration",
    "interval",
    "cleanup",
    "lifetime",
    "stateful",
    "stateless",
];
/// How many places are named.
const MOST_PLACES: usize = 12;

/// What is to be told of the settings of the server in `folder`, after some changes.
pub fn note(root: &Path, folder: &str, changes: &[Change]) -> Option<String> {
    let (mut sources, mut others) = (BTreeMap::new(), BTreeMap::new());
    aside::files(root, folder, &|path| is_told(paths::file_name(path)), &mut |path, text| {
        let tests =
            names::language_of(path).is_some_and(|language| names::is_test_file(paths::file_name(path), language));
        let kept = if is_source(path) && !tests { &mut sources } else { &mut others };
        kept.insert(path.to_owned(), text);
    });
    let ours = |change: &&Change| is_source(&change.path) && paths::is_within(&change.path, folder);
    for change in changes.iter().filter(ours) {
        sources.insert(change.path.clone(), change.after.to_string());
    }
    let before: Vec<Mentions> =
        changes.iter().filter(ours).filter_map(|change| change.before.as_deref()).map(Mentions::of).collect();
    let after: BTreeMap<&str, Mentions> =
        sources.iter().map(|(path, text)| (path.as_str(), Mentions::of(text))).collect();
    let lost = |pick: fn(&Mentions) -> &BTreeSet<String>| -> Vec<String> {
        let mut lost: BTreeSet<String> = before.iter().flat_map(|mentions| pick(mentions).clone()).collect();
        lost.retain(|name| !after.values().any(|mentions| mentions.read.contains(name)));
        lost.into_iter().filter(|name| is_setting(name)).collect()
    };
    let mut told = Vec::new();
    for name in lost(|mentions| &mentions.read) {
        let set = after.iter().flat_map(|(path, mentions)| {
            mentions.keys.iter().filter(|(key, _)| *key == name).map(move |(_, line)| format!("{path}:{line}"))
        });
        let set: Vec<String> = set.collect();
        if !set.is_empty() {
            told.push(format!("`{name}` ({})", listed(set)));
            told.extend(flags(&name, &sources, &others));
        }
    }
    for name in lost(|mentions| &mentions.environment) {
        let texts = sources.iter().chain(&others);
        let set: Vec<String> = texts.flat_map(|(path, text)| lines(path, text, |line| has_word(line, &name))).collect();
        if !set.is_empty() {
            told.push(format!("the environment's `{name}` ({})", listed(set)));
        }
    }
    told.dedup();
    (!told.is_empty()).then(|| {
        format!(
            "Nothing reads these settings any more; take them out where they are set and told of: {}",
            told.join("; ")
        )
    })
}

/// Flags of a command line that are named like a setting: `--session-ttl` of `sessionTtlSeconds`.
fn flags(name: &str, sources: &BTreeMap<String, String>, others: &BTreeMap<String, String>) -> Option<String> {
    let own = words(name);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources.iter().chain(others) {
        for (index, line) in text.lines().enumerate() {
            for flag in hyphenated(line) {
                let parts = words(flag);
                if parts.len() > 1 && own.starts_with(&parts) {
                    found.entry(flag.to_owned()).or_default().push(format!("{path}:{}", index + 1));
                }
            }
        }
    }
    let flags: Vec<String> =
        found.into_iter().map(|(flag, at)| format!("the flag `--{flag}` ({})", listed(at))).collect();
    (!flags.is_empty()).then(|| flags.join("; "))
}

/// Words with hyphens in a line that are written as a flag or as a text of their own: `--session-ttl`, `"session-ttl"`.
fn hyphenated(line: &str) -> impl Iterator<Item = &str> {
    let part = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    line.split(move |char| !part(char)).filter_map(move |word| {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        let quoted = line[..at].ends_with(['"', '\'', '`']) && line[at + word.len()..].starts_with(['"', '\'', '`']);
        let flag = word.strip_prefix("--");
        let name = flag.unwrap_or(word);
        ((flag.is_some() || quoted) && name.contains('-') && !name.starts_with('-')).then_some(name)
    })
}

/// What a source says of names, read as words: what is not sure counts as read.
#[derive(Default)]
struct Mentions {
    /// Names that are read.
    read: BTreeSet<String>,
    /// Names that are declared or given a value as fields, with their lines.
    keys: Vec<(String, usize)>,
    /// Variables of the environment that are read.
    environment: BTreeSet<String>,
}

impl Mentions {
    fn of(text: &str) -> Self {
        let mut out = Self::default();
        for (index, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") || code.starts_with('*') || code.starts_with("/*") {
                continue;
            }
            out.line(line, index + 1);
        }
        out
    }

    fn line(&mut self, line: &str, number: usize) {
        let mut at = 0;
        while let Some(start) = line[at..].find(is_word).map(|start| at + start) {
            let end = line[start..].find(|char| !is_word(char)).map_or(line.len(), |end| start + end);
            at = end;
            let (name, before, after) = (&line[start..end], line[..start].trim_end(), line[end..].trim_start());
            if name.starts_with(|char: char| char.is_ascii_digit()) {
                continue;
            }
            let capital = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
            let from_environment = before.ends_with("env.") || before.ends_with("env['") || before.ends_with("env[\"");
            if from_environment && name.contains('_') && name.chars().all(capital) {
                self.environment.insert(name.to_owned());
            }
            let key = (after.starts_with(':') || after.starts_with("?:"))
                && (before.is_empty()
                    || before.ends_with(['{', ',', '(', ';'])
                    || before.ends_with("readonly")
                    || before.ends_with("private"));
            let member = before.ends_with('.') && !before.ends_with("..");
            let written = member && after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
            if key {
                self.keys.push((name.to_owned(), number));
            } else if !written {
                self.read.insert(name.to_owned());
            }
        }
    }
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '$')
}

/// Whether a name is one of a setting that has to do with sessions.
fn is_setting(name: &str) -> bool {
    let words = words(name);
    // A value that sessions had is no setting.
    let id = words.last().is_some_and(|last| matches!(last.as_str(), "id" | "ids"));
    !id && words.iter().any(|word| WORDS.contains(&word.as_str())) && (words.len() > 1 || words[0] == "ttl")
}

/// The words of a name, in small letters: of `sessionTtl`, `SESSION_TTL` and `session-ttl` the same two.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut before = '_';
    for char in name.chars() {
        let begins = !char.is_ascii_alphanumeric() || (char.is_ascii_uppercase() && before.is_ascii_lowercase());
        if begins || out.is_empty() {
            out.push(String::new());
        }
        if char.is_ascii_alphanumeric() {
            out.last_mut().expect("a word was begun").push(char.to_ascii_lowercase());
        }
        before = char;
    }
    out.retain(|word| !word.is_empty());
    out
}

fn has_word(line: &str, name: &str) -> bool {
    line.split(|char| !is_word(char)).any(|word| word == name)
}

fn lines(path: &str, text: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let numbered = text.lines().enumerate().filter(|(_, line)| wanted(line));
    numbered.map(|(index, _)| format!("{path}:{}", index + 1)).collect()
}

fn listed(mut places: Vec<String>) -> String {
    places.dedup();
    let more = places.len().saturating_sub(MOST_PLACES);
    places.truncate(MOST_PLACES);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", places.join(", "))
}

pub(super) fn is_source(path: &str) -> bool {
    [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"].iter().any(|end| path.ends_with(end))
}

/// Whether a file may name a setting.
fn is_told(name: &str) -> bool {
    const ENDS: &[&str] =
        &[".md", ".mdx", ".yml", ".yaml", ".toml", ".sh", ".service", ".tf", ".env", ".json", ".jsonc"];
    let lower = name.to_ascii_lowercase();
    let lock = ["package-lock.json", "npm-shrinkwrap.json"].contains(&lower.as_str()) || lower.starts_with("changelog");
    !lock
        && (is_source(&lower)
            || lower.contains("dockerfile")
            || lower.starts_with(".env")
            || ENDS.iter().any(|end| lower.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;

    fn told(files: &[(&str, &str)], path: &str, before: &str, after: &str) -> Option<String> {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let at = root.path().join(path);
            fs::create_dir_all(at.parent().expect("a parent")).expect("folders");
            fs::write(at, text).expect("a file");
        }
        let change = Change { path: path.to_owned(), before: Some(Arc::from(before)), after: Arc::from(after) };
        note(root.path(), ".", &[change])
    }

    const BEFORE: &str = "export function serve(options: { port: number; sessionTtlSeconds?: number }) {
  const ttl = options.sessionTtlSeconds ?? Number(process.env.SESSION_TTL);
  reap(ttl);
  listen(options.port);
}
";
    const AFTER: &str = "export function serve(options: { port: number; sessionTtlSeconds?: number }) {
  listen(options.port);
}
";

    #[test]
    fn fields_flags_and_variables_that_lost_their_reader_are_told_with_their_places() {
        let files = [
            ("src/serve.ts", BEFORE),
            (
                "src/cli.ts",
                "const given = flags[\"session-ttl\"];\nserve({ port: 3000, sessionTtlSeconds: Number(given) });\n",
            ),
            ("README.md", "Start it with `--session-ttl 60`.\n\n`SESSION_TTL` does the same.\n"),
            (".env.example", "SESSION_TTL=60\n"),
            ("node_modules/x/index.js", "serve({ sessionTtlSeconds: 1 });\n"),
        ];
        assert_eq!(
            told(&files, "src/serve.ts", BEFORE, AFTER).expect("a note"),
            "Nothing reads these settings any more; take them out where they are set and told of: `sessionTtlSeconds` (src/cli.ts:2, \
             src/serve.ts:1); the flag `--session-ttl` (src/cli.ts:1, README.md:1); the environment's `SESSION_TTL` (.env.example:1, \
             README.md:3)"
        );
    }

    #[test]
    fn what_is_read_elsewhere_or_was_never_read_is_not_told() {
        let reads = (
            "src/other.ts",
            "export const shown = (options: Options) => options.sessionTtlSeconds;\nconst env = process.env.SESSION_TTL;\n",
        );
        assert_eq!(told(&[("src/serve.ts", BEFORE), reads], "src/serve.ts", BEFORE, AFTER), None);
        let taken = ("src/other.ts", "const { sessionTtlSeconds } = options;\n");
        assert_eq!(told(&[("src/serve.ts", BEFORE), taken], "src/serve.ts", BEFORE, AFTER), None);
        assert_eq!(told(&[("src/serve.ts", AFTER)], "src/serve.ts", AFTER, AFTER), None);
    }

    #[test]
    fn names_of_other_things_are_not_told() {
        let before = "const a = { sessionId: 1, status: 2 };\nsend(body.sessionId, body.status);\n";
        let after = "const a = { sessionId: 1, status: 2 };\nsend();\n";
        assert_eq!(told(&[("src/a.ts", before)], "src/a.ts", before, after), None);
    }
}
