//! A server under test: started on a port of its own, watched until it listens, gone with this value.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::install::home;
use super::process::Group;

const START: Duration = Duration::from_secs(30);

/// How to start one: its folder, the program in it with arguments and environment, and the path that it serves. `${port}` in an
/// argument or a variable is its port, which `PORT` holds in any case.
#[derive(Debug, Clone)]
pub struct Program {
    pub folder: PathBuf,
    pub entry: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub endpoint: String,
}

#[derive(Debug)]
pub struct Server {
    group: Group,
    // After the group, so that the server is gone before its port is free.
    port: Port,
    endpoint: String,
    /// What it has written to its standard error.
    pub log: PathBuf,
}

impl Server {
    pub fn start(program: &Program, env: &[(&str, &str)]) -> Result<Self, String> {
        let port = Port::take();
        let number = port.number.to_string();
        let log = program.folder.with_file_name(format!("{number}.log"));
        let file = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut node = Command::new("node");
        node.arg("--import").arg(home("drive/hooks.mjs"));
        if program.entry.ends_with("ts") {
            node.args(["--import", "tsx"]);
        }
        let filled = |text: &String| text.replace("${port}", &number);
        node.arg(&program.entry).args(program.args.iter().map(filled)).current_dir(&program.folder);
        node.env("PORT", &number).envs(program.env.iter().map(|(name, value)| (name, filled(value))));
        node.envs(env.iter().copied()).stdout(Stdio::null()).stderr(file);
        let group = Group::spawn(&mut node)?;
        let mut server = Self { group, port, endpoint: program.endpoint.clone(), log };
        server.listens()?;
        Ok(server)
    }

    fn listens(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port.number)).is_err() {
            if let Some(status) = self.group.ended() {
                return Err(format!("the server ended before it listened ({status}):\n{}", said(&self.log)));
            }
            if start.elapsed() > START {
                return Err(format!("the server does not listen after {START:?}:\n{}", said(&self.log)));
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub fn id(&self) -> u32 {
        self.group.id()
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port.number, self.endpoint)
    }

    /// The address by name: the suite judges the protection of servers on localhost by it.
    pub fn named_url(&self) -> String {
        format!("http://localhost:{}{}", self.port.number, self.endpoint)
    }

    pub fn alive(&mut self) -> Result<(), String> {
        match self.group.ended() {
            None => Ok(()),
            Some(status) => Err(format!("the server has ended ({status}):\n{}", said(&self.log))),
        }
    }

    pub fn exit(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.group.wait(patience)
    }
}

fn said(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

/// A port that no other server of these tests gets, in whatever process they run: between a look at a free port and the server's
/// own there is time for others to take the same. What holds it is a socket of UDP, which servers of TCP do not mind.
#[derive(Debug)]
struct Port {
    number: u16,
    _hold: UdpSocket,
}

impl Port {
    /// One below the range that systems give to outgoing connections.
    fn take() -> Self {
        const FIRST: u16 = 20_000;
        const COUNT: u16 = 12_000;
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let start = u16::try_from(std::process::id() % u32::from(COUNT)).expect("a number below COUNT");
        loop {
            let number = FIRST + (start + NEXT.fetch_add(1, Ordering::Relaxed) % COUNT) % COUNT;
            let hold = UdpSocket::bind((Ipv4Addr::LOCALHOST, number));
            if let (Ok(hold), Ok(_)) = (hold, TcpListener::bind((Ipv4Addr::UNSPECIFIED, number))) {
                return Self { number, _hold: hold };
            }
        }
    }
}
