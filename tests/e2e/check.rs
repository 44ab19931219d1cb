//! What the type checker says of a server, before and after.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::place::files;
use super::process::run;

const PATIENCE: Duration = Duration::from_secs(120);

/// Errors in `result` that `before` does not have.
pub fn compare(set: &Path, before: &Path, result: &Path) -> Result<(), String> {
    let mut known = errors(set, before)?;
    let mut new = Vec::new();
    for error in errors(set, result)? {
        match known.iter().position(|old| *old == error) {
            Some(at) => drop(known.swap_remove(at)),
            None => new.push(error),
        }
    }
    if new.is_empty() { Ok(()) } else { Err(format!("new errors of the type checker:\n{}", new.join("\n"))) }
}

/// The errors in a server, without their places in the files. Plain JavaScript is parsed only.
pub fn errors(set: &Path, server: &Path) -> Result<Vec<String>, String> {
    if !server.join("tsconfig.json").exists() {
        return syntax_errors(server);
    }
    let mut tsc = Command::new("node");
    tsc.arg(set.join("node_modules/typescript/bin/tsc"))
        .args(["--strict", "--noEmit", "--pretty", "false", "-p", "."])
        .current_dir(server);
    let done = run(&mut tsc, PATIENCE)?;
    let errors: Vec<String> = done.stdout.lines().filter_map(without_place).collect();
    // Exit codes 1 and 2 stand for errors in the program; whatever else went wrong must not look like none.
    if errors.is_empty() && !done.succeeded() {
        Err(format!("the type checker failed: {}", done.said()))
    } else {
        Ok(errors)
    }
}

fn syntax_errors(server: &Path) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut parsed = 0;
    for file in files(server)? {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("ts" | "mts" | "cts" | "tsx") => return Err(format!("{}: there is no tsconfig.json", file.display())),
            Some("js" | "mjs" | "cjs") => {
                parsed += 1;
                let done = run(Command::new("node").arg("--check").arg(&file).current_dir(server), PATIENCE)?;
                if !done.succeeded() {
                    out.push(format!("{}: {}", file.display(), done.stderr));
                }
            }
            _ => {}
        }
    }
    if parsed == 0 { Err(format!("{} holds no program", server.display())) } else { Ok(out) }
}

/// `src/a.ts(3,7): error TS2345: …` without the `(3,7)`. Lines that explain the one above do not count.
fn without_place(line: &str) -> Option<String> {
    let (place, message) = line.split_once(": error TS")?;
    let file = place.split_once('(').map_or(place, |(file, _)| file);
    Some(format!("{file}: error TS{message}"))
}
