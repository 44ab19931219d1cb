//! `mcp-migrate plan`.

use mcp_migrate::edit::Level;
use mcp_migrate::pipeline::fix::{self, FixOptions};
use mcp_migrate::report::plan_toml;

use super::args::{self, Global};
use super::output::Output;
use super::progress::Counter;
use super::settings::Settings;
use super::{FAILED, OK, fix as fix_command};

/// Runs the command and gives its exit code: what is left to a person is part of the plan.
pub fn run(own: &args::Plan, global: &Global, output: &Output) -> u8 {
    let settings = match Settings::of_paths(&own.paths, global) {
        Ok(settings) => settings,
        Err(error) => {
            output.error(&error);
            return FAILED;
        }
    };
    // How far a fix goes is for the fix to say.
    let options = FixOptions { level: Level::Review, ..settings.fix_options(global) };
    let plan = match fix::decide(&options, &Counter::new(output.shows_progress())) {
        Ok(plan) => plan,
        Err(error) => return fix_command::failed(&error, output),
    };
    let text = plan_toml::render(&plan);
    if output.result_to(own.output.as_deref(), &text) { OK } else { FAILED }
}
