//! Puts the properties of `drive/` to running servers, and says which of them hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::cases::fixtures;
use super::install::home;
use super::process::run;
use super::server::{Program, Server};

/// Longer than all properties of a mode together may take, each of which has a limit of its own.
const PATIENCE: Duration = Duration::from_secs(240);
const EXIT: Duration = Duration::from_secs(10);
const IDLE_SECONDS: &str = "1.5";
const LIMIT: &str = "3";

/// What was found out about one property.
#[derive(Debug, Deserialize)]
pub struct Property {
    #[serde(rename = "property")]
    pub name: String,
    pub holds: bool,
    #[serde(default)]
    pub detail: String,
}

/// The generation of the SDK that a server is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    V1,
    V2,
}

impl Era {
    pub fn of(set: &str) -> Self {
        if set.starts_with("v2") { Self::V2 } else { Self::V1 }
    }

    fn id(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }
}

/// Whether a server is driven as it was or as it became.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    Result,
}

impl Side {
    pub fn id(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Result => "result",
        }
    }

    /// The clients that connect: of both SDKs, and of each way to settle the revision that the server can answer.
    fn kinds(self, era: Era) -> &'static [&'static str] {
        match (era, self) {
            (Era::V1, _) => &["v1", "auto"],
            (Era::V2, Self::Before) => &["legacy", "auto", "v1"],
            (Era::V2, Self::Result) => &["pinned", "auto", "legacy", "v1"],
        }
    }
}

/// A case file with the clients that follow it.
#[derive(Debug)]
pub struct Driver {
    script: Value,
    era: Era,
    clients: PathBuf,
}

impl Driver {
    /// `script` is a path in `fixtures/e2e/typescript`.
    pub fn new(script: &Path, era: Era, clients: PathBuf) -> Result<Self, String> {
        let file = fixtures().join("e2e/typescript").join(script);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let script = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Self { script, era, clients })
    }

    /// How to start the server in `folder`, as far as the case file says it: `endpoint`, `args` and `env`.
    pub fn program(&self, folder: PathBuf, entry: &str) -> Program {
        let strings = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Program {
            folder,
            entry: entry.to_owned(),
            args: self.script["args"].as_array().into_iter().flatten().map(strings).collect(),
            env: self.script["env"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), strings(value)))
                .collect(),
            endpoint: self.script["endpoint"].as_str().unwrap_or("/mcp").to_owned(),
        }
    }

    /// All properties of one side. The calls of the case have a server of their own, since what they leave behind may count.
    pub fn drive(&self, program: &Program, side: Side) -> Result<Vec<Property>, String> {
        let mut out = Vec::new();
        if !self.script[side.id()]["steps"].is_null() {
            out.extend(self.ask("steps", side, &[&Server::start(program, &[])?], &json!({}))?);
        }
        let mut server = Server::start(program, &[])?;
        out.extend(self.ask("wire", side, &[&server], &json!({}))?);
        if side == Side::Result {
            if !self.script["result"]["handle"].is_null() {
                out.extend(self.handles(program, &server)?);
            }
            out.extend(self.shutdown(program)?);
        }
        server.alive()?;
        Ok(out)
    }

    /// What holds of a server with handles, and of its settings.
    fn handles(&self, program: &Program, first: &Server) -> Result<Vec<Property>, String> {
        let second = Server::start(program, &[])?;
        let mut out = self.ask("handles", Side::Result, &[first, &second], &json!({}))?;
        let settings = &self.script["result"]["handle"]["env"];
        if let Some(name) = settings["idle"].as_str() {
            let server = Server::start(program, &[(name, IDLE_SECONDS)])?;
            let seconds: f64 = IDLE_SECONDS.parse().expect("a number");
            out.extend(self.ask("expiry", Side::Result, &[&server], &json!({ "idleSeconds": seconds }))?);
        }
        if let Some(name) = settings["limit"].as_str() {
            let mut env = vec![(name, LIMIT)];
            env.extend(settings["idle"].as_str().map(|idle| (idle, "0")));
            let server = Server::start(program, &env)?;
            let limit: u32 = LIMIT.parse().expect("a number");
            out.extend(self.ask("limit", Side::Result, &[&server], &json!({ "limit": limit }))?);
        }
        Ok(out)
    }

    /// For each signal that the case names: requests in flight are answered, and the process ends well.
    fn shutdown(&self, program: &Program) -> Result<Vec<Property>, String> {
        let mut out = Vec::new();
        for signal in
            self.script["result"]["shutdown"]["signals"].as_array().into_iter().flatten().filter_map(Value::as_str)
        {
            let mut server = Server::start(program, &[])?;
            out.extend(self.ask("shutdown", Side::Result, &[&server], &json!({ "signal": signal }))?);
            let status = server.exit(EXIT);
            out.push(Property {
                name: format!("exits-on-{signal}"),
                holds: status.is_some_and(|status| status.success()),
                detail: format!("exit status {status:?}"),
            });
        }
        Ok(out)
    }

    pub fn inspector(&self, server: &Server, node: &Path, cli: &Path) -> Result<Vec<Property>, String> {
        let home = server.log.with_extension("home");
        fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
        let eras: &[&str] = if self.era == Era::V2 { &["modern", "legacy"] } else { &["legacy"] };
        self.ask("inspector", Side::Result, &[server], &json!({ "node": node, "cli": cli, "home": home, "eras": eras }))
    }

    fn ask(&self, mode: &str, side: Side, servers: &[&Server], settings: &Value) -> Result<Vec<Property>, String> {
        let first = servers[0];
        let context = json!({
            "mode": mode,
            "side": side.id(),
            "era": self.era.id(),
            "kinds": side.kinds(self.era),
            "clients": self.clients,
            "urls": servers.iter().map(|server| server.url()).collect::<Vec<_>>(),
            "users": self.script["users"],
            "log": first.log,
            "pid": first.id(),
            "drive": self.side(side),
            "settings": settings,
        });
        let file = first.log.with_extension(format!("{mode}.json"));
        fs::write(&file, context.to_string()).map_err(|error| format!("{}: {error}", file.display()))?;
        let done = run(Command::new("node").arg(home("drive/main.mjs")).arg(&file), PATIENCE)?;
        let properties: Result<Vec<Property>, _> = done.stdout.lines().map(serde_json::from_str).collect();
        match properties {
            Ok(properties) if done.succeeded() && !properties.is_empty() => Ok(properties),
            _ => Err(format!("the driver failed at {mode}: {}", done.said())),
        }
    }

    /// What the script says of one side, together with what it says of both.
    fn side(&self, side: Side) -> Value {
        let mut all: Map<String, Value> = self.script[side.id()].as_object().cloned().unwrap_or_default();
        if let Some(health) = self.script.get("health") {
            all.entry("health").or_insert_with(|| health.clone());
        }
        Value::Object(all)
    }
}

/// The names of those that do not hold.
pub fn failing(properties: &[Property]) -> BTreeSet<&str> {
    properties.iter().filter(|property| !property.holds).map(|property| property.name.as_str()).collect()
}

/// That all hold.
pub fn all_hold(properties: &[Property]) -> Result<(), String> {
    let failures: Vec<String> = properties
        .iter()
        .filter(|property| !property.holds)
        .map(|property| format!("  {}: {}", property.name, property.detail))
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(format!("these do not hold:\n{}", failures.join("\n"))) }
}
