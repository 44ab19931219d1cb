//! From the arguments to what is checked.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use mcp_migrate::check::{Baseline, CheckError, Checks, Since};
use mcp_migrate::workspace::walk;

use super::args::{Check, Global};
use super::settings::Settings;

/// What counts. Mistakes are found here, before anything is scanned.
pub fn checks(paths: &[PathBuf], check: &Check, settings: &Settings, global: &Global) -> Result<Checks, CheckError> {
    let baseline = match &settings.baseline.value {
        Some(path) => Some(Baseline::load(path, check.write_baseline)?),
        None if check.write_baseline => {
            return Err(CheckError::new(
                "there is no file to write the baseline to",
                "Name one: `--baseline FILE`, or `baseline = \"FILE\"` in mcp-migrate.toml.",
            ));
        }
        None => None,
    };
    // A path that is not there is the scan's to report.
    let since = match walk::root(paths) {
        Ok(root) => since(check, &root)?,
        Err(_) => None,
    };
    Ok(Checks { policy: settings.policy(global), since, baseline, write_baseline: check.write_baseline })
}

fn since(check: &Check, root: &Path) -> Result<Option<Since>, CheckError> {
    if let Some(name) = &check.diff_base {
        return Since::merge_base(name, root).map(Some);
    }
    if check.staged {
        return Since::staged(root).map(Some);
    }
    let Some(file) = &check.changed_lines else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs::read(file).map(|read| bytes = read)
    };
    read.map_err(|error| {
        CheckError::new(
            format!("the diff {} can't be read: {error}", file.display()),
            "Give a file with a unified diff, or `-` for stdin: `git diff -U0 main...HEAD | mcp-migrate scan --changed-lines -`.",
        )
    })?;
    Since::diff(&bytes, root).map(Some)
}
