//! Servers that all sessions share, made in one file and connected in another; and handlers whose failures nobody looks after.

use super::{MANIFEST, TOOLS};
use crate::disk::Package;
use crate::parse::assert_parses;

const ROUTES: &str = "  const transports = new Map<string, StreamableHTTPServerTransport>();
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
      await server.connect(created);
      transport = created;
    }
    await transport.handleRequest(req, res, req.body);
  });
";

const IMPORTS: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
";

const SERVER: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

export const server = new McpServer({ name: 'clock', version: '1.0.0' });

server.registerTool('now', { description: 'Tell the time.' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));
";

#[test]
fn a_server_of_another_file_is_built_for_each_request() {
    let http = format!(
        "{IMPORTS}import {{ server }} from './server.js';\n\nexport function start() {{\n  const app = express();\n  app.use(express.json());\n{ROUTES}  app.listen(3000);\n}}\n"
    );
    let stdio = "import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { server } from './server.js';

export async function start() {
  await server.connect(new StdioServerTransport());
}
";
    let main = "import { start as http } from './http.js';
import { start as stdio } from './stdio.js';

if (process.argv.includes('--stdio')) await stdio();
else http();
";
    let files = [
        ("package.json", MANIFEST),
        ("src/server.ts", SERVER),
        ("src/http.ts", &http),
        ("src/stdio.ts", stdio),
        ("src/main.ts", main),
    ];
    let package = Package::new(&files);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let [server, http, stdio] = ["server", "http", "stdio"].map(|name| package.text(&format!("src/{name}.ts")));
    for text in [&server, &http, &stdio] {
        assert_parses("server.ts", text);
    }
    assert!(server.contains("export function buildServer(): McpServer {"), "{server}");
    assert!(stdio.contains("await buildServer().connect(new StdioServerTransport());"), "{stdio}");
    let wanted = [
        "import { buildServer } from './server.js';",
        "const server = buildServer();",
        "res.on('close', () => void server.close());",
        "await server.connect(created);",
        "sessionIdGenerator: undefined",
    ];
    for text in wanted {
        assert!(http.contains(text), "{text} is missing:\n{http}");
    }
    assert!(package.fix().applied.is_empty());
}

#[test]
fn a_server_that_another_file_asks_keeps_the_sessions() {
    let http = format!(
        "{IMPORTS}import {{ server }} from './server.js';\nimport {{ connected }} from './health.js';\n\nconst app = express();\napp.get('/health', (_req, res) => void res.json({{ ok: connected() }}));\n{{\n{ROUTES}}}\napp.listen(3000);\n"
    );
    let health = "import { server } from './server.js';

export const connected = () => server.isConnected();
";
    let files =
        [("package.json", MANIFEST), ("src/server.ts", SERVER), ("src/http.ts", &http), ("src/health.ts", health)];
    let package = Package::new(&files);
    let outcome = package.fix();
    assert!(outcome.applied.is_empty());
    assert_eq!(package.text("src/http.ts"), http);
    assert!(
        outcome.refused.iter().any(|refused| format!("{refused:?}").contains("src/health.ts")),
        "{:?}",
        outcome.refused
    );
}

#[test]
fn a_server_that_is_handed_in_becomes_a_way_to_build_one() {
    let http = format!(
        "{IMPORTS}import type {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';\n\nexport function start(server: McpServer) {{\n  const app = express();\n  app.use(express.json());\n{ROUTES}  app.listen(3000);\n}}\n"
    );
    let main = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { start } from './http.js';

const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'Tell the time.' }, async () => ({
  content: [{ type: 'text', text: new Date().toISOString() }],
}));
start(server);
";
    let package = Package::new(&[("package.json", MANIFEST), ("src/http.ts", &http), ("src/main.ts", main)]);
    let outcome = package.fix();
    assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
    let (http, main) = (package.text("src/http.ts"), package.text("src/main.ts"));
    assert_parses("http.ts", &http);
    assert_parses("main.ts", &main);
    assert!(http.contains("export function start(buildServer: () => McpServer) {"), "{http}");
    assert!(http.contains("const server = buildServer();"), "{http}");
    assert!(main.contains("start(buildServer);"), "{main}");
    assert!(main.contains("function buildServer(): McpServer {"), "{main}");
}

#[test]
fn a_handler_that_fails_answers_where_the_framework_does_not_look() {
    let text = format!(
        "{IMPORTS}import {{ buildServer }} from './tools.js';\n\nconst app = express();\napp.use(express.json());\n{}app.listen(3000);\n",
        ROUTES.replace("\n  ", "\n").trim_start().replace("server.connect", "buildServer().connect")
    );
    let fixed = |manifest: &str| {
        let package = Package::new(&[("package.json", manifest), ("src/tools.ts", TOOLS), ("src/server.ts", &text)]);
        let outcome = package.fix();
        assert_eq!(outcome.applied.len(), 1, "{:?}", outcome.refused);
        package.text("src/server.ts")
    };
    let four = fixed(&MANIFEST.replace("\"express\": \"^5.1.0\"", "\"express\": \"^4.21.0\""));
    assert_parses("server.ts", &four);
    assert!(
        four.contains("  try {\n    // Runs on each request: clients, pools and caches stay outside.\n    const "),
        "{four}"
    );
    assert!(
        four.contains("  } catch (error) {\n    console.error('request failed', error);\n    if (!res.headersSent) {"),
        "{four}"
    );
    assert!(!fixed(MANIFEST).contains("catch (error)"));
}
