//! Packages that serve without sessions in another place already: the place that joins it is told.

use mcp_migrate::plan::Level;

use super::{MANIFEST, TOOLS};
use crate::disk::{Outcome, Package};

const STATELESS: &str = "import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

export const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
";

const STATEFUL: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

export const app = express();
app.use(express.json());
const transports = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
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
";

const SINGLETON: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

export const app = express();
app.use(express.json());
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await buildServer().connect(transport);

app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
";

const FALLS_BACK: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './tools.js';

const app = express();
app.use(express.json());
const transports = new Map<string, StreamableHTTPServerTransport>();

app.post('/mcp', async (req, res) => {
  const id = req.header('mcp-session-id');
  const known = id ? transports.get(id) : undefined;
  if (known) {
    await known.handleRequest(req, res, req.body);
  } else if (isInitializeRequest(req.body)) {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => void transports.set(sid, transport),
    });
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  } else {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await buildServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  }
});
app.listen(3000);
";

fn told(outcome: &Outcome) -> Vec<&str> {
    outcome.notes.iter().map(String::as_str).filter(|note| note.contains("without sessions already")).collect()
}

fn fixed(files: &[(&str, &str)]) -> Outcome {
    let own = [("package.json", MANIFEST), ("src/tools.ts", TOOLS)];
    let outcome = Package::new(&[&own, files].concat()).fix();
    assert_eq!(outcome.applied.len(), 1, "{:?} {:?}", outcome.refused, outcome.manual);
    outcome
}

#[test]
fn an_entry_point_that_becomes_like_its_neighbour_is_told_with_both_places() {
    for (stateful, line) in [(STATEFUL, 19), (SINGLETON, 8)] {
        let outcome = fixed(&[("src/stateful.ts", stateful), ("src/stateless.ts", STATELESS)]);
        let [note] = told(&outcome)[..] else { panic!("{:?}", outcome.notes) };
        let wanted =
            format!("src/stateless.ts:10 serves without sessions already, and src/stateful.ts:{line} does the same");
        assert!(note.starts_with(&wanted), "{note}");
        assert_eq!(outcome.applied[0].1, Level::Review);
    }
}

#[test]
fn a_path_of_the_same_program_is_such_a_neighbour() {
    let route = STATELESS.split_once("app.post('/mcp'").expect("a route").1;
    let both = format!("{STATEFUL}\napp.post('/stateless'{route}");
    let outcome = fixed(&[("src/server.ts", &both)]);
    assert_eq!(told(&outcome).len(), 1, "{:?}", outcome.notes);
}

#[test]
fn a_server_on_its_own_has_no_neighbour() {
    for server in [STATEFUL, SINGLETON] {
        let outcome = fixed(&[("src/server.ts", server)]);
        assert!(told(&outcome).is_empty(), "{:?}", outcome.notes);
    }
}

#[test]
fn a_branch_that_goes_is_no_neighbour() {
    let outcome = fixed(&[("src/server.ts", FALLS_BACK)]);
    assert!(told(&outcome).is_empty(), "{:?}", outcome.notes);
}

#[test]
fn the_handler_of_the_second_sdk_is_such_a_neighbour() {
    let manifest = MANIFEST.replace(
        "\"@modelcontextprotocol/sdk\": \"^1.29.0\"",
        "\"@modelcontextprotocol/server\": \"^2.0.0\", \"@modelcontextprotocol/node\": \"^2.0.0\"",
    );
    let newer = |text: &str| {
        text.replace("@modelcontextprotocol/sdk/server/streamableHttp.js", "@modelcontextprotocol/node")
            .replace("StreamableHTTPServerTransport", "NodeStreamableHTTPServerTransport")
            .replace("@modelcontextprotocol/sdk/types.js", "@modelcontextprotocol/server")
            .replace("@modelcontextprotocol/sdk/server/mcp.js", "@modelcontextprotocol/server")
    };
    let entry = "import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express from 'express';
import { buildServer } from './tools.js';

const mcp = toNodeHandler(createMcpHandler(buildServer));
const app = express();
app.use(express.json());
app.all('/mcp', (req, res) => mcp(req, res, req.body));
app.listen(3001);
";
    let files = [
        ("package.json", manifest.as_str()),
        ("src/tools.ts", &newer(TOOLS)),
        ("src/sessions.ts", &newer(STATEFUL)),
        ("src/modern.ts", entry),
    ];
    let outcome = Package::new(&files).fix();
    assert_eq!(outcome.applied.len(), 1, "{:?} {:?}", outcome.refused, outcome.manual);
    assert!(told(&outcome)[0].contains("src/modern.ts:6"), "{:?}", outcome.notes);
}
