//! The arguments.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use mcp_migrate::rules::finding::Severity;
use mcp_migrate::rules::{self, Rule};
use mcp_migrate::workspace::upgrades::Target;

const EXIT_CODES: &str = "\
Exit codes: 0 nothing at or above --fail-on; 1 something; 2 usage or configuration error, or nothing that can be read; 101 a bug.
Results go to stdout, progress and notes to stderr. No network, no telemetry.";

const FIX_EXIT_CODES: &str = "\
Exit codes: 0 all was applied, or there is nothing to do; 1 something remains for a person (with --dry-run also: something would
change); 2 usage or configuration error, nothing that can be read, or nothing was written; 101 a bug.
A dry run prints a patch that `git apply` takes; what is said beside it stands in lines that begin with #.";

const PLAN_EXIT_CODES: &str = "\
Exit codes: 0 the plan was written; 2 usage or configuration error, or nothing that can be read; 101 a bug.";

/// Tells how MCP servers use protocol sessions, which revision 2026-07-28 removes (SEP-2567), and what happens to them then.
#[derive(Debug, Parser)]
#[command(name = "mcp-migrate", version, after_help = EXIT_CODES, max_term_width = 100, propagate_version = false)]
#[command(arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say which category each server falls into, where, and what happens to it on upgrade
    #[command(after_help = EXIT_CODES)]
    Scan(Scan),
    /// Migrate: drop the session set-up and transport maps, turn state into handles; shows or writes the change
    #[command(after_help = FIX_EXIT_CODES)]
    Fix(Fix),
    /// Write what fix decides about each store, with reasons, as a file to be edited and given to `fix --plan`
    #[command(after_help = PLAN_EXIT_CODES)]
    Plan(Plan),
    /// Write the migration report: what is kept per session, what has to be decided, what follows from it
    Report(Report),
    /// Explain a rule: what it finds, why it matters, what the migration is
    Explain {
        /// The rule's name
        #[arg(value_parser = RuleName, hide_possible_values = true)]
        rule: &'static Rule,
    },
    /// List the rules
    Rules {
        /// How to print
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Write what checks pull requests: a workflow, a job or a hook
    InitCi(InitCi),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Arguments of `scan`.
#[derive(Debug, clap::Args)]
pub struct Scan {
    /// Files or folders
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How to print the answer [default: text]
    #[arg(long, value_enum)]
    pub format: Option<ScanFormat>,
    /// Exit with 1 from this severity on [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Say what changes if this package moves to that version (`mcp@2.3.0`); may be repeated
    #[arg(long, value_name = "PKG@VER", action = ArgAction::Append)]
    pub upgrade_to: Vec<Target>,
    /// Print counts and times to stderr
    #[arg(long)]
    pub stats: bool,
    // Last, since its heading holds for what follows.
    /// What counts, when not everything does.
    #[command(flatten)]
    pub check: Check,
}

/// Arguments of `fix`.
#[derive(Debug, clap::Args)]
pub struct Fix {
    /// Files or folders
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Show what would change, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write the change to this file as a patch, and nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "commit_per_group")]
    pub patch: Option<PathBuf>,
    /// The highest level that is applied: `safe` changes no tool's interface [default: review]
    #[arg(long, value_enum)]
    pub level: Option<FixLevel>,
    /// Do what this file decides, which `mcp-migrate plan` wrote; it comes before the settings
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Leave handles optional in the schemas of tools, and tell calls without one where to get it; a later run without this
    /// makes them required
    #[arg(long)]
    pub transition: bool,
    /// Commit each idea on its own
    #[arg(long, conflicts_with_all = ["dry_run", "allow_dirty"])]
    pub commit_per_group: bool,
    /// Ask for each change; `=stdin` takes the answers from a program
    #[arg(long, value_enum, value_name = "FROM", num_args = 0..=1, require_equals = true, default_missing_value = "terminal")]
    #[arg(hide_possible_values = true, conflicts_with_all = ["dry_run", "patch", "check_cmd"])]
    pub interactive: Option<Answers>,
    /// Run this command before and after, in the root; leave out what breaks it
    #[arg(long, value_name = "COMMAND", conflicts_with = "dry_run")]
    pub check_cmd: Option<String>,
    /// Write although files hold changes that are not committed, or are in no repository
    #[arg(long)]
    pub allow_dirty: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub format: ListFormat,
}

/// Where the answers to questions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Answers {
    /// From whoever sits there
    Terminal,
    /// From whatever is piped in
    Stdin,
}

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
pub struct Plan {
    /// Files or folders
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Write it to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How far a fix goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FixLevel {
    /// Only what changes no tool's interface
    Safe,
    /// All that is complete and works, to be read before it is merged
    Review,
}

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub struct Report {
    /// Files or folders
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Which form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Markdown)]
    pub format: ReportFormat,
    /// Write it to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What counts, when not everything does.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Report only what is new")]
pub struct Check {
    /// Lines changed since the merge base with this branch or commit
    #[arg(long, value_name = "REF", group = "changes")]
    pub diff_base: Option<String>,
    /// Lines staged for the next commit
    #[arg(long, group = "changes")]
    pub staged: bool,
    /// Lines changed by a unified diff; `-` reads it from stdin
    #[arg(long, value_name = "FILE", group = "changes")]
    pub changed_lines: Option<PathBuf>,
    /// Findings that this file does not know
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all findings into the baseline, and take those out that are gone
    #[arg(long, conflicts_with = "changes")]
    pub write_baseline: bool,
}

/// Arguments of `init-ci`.
#[derive(Debug, clap::Args)]
pub struct InitCi {
    /// Where pull requests are checked
    #[arg(long, value_enum, default_value_t = Provider::Github)]
    pub provider: Provider,
    /// Overwrite a file that is there
    #[arg(long)]
    pub force: bool,
    /// The action that the GitHub workflow runs: a folder of the repository, or OWNER/REPO@COMMIT
    #[arg(long, value_name = "ACTION", default_value = "./.github/actions/mcp-migrate")]
    pub action: String,
}

/// Where pull requests are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Provider {
    /// A workflow of GitHub Actions
    Github,
    /// A job of GitLab CI
    Gitlab,
    /// A hook of pre-commit
    PreCommit,
}

/// Options of every command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// Settings from this file, not from the nearest mcp-migrate.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the settings and where each comes from, and do nothing else
    #[arg(long, global = true)]
    pub show_settings: bool,
    /// Only this rule; may be repeated
    #[arg(long, global = true, value_name = "NAME", value_parser = RuleName, hide_possible_values = true)]
    #[arg(action = ArgAction::Append, value_delimiter = ',')]
    pub rule: Vec<&'static Rule>,
    /// Look into tests as well
    #[arg(long, global = true)]
    pub include_tests: bool,
    /// Leave out what the glob matches; may be repeated
    #[arg(long, global = true, value_name = "GLOB", action = ArgAction::Append)]
    pub exclude: Vec<String>,
    /// Exit with 0 where there is no file to read
    #[arg(long, global = true)]
    pub allow_empty: bool,
    /// Colours; `auto` respects NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Only the verdict and the summary
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Everything, also each file that was skipped
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Worker threads (default: as many as the machine has)
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    // On a terminal, unless NO_COLOR is set. No doc comments here: they would fill a page of the help.
    Auto,
    Always,
    Never,
}

/// Formats of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScanFormat {
    /// For people
    Text,
    /// For coding agents: one line per finding
    Terse,
    /// For programs: mcp-migrate/scan/v1
    Json,
    /// For programs: one JSON object a line
    Jsonl,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// Code quality report of GitLab
    Gitlab,
    /// Diagnostics for reviewdog
    Rdjson,
    /// JUnit XML
    Junit,
    /// The migration report
    Markdown,
}

/// Forms of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Everything
    Markdown,
    /// The short form, for a comment on a pull request
    Pr,
}

/// Formats of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// From which severity on a scan exits with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors
    Error,
    /// Warnings and errors
    Warning,
    /// Any finding
    Note,
    /// No finding
    Never,
}

impl FailOn {
    /// Whether a scan whose most severe finding is `worst` exits with 1.
    pub fn fails(self, worst: Option<Severity>) -> bool {
        let from = match self {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Note => Severity::Note,
            FailOn::Never => return false,
        };
        worst.is_some_and(|w| w >= from)
    }
}

/// Parses the name of a rule.
#[derive(Clone)]
struct RuleName;

impl TypedValueParser for RuleName {
    type Value = &'static Rule;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        rules::find(&value.to_string_lossy()).map_err(|unknown| {
            let message = format!("{unknown}\n\n`mcp-migrate rules` lists them all.\n");
            clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(rules::ALL.iter().map(|r| PossibleValue::new(r.name).help(r.summary))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn fail_on_is_a_threshold() {
        use Severity::*;
        assert!(FailOn::Warning.fails(Some(Error)));
        assert!(FailOn::Warning.fails(Some(Warning)));
        assert!(!FailOn::Warning.fails(Some(Note)));
        assert!(!FailOn::Error.fails(Some(Warning)));
        assert!(FailOn::Note.fails(Some(Note)));
        assert!(!FailOn::Note.fails(None));
        assert!(!FailOn::Never.fails(Some(Error)));
    }
}
