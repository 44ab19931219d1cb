//! Other programs: run to their end or killed in time, with everything that they have started.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

const GLANCE: Duration = Duration::from_millis(10);

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// All that it said, for a message.
    pub fn said(&self) -> String {
        format!("exit {:?}\n{}{}", self.code, self.stdout, self.stderr)
    }
}

/// A program with a process group of its own, which dies with this value.
#[derive(Debug)]
pub struct Group {
    child: Child,
}

impl Group {
    pub fn spawn(command: &mut Command) -> Result<Self, String> {
        // The bench must not depend on how its own shell is set up.
        command.env_remove("NODE_OPTIONS").stdin(Stdio::null()).process_group(0);
        match command.spawn() {
            Ok(child) => Ok(Self { child }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(missing(command)),
            Err(error) => Err(format!("{command:?}: {error}")),
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("asking for a child's status")
    }

    /// Waits until it has ended, but not longer than `patience`.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            match self.ended() {
                None if start.elapsed() < patience => sleep(GLANCE),
                status => return status,
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // What has ended by itself is not there to be killed.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// Runs a program to its end; one that takes longer than `patience` is killed, with its children.
pub fn run(command: &mut Command, patience: Duration) -> Result<Finished, String> {
    let mut out = scratch()?;
    let mut err = scratch()?;
    let clone = |file: &File| file.try_clone().map_err(|error| format!("a temporary file: {error}"));
    command.stdout(clone(&out)?).stderr(clone(&err)?);
    let mut group = Group::spawn(command)?;
    let status = group.wait(patience);
    drop(group);
    let (stdout, stderr) = (text(&mut out), text(&mut err));
    match status {
        Some(status) => Ok(Finished { code: status.code(), stdout, stderr }),
        None => Err(format!("{command:?} took longer than {patience:?}\n{stdout}{stderr}")),
    }
}

fn scratch() -> Result<File, String> {
    tempfile::tempfile().map_err(|error| format!("a temporary file: {error}"))
}

fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.rewind();
    let _ = file.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn missing(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let install = match program.as_ref() {
        "node" | "npm" => "install Node.js 20 or newer, which brings npm",
        "python3" => "install Python 3.11 or newer, with pip",
        _ => "it belongs to what the bench installs; remove target/e2e and run it again",
    };
    format!("{program} was not found: {install}")
}
