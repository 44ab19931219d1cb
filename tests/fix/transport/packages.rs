//! Servers that are made of several packages of one repository: what another package keeps by session holds their transports back.

use mcp_migrate::plan::StepKind;

use super::MANIFEST;
use crate::disk::Package;

const STATE: &str = "export interface Maze { room: number; visited: number[] }
const mazes = new Map<string, Maze>();
export function mazeFor(id: string): Maze {
  let maze = mazes.get(id);
  if (!maze) {
    maze = { room: 0, visited: [0] };
    mazes.set(id, maze);
  }
  return maze;
}
";

const APPROVALS: &str = "const approved = new Set<string>();
export function mazeFor(id: string): { room: number } {
  if (!approved.has(id)) throw new Error('Ask a person for approval first.');
  return { room: 1 };
}
export function approve(id: string) {
  approved.add(id);
}
";

const SERVER: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { mazeFor } from '@maze/state';

function buildServer(): McpServer {
  const server = new McpServer({ name: 'maze', version: '1.0.0' });
  server.registerTool('go', { description: 'Goes on' }, async (extra) => {
    const maze = mazeFor(extra.sessionId!);
    maze.room += 1;
    return { content: [{ type: 'text', text: `in room ${maze.room}` }] };
  });
  return server;
}

const transports = new Map<string, StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());
app.all('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  let transport = id ? transports.get(id) : undefined;
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).send('No session');
      return;
    }
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void transports.set(sid, created),
    });
    await buildServer().connect(created);
    transport = created;
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
";

const ROOT: &str = r#"{ "name": "all", "private": true, "workspaces": ["packages/*"] }"#;
const STATE_MANIFEST: &str = r#"{ "name": "@maze/state", "type": "module", "exports": "./src/index.ts" }"#;

/// A repository with the servers that are named, all made of one package of state.
fn repository(servers: &[&str], state: &str) -> Package {
    let manifest = MANIFEST.replace("\"express\"", "\"@maze/state\": \"*\", \"express\"");
    let mut files = vec![
        ("package.json".to_owned(), ROOT.to_owned()),
        ("packages/state/package.json".to_owned(), STATE_MANIFEST.to_owned()),
        ("packages/state/src/index.ts".to_owned(), state.to_owned()),
    ];
    for server in servers {
        files.push((format!("packages/{server}/package.json"), manifest.clone()));
        files.push((format!("packages/{server}/src/index.ts"), SERVER.to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Package::new(&files)
}

#[test]
fn state_of_another_package_goes_first() {
    let (steps, manual) = repository(&["server"], STATE).plan();
    let handle = steps.iter().find(|step| step.id.ends_with("#mazes")).expect("a step for the store");
    let transport = steps.iter().find(|step| matches!(step.kind, StepKind::Transport(_))).expect("a transport step");
    assert!(transport.requires.contains(&handle.id), "{:?}", transport.requires);
    assert!(manual.is_empty(), "{manual:#?}");
}

#[test]
fn a_guard_of_another_package_keeps_the_sessions() {
    let text = APPROVALS.to_owned();
    let package = repository(&["server"], &text);
    let (steps, manual) = package.plan();
    assert!(steps.iter().all(|step| !matches!(step.kind, StepKind::Transport(_))), "{steps:#?}");
    assert!(manual.iter().any(|manual| manual.at.path == "packages/state/src/index.ts"), "{manual:#?}");
}

#[test]
fn state_that_two_servers_keep_is_no_affair_of_one() {
    let (steps, manual) = repository(&["here", "there"], STATE).plan();
    assert!(steps.iter().all(|step| !matches!(step.kind, StepKind::Transport(_))), "{steps:#?}");
    let told = manual.iter().filter(|manual| manual.what.contains("several servers")).count();
    assert_eq!(told, 2, "{manual:#?}");
}
