//! The command line: parses arguments, calls the library, picks a renderer, sets the exit code.

mod args;
mod check;
mod fix;
mod formats;
mod init_ci;
mod interactive;
mod output;
mod panic;
mod plan;
mod progress;
mod report;
mod scan;
mod settings;
mod show;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use mcp_migrate::report as renderers;
use mcp_migrate::rules;

use args::{Args, Command, ListFormat};
use output::Output;
use settings::Settings;

/// Nothing at or above `--fail-on`.
const OK: u8 = 0;
/// Something at or above `--fail-on`.
const FOUND: u8 = 1;
/// Usage, configuration or internal error, or nothing that can be read.
const FAILED: u8 = 2;

/// Runs the program.
pub fn run() -> ExitCode {
    panic::install();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let output = Output::new(args.global.color, args.global.quiet);
    if args.global.show_settings {
        return ExitCode::from(show_settings(&args, &output));
    }
    let code = match &args.command {
        Command::Scan(own) => scan::run(own, &args.global, &output),
        Command::Fix(own) => fix::run(own, &args.global, &output),
        Command::Plan(own) => plan::run(own, &args.global, &output),
        Command::Report(own) => report::run(own, &args.global, &output),
        Command::Explain { rule } => {
            output.result(&renderers::explain::render(rule, output.style()));
            OK
        }
        Command::Rules { format } => {
            let chosen = args.global.chosen_rules();
            output.result(&match format {
                ListFormat::Text => renderers::rules::text(&chosen, output.style()),
                ListFormat::Json => renderers::rules::json(&chosen),
            });
            OK
        }
        Command::InitCi(own) => init_ci::run(own, &output),
        Command::Completions { shell } => {
            let mut command = Args::command();
            let name = command.get_name().to_owned();
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, name, &mut script);
            output.result(&String::from_utf8_lossy(&script));
            OK
        }
    };
    ExitCode::from(code)
}

/// Prints what a command would work with.
fn show_settings(args: &Args, output: &Output) -> u8 {
    let settings = match &args.command {
        Command::Scan(own) => Settings::of_scan(own, &args.global),
        Command::Plan(own) => Settings::of_paths(&own.paths, &args.global),
        Command::Report(own) => Settings::of_paths(&own.paths, &args.global),
        Command::Fix(own) => Settings::of_fix(own, &args.global),
        _ => Settings::of_paths(&[".".into()], &args.global),
    };
    match settings {
        Ok(settings) => {
            output.result(&show::settings(&settings, &args.global));
            OK
        }
        Err(error) => {
            output.error(&error);
            FAILED
        }
    }
}

/// Help and version go to stdout, usage errors to stderr.
fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is the reader's choice.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { FAILED } else { OK })
}

/// The rules chosen by `--rule`, or all.
impl args::Global {
    fn chosen_rules(&self) -> Vec<&'static rules::Rule> {
        if self.rule.is_empty() { rules::ALL.to_vec() } else { self.rule.clone() }
    }
}
