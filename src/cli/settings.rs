//! Effective settings: flag before environment before file before default, each with its origin.

use std::fmt;
use std::path::PathBuf;

use clap::ValueEnum;
use mcp_migrate::ScanOptions;
use mcp_migrate::check::config::{listed, nearest};
use mcp_migrate::check::{CheckError, Config, Policy};
use mcp_migrate::edit::Level;
use mcp_migrate::pipeline::fix::FixOptions;
use mcp_migrate::workspace::upgrades::Target;
use mcp_migrate::workspace::walk;

use super::args::{self, Check, FailOn, FixLevel, Global, ScanFormat};

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flag,
    /// An environment variable.
    Env(&'static str),
    /// `mcp-migrate.toml`.
    File,
    /// Nobody said anything.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag => f.write_str("flag"),
            Origin::Env(name) => write!(f, "environment: {name}"),
            Origin::File => f.write_str("file"),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Setting<T> {
    fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// What a command works with.
pub struct Settings {
    /// The file, if there is one, and who named it.
    pub config: Option<Setting<Config>>,
    /// From which severity on a scan fails.
    pub fail_on: Setting<FailOn>,
    /// How a scan is printed.
    pub format: Setting<ScanFormat>,
    /// Look into tests.
    pub include_tests: Setting<bool>,
    /// The baseline.
    pub baseline: Setting<Option<PathBuf>>,
    /// How far a fix goes.
    pub level: Setting<FixLevel>,
    /// Packages and the versions that they would move to.
    pub upgrades: Vec<Target>,
    paths: Vec<PathBuf>,
}

impl Settings {
    /// The settings of a scan.
    pub fn of_scan(own: &args::Scan, global: &Global) -> Result<Self, CheckError> {
        let settings = Self::resolve(&own.paths, own.format, own.fail_on, None, &own.check, global)?;
        Ok(Self { upgrades: own.upgrade_to.clone(), ..settings })
    }

    /// The settings of a fix.
    pub fn of_fix(own: &args::Fix, global: &Global) -> Result<Self, CheckError> {
        Self::resolve(&own.paths, None, None, own.level, &Check::default(), global)
    }

    /// The settings of a command without options of its own that matter here.
    pub fn of_paths(paths: &[PathBuf], global: &Global) -> Result<Self, CheckError> {
        Self::resolve(paths, None, None, None, &Check::default(), global)
    }

    fn resolve(
        paths: &[PathBuf],
        format: Option<ScanFormat>,
        fail_on: Option<FailOn>,
        level: Option<FixLevel>,
        check: &Check,
        global: &Global,
    ) -> Result<Self, CheckError> {
        let config = config(paths, global)?;
        let file = config.as_ref().map(|config| &config.value);
        let name = "MCP_MIGRATE_FAIL_ON";
        let fail_on = match (fail_on, env(name), file.and_then(|file| file.fail_on.as_deref())) {
            (Some(value), ..) => Setting::new(value, Origin::Flag),
            (None, Some(text), _) => Setting::new(choice(name, &text, "")?, Origin::Env(name)),
            (None, None, Some(text)) => Setting::new(choice("fail-on", text, "")?, Origin::File),
            (None, None, None) => Setting::new(FailOn::Warning, Origin::Default),
        };
        let name = "MCP_MIGRATE_FORMAT";
        let format = match (format, env(name), file.and_then(|file| Some((file, file.format.as_ref()?)))) {
            (Some(value), ..) => Setting::new(value, Origin::Flag),
            (None, Some(text), _) => Setting::new(choice(name, &text, "")?, Origin::Env(name)),
            (None, None, Some((file, (text, line)))) => {
                let place = format!("{}:{line}: ", file.path.display());
                Setting::new(choice("format", text, &place)?, Origin::File)
            }
            (None, None, None) => Setting::new(ScanFormat::Text, Origin::Default),
        };
        let name = "MCP_MIGRATE_INCLUDE_TESTS";
        let include_tests = match (global.include_tests, env(name), file.and_then(|file| file.include_tests)) {
            (true, ..) => Setting::new(true, Origin::Flag),
            (false, Some(text), _) => Setting::new(truth(name, &text)?, Origin::Env(name)),
            (false, None, Some(value)) => Setting::new(value, Origin::File),
            (false, None, None) => Setting::new(false, Origin::Default),
        };
        let name = "MCP_MIGRATE_BASELINE";
        let baseline = match (&check.baseline, env(name), file.and_then(|file| Some((file, file.baseline.as_ref()?)))) {
            (Some(path), ..) => Setting::new(Some(path.clone()), Origin::Flag),
            (None, Some(path), _) => Setting::new(Some(path.into()), Origin::Env(name)),
            (None, None, Some((file, path))) => Setting::new(Some(file.dir().join(path)), Origin::File),
            (None, None, None) => Setting::new(None, Origin::Default),
        };
        let name = "MCP_MIGRATE_LEVEL";
        let level = match (level, env(name), file.and_then(|file| file.level.as_deref())) {
            (Some(value), ..) => Setting::new(value, Origin::Flag),
            (None, Some(text), _) => Setting::new(choice(name, &text, "")?, Origin::Env(name)),
            (None, None, Some(text)) => Setting::new(choice("level", text, "")?, Origin::File),
            (None, None, None) => Setting::new(FixLevel::Review, Origin::Default),
        };
        let (upgrades, paths) = (Vec::new(), paths.to_vec());
        Ok(Self { fail_on, format, include_tests, baseline, level, upgrades, paths, config })
    }

    /// The file's settings.
    pub fn file(&self) -> Option<&Config> {
        self.config.as_ref().map(|config| &config.value)
    }

    /// What the library is asked for. All rules run: what is allowed or known is judged by all findings, and the check takes
    /// out what was not asked for.
    pub fn options(&self, global: &Global) -> ScanOptions {
        let file = self.file();
        let exclude_in = file.map_or_else(Vec::new, |file| {
            file.exclude.iter().map(|glob| (file.dir().to_owned(), glob.clone())).collect()
        });
        ScanOptions {
            paths: self.paths.clone(),
            include_tests: self.include_tests.value,
            exclude: global.exclude.clone(),
            exclude_in,
            session_id_functions: file.map_or_else(Vec::new, |file| file.session_id_functions.clone()),
            threads: global.threads.map(usize::from),
            rules: Vec::new(),
            allow_empty: global.allow_empty,
            upgrades: self.upgrades.clone(),
            plan: file.map_or_else(Default::default, |file| file.plan.clone()),
            ..ScanOptions::default()
        }
    }

    /// What is looked for, and what the file takes out.
    pub fn policy(&self, global: &Global) -> Policy {
        Policy {
            rules: global.rule.iter().map(|rule| rule.name).collect(),
            severities: self.file().map_or_else(Vec::new, |file| file.rules.clone()),
            ignores: self.file().map_or_else(Vec::new, |file| file.ignore.clone()),
            scope: self.paths.iter().filter_map(|path| path.canonicalize().ok()).collect(),
        }
    }

    /// What a fix is asked for.
    pub fn fix_options(&self, global: &Global) -> FixOptions {
        FixOptions {
            scan: self.options(global),
            level: match self.level.value {
                FixLevel::Safe => Level::Safe,
                FixLevel::Review => Level::Review,
            },
            rules: global.rule.iter().map(|rule| rule.name).collect(),
            without: Vec::new(),
            declined: Vec::new(),
            policy: self.policy(global),
            plan: None,
            allow_dirty: false,
        }
    }
}

fn config(paths: &[PathBuf], global: &Global) -> Result<Option<Setting<Config>>, CheckError> {
    let name = "MCP_MIGRATE_CONFIG";
    let (path, origin): (PathBuf, _) = match (&global.config, env(name)) {
        (Some(path), _) => (path.clone(), Origin::Flag),
        (None, Some(path)) => (path.into(), Origin::Env(name)),
        // A path that is not there is the scan's to report.
        (None, None) => match walk::root(paths).ok().and_then(|root| Config::find(&root)) {
            Some(path) => (path, Origin::Default),
            None => return Ok(None),
        },
    };
    Ok(Some(Setting::new(Config::load(&path)?, origin)))
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A value by its name; `place` stands before the message.
fn choice<T: ValueEnum>(what: &str, text: &str, place: &str) -> Result<T, CheckError> {
    if let Ok(value) = T::from_str(text, false) {
        return Ok(value);
    }
    let known: Vec<String> = T::value_variants().iter().map(id).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let hint = nearest(text, &known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Err(CheckError::new(
        format!("{place}`{what}` can't be `{text}`{hint}"),
        format!("It is one of {}.", listed(&known)),
    ))
}

fn truth(name: &str, text: &str) -> Result<bool, CheckError> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(CheckError::new(format!("`{name}` can't be `{text}`"), "It is one of `true` and `false`.")),
    }
}

/// The name of a value.
pub fn id<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_migrate::check::config::{FAIL_ON_VALUES, LEVEL_VALUES, SCHEMA_TEXT};

    #[test]
    fn the_schema_and_the_file_know_all_values() {
        let formats: Vec<String> = ScanFormat::value_variants().iter().map(id).collect();
        let fail_on: Vec<String> = FailOn::value_variants().iter().map(id).collect();
        let schema: serde_json::Value = serde_json::from_str(SCHEMA_TEXT).expect("JSON");
        assert_eq!(schema["properties"]["format"]["enum"], serde_json::json!(formats));
        assert_eq!(fail_on, FAIL_ON_VALUES);
        let levels: Vec<String> = FixLevel::value_variants().iter().map(id).collect();
        assert_eq!(levels, LEVEL_VALUES);
    }
}
