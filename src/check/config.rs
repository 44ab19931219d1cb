//! `mcp-migrate.toml`: what a repository decides once for all who scan it.
//!
//! Unknown keys and values are errors with their line: a setting that is silently dropped is worse than none.

mod fix;
pub mod plan_file;

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::CheckError;
use super::ignore::Ignore;
use crate::plan::PlanSettings;
use crate::rules::finding::Severity;
use crate::rules::{self, Rule};

pub use fix::{FIX_KEYS, LEVEL_VALUES, LIFETIME_KEYS, NAME_KEYS};

/// The name of the file.
pub use crate::workspace::walk::SETTINGS_FILE as FILE_NAME;

/// The published JSON Schema of the file.
pub const SCHEMA_TEXT: &str = include_str!("../../schemas/config-v1.schema.json");

/// Keys of the file.
pub const KEYS: &[&str] =
    &["baseline", "exclude", "fail-on", "fix", "format", "ignore", "include-tests", "rules", "session-id-functions"];

/// Keys of an `[[ignore]]` table.
pub const IGNORE_KEYS: &[&str] = &["paths", "reason", "rules"];

/// Values that a rule may be set to.
pub const RULE_VALUES: &[&str] = &["off", "note", "warning", "error"];

/// Values of `fail-on`.
pub const FAIL_ON_VALUES: &[&str] = &["error", "warning", "note", "never"];

/// The settings of a file. What it does not say is `None` or empty.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file.
    pub path: PathBuf,
    /// Rules that are turned off (`None`) or have another severity.
    pub rules: Vec<(&'static Rule, Option<Severity>)>,
    /// Globs of what is not scanned, relative to the file's folder.
    pub exclude: Vec<String>,
    /// Look into tests as well.
    pub include_tests: Option<bool>,
    /// Findings that are not reported, by path.
    pub ignore: Vec<Ignore>,
    /// From which severity on a scan fails.
    pub fail_on: Option<String>,
    /// How answers are printed, with the line that says so; which values there are is known to the command line.
    pub format: Option<(String, u32)>,
    /// The baseline, relative to the file's folder.
    pub baseline: Option<String>,
    /// Functions that give a session id.
    pub session_id_functions: Vec<String>,
    /// How far a fix goes.
    pub level: Option<String>,
    /// Names and lifetimes of the plan.
    pub plan: PlanSettings,
}

impl Config {
    /// The file that governs a folder: the nearest one in it or above, within the repository.
    pub fn find(root: &Path) -> Option<PathBuf> {
        for dir in root.ancestors() {
            let file = dir.join(FILE_NAME);
            if file.is_file() {
                return Some(file);
            }
            if dir.join(".git").exists() {
                break;
            }
        }
        None
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, CheckError> {
        let path = path.canonicalize().map_err(|error| CheckError::file("the configuration", path, &error))?;
        let text =
            std::fs::read_to_string(&path).map_err(|error| CheckError::file("the configuration", &path, &error))?;
        Self::parse(&path, text.strip_prefix('\u{feff}').unwrap_or(&text))
    }

    /// Reads the text of a file at `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, CheckError> {
        let reader = Reader { path, text };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reader.error(at, format!("this is no TOML: {}", error.message()), "Strings stand in quotes, lists in [ ].")
        })?;
        let mut config = Self { path: path.to_owned(), ..Self::default() };
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "rules" => config.rules = reader.rules(value)?,
                "exclude" => config.exclude = reader.globs(value)?,
                "include-tests" => {
                    let value = value.get_ref().as_bool();
                    config.include_tests = Some(value.ok_or_else(|| reader.wrong(key, "`true` or `false`"))?);
                }
                "ignore" => config.ignore = reader.ignores(value)?,
                "fail-on" => config.fail_on = Some(reader.one_of(key, value, FAIL_ON_VALUES)?),
                "format" => config.format = Some((reader.string(value)?, reader.line(value.span().start))),
                "baseline" => config.baseline = Some(reader.string(value)?),
                "session-id-functions" => config.session_id_functions = reader.strings(value)?,
                "fix" => reader.fix(value, &mut config)?,
                _ => return Err(reader.unknown(key, KEYS)),
            }
        }
        Ok(config)
    }

    /// The folder that the paths of the file are relative to.
    pub fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

type Value<'i> = Spanned<DeValue<'i>>;
type Key<'i> = Spanned<std::borrow::Cow<'i, str>>;

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> u32 {
        let before = self.text.get(..at).unwrap_or(self.text);
        before.matches('\n').count() as u32 + 1
    }

    fn error(&self, at: usize, message: impl std::fmt::Display, help: impl Into<String>) -> CheckError {
        CheckError::new(format!("{}:{}: {message}", self.path.display(), self.line(at)), help)
    }

    fn unknown(&self, key: &Key<'_>, known: &[&'static str]) -> CheckError {
        let name = key.get_ref();
        let message = match nearest(name, known) {
            Some(near) => format!("there is no setting `{name}`; did you mean `{near}`?"),
            None => format!("there is no setting `{name}`"),
        };
        self.error(key.span().start, message, format!("There are {}.", listed(known)))
    }

    fn wrong(&self, key: &Key<'_>, wanted: &str) -> CheckError {
        self.error(key.span().start, format!("`{}` takes {wanted}", key.get_ref()), String::new())
    }

    fn string(&self, value: &Value<'_>) -> Result<String, CheckError> {
        let text = value.get_ref().as_str().map(str::to_owned).filter(|text| !text.is_empty());
        text.ok_or_else(|| self.error(value.span().start, "a text in quotes is needed here, not an empty one", ""))
    }

    fn strings(&self, value: &Value<'_>) -> Result<Vec<String>, CheckError> {
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| {
            self.error(value.span().start, "a list of texts is needed here", "Write `[\"…\", \"…\"]`.")
        })?;
        list.iter().map(|item| self.string(item)).collect()
    }

    fn globs(&self, value: &Value<'_>) -> Result<Vec<String>, CheckError> {
        let globs = self.strings(value)?;
        match crate::workspace::walk::globs(&globs) {
            Ok(_) => Ok(globs),
            Err(error) => Err(self.error(
                value.span().start,
                error,
                "Globs are written as in .gitignore, for instance `vendor/**` or `*.gen.ts`.",
            )),
        }
    }

    fn one_of(&self, key: &Key<'_>, value: &Value<'_>, known: &[&'static str]) -> Result<String, CheckError> {
        let text = self.string(value)?;
        if known.contains(&text.as_str()) {
            return Ok(text);
        }
        let hint = nearest(&text, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let message = format!("`{}` can't be `{text}`{hint}", key.get_ref());
        Err(self.error(value.span().start, message, format!("It is one of {}.", listed(known))))
    }

    fn rule(&self, name: &str, at: usize) -> Result<&'static Rule, CheckError> {
        rules::find(name).map_err(|unknown| self.error(at, unknown, "`mcp-migrate rules` lists them all."))
    }

    fn rules(&self, value: &Value<'_>) -> Result<Vec<(&'static Rule, Option<Severity>)>, CheckError> {
        let table = value.get_ref().as_table();
        let table = table.ok_or_else(|| self.error(value.span().start, "`rules` is a table", "Write `[rules]`."))?;
        let mut out = Vec::new();
        for (key, value) in table {
            let rule = self.rule(key.get_ref(), key.span().start)?;
            let severity = match self.one_of(key, value, RULE_VALUES)?.as_str() {
                "note" => Some(Severity::Note),
                "warning" => Some(Severity::Warning),
                "error" => Some(Severity::Error),
                _ => None,
            };
            out.push((rule, severity));
        }
        Ok(out)
    }

    fn ignores(&self, value: &Value<'_>) -> Result<Vec<Ignore>, CheckError> {
        let list = value.get_ref().as_array();
        let list =
            list.ok_or_else(|| self.error(value.span().start, "`ignore` is a list of tables", "Write `[[ignore]]`."))?;
        list.iter().map(|item| self.ignore(item)).collect()
    }

    fn ignore(&self, value: &Value<'_>) -> Result<Ignore, CheckError> {
        let at = value.span().start;
        let table = value.get_ref().as_table();
        let table = table.ok_or_else(|| self.error(at, "`ignore` is a list of tables", "Write `[[ignore]]`."))?;
        let (mut paths, mut rules, mut reason) = (Vec::new(), Vec::new(), None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "paths" => paths = self.globs(value)?,
                "rules" => {
                    let names = self.strings(value)?;
                    if names.is_empty() {
                        return Err(self.error(
                            value.span().start,
                            "`rules` names none",
                            "Without `rules`, all are ignored there.",
                        ));
                    }
                    rules = names.iter().map(|name| self.rule(name, value.span().start)).collect::<Result<_, _>>()?;
                }
                "reason" => reason = Some(self.string(value)?),
                _ => return Err(self.unknown(key, IGNORE_KEYS)),
            }
        }
        let missing = |what: &str, help: &str| Err(self.error(at, format!("this `[[ignore]]` has no `{what}`"), help));
        if paths.is_empty() {
            return missing("paths", "Write `paths = [\"src/legacy/**\"]`.");
        }
        let Some(reason) = reason else {
            return missing("reason", "Say why: those who come after can then judge whether it still holds.");
        };
        let names = rules.iter().map(|rule| rule.name).collect();
        Ignore::new(self.path.parent().unwrap_or(Path::new(".")), &paths, names, reason)
            .map_err(|error| self.error(at, error, String::new()))
    }
}

/// The known word that was probably meant.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let wanted = word.to_lowercase().replace('_', "-");
    let distances = known.iter().map(|name| (strsim::damerau_levenshtein(&wanted, name), *name));
    let near = distances.min().filter(|(distance, name)| *distance <= 2.max(name.len() / 3)).map(|(_, name)| name);
    near.or_else(|| known.iter().copied().find(|name| wanted.len() >= 3 && name.starts_with(&wanted)))
}

/// `` `a`, `b` and `c` ``.
pub fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("/r/mcp-migrate.toml"), text).map_err(|error| format!("{error} {}", error.help))
    }

    #[test]
    fn everything_at_once() {
        let config = parse(
            "exclude = ['vendor/**']\ninclude-tests = true\nfail-on = 'error'\nformat = 'json'\nbaseline = 'b.json'\n\
             session-id-functions = ['getSessionId']\n[rules]\nsession-keyed-telemetry = 'off'\nsession-guard = 'note'\n\
             [[ignore]]\npaths = ['old/**']\nrules = ['session-guard']\nreason = 'goes'\n[[ignore]]\npaths = ['a.ts']\nreason = 'b'\n",
        )
        .expect("it is right");
        let rules: Vec<_> = config.rules.iter().map(|(rule, severity)| (rule.name, *severity)).collect();
        assert_eq!(rules.len(), 2);
        assert!(rules.contains(&("session-keyed-telemetry", None)));
        assert!(rules.contains(&("session-guard", Some(Severity::Note))));
        assert_eq!((config.exclude.len(), config.include_tests, config.ignore.len()), (1, Some(true), 2));
        assert_eq!(config.format, Some(("json".to_owned(), 4)));
        assert_eq!(config.dir(), Path::new("/r"));
    }

    #[test]
    fn mistakes_have_a_line_and_a_hint() {
        for (text, line, hint) in [
            ("\nexclud = []", 2, "did you mean `exclude`?"),
            ("include_tests = true", 1, "did you mean `include-tests`?"),
            ("colour = 1", 1, "There are `baseline`, "),
            ("fail-on = 'warn'", 1, "did you mean `warning`?"),
            ("fail-on = 1", 1, "text in quotes"),
            ("include-tests = 'yes'", 1, "`true` or `false`"),
            ("exclude = 'a'", 1, "a list of texts"),
            ("exclude = ['a{']", 1, "not a glob"),
            ("[rules]\n\nsession-gard = 'off'", 3, "did you mean `session-guard`?"),
            ("[rules]\nsession-guard = 'warn'", 2, "`off`, `note`, `warning` and `error`"),
            ("rules = 1", 1, "[rules]"),
            ("[[ignore]]\npath = ['a']", 2, "did you mean `paths`?"),
            ("[[ignore]]\nreason = 'a'", 1, "has no `paths`"),
            ("[[ignore]]\npaths = ['a']", 1, "has no `reason`"),
            ("[[ignore]]\npaths = ['a']\nreason = ''", 3, "not an empty one"),
            ("[[ignore]]\npaths = ['a']\nrules = ['x-y']\nreason = 'a'", 3, "no rule named `x-y`"),
            ("[fix]\nlevels = 'safe'", 2, "did you mean `level`?"),
            ("[fix]\nlevel = 'manual'", 2, "`safe` and `review`"),
            ("fix = 1", 1, "[fix]"),
            ("[fix.names]\nbaskets = 'basket'", 2, "noun = "),
            ("[fix.names]\nbaskets = { nouns = 'basket' }", 2, "did you mean `noun`?"),
            ("[fix.names]\nbaskets = {}", 2, "says nothing"),
            ("[fix.names]\nbaskets = { noun = 'a/b' }", 2, "words of letters and digits"),
            ("[fix.names]\nbaskets = { prefix = 'B_' }", 2, "small letters and digits"),
            ("[fix.names]\na = { noun = 'list' }\nb = { noun = 'List' }", 3, "`a` has that noun"),
            ("[fix.names]\na = { prefix = 'x' }\nb = { prefix = 'x' }", 3, "`a` has that prefix"),
            ("[fix.lifetimes]\ndefault = 60", 2, "idle-seconds = "),
            ("[fix.lifetimes]\nbaskets = { idle = 60 }", 2, "did you mean `idle-seconds`?"),
            ("[fix.lifetimes]\nbaskets = { limit = 0 }", 2, "a whole number from 1"),
            ("[fix.lifetimes]\nbaskets = { idle-seconds = 1.5 }", 2, "a whole number from 1"),
            ("exclude = [", 1, "this is no TOML"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(&format!("/r/mcp-migrate.toml:{line}: ")), "{text}: {error}");
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn the_schema_names_what_is_read() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA_TEXT).expect("JSON");
        let keys = |value: &serde_json::Value| -> Vec<String> {
            let mut keys: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(&schema["properties"]), KEYS);
        assert_eq!(keys(&schema["properties"]["ignore"]["items"]["properties"]), IGNORE_KEYS);
        let fix = &schema["properties"]["fix"]["properties"];
        assert_eq!(keys(fix), FIX_KEYS);
        assert_eq!(fix["level"]["enum"], serde_json::json!(LEVEL_VALUES));
        assert_eq!(keys(&fix["names"]["additionalProperties"]["properties"]), NAME_KEYS);
        assert_eq!(keys(&schema["$defs"]["lifetime"]["properties"]), LIFETIME_KEYS);
        let mut names: Vec<&str> = rules::ALL.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        assert_eq!(keys(&schema["properties"]["rules"]["properties"]), names);
        assert_eq!(schema["$defs"]["setting"]["enum"], serde_json::json!(RULE_VALUES));
        assert_eq!(schema["properties"]["fail-on"]["enum"], serde_json::json!(FAIL_ON_VALUES));
        let rule_names = schema["$defs"]["rule"]["enum"].as_array().expect("a list");
        let mut rule_names: Vec<&str> = rule_names.iter().filter_map(|name| name.as_str()).collect();
        rule_names.sort_unstable();
        assert_eq!(rule_names, names);
    }
}
