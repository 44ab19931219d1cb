//! `handle-not-usable` and `handle-registry-in-factory`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

/// Baskets outside the factory, and the tool that adds to one.
fn shop(parameter: &str, body: &str) -> String {
    format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
const baskets = new Map<string, string[]>();
export function buildServer() {{
  const server = new McpServer({{ name: 'shop', version: '1.0.0' }});
  server.registerTool('create_basket', {{ description: 'Creates a basket, kept until the server stops' }}, async () => {{
    const basket_id = `bsk_${{randomUUID()}}`;
    baskets.set(basket_id, []);
    return {{ structuredContent: {{ basket_id }}, content: [{{ type: 'text', text: `basket_id: ${{basket_id}}` }}] }};
  }});
  server.registerTool('add_item', {{ inputSchema: {{ {parameter}, sku: z.string() }} }}, async (args) => {{
    {body}
    return {{ content: [{{ type: 'text', text: 'added' }}] }};
  }});
  return server;
}}
"
    )
}

/// The same in Python.
fn python(parameter: &str, body: &str) -> String {
    format!(
        r"
from uuid import uuid4
from mcp.server.fastmcp import FastMCP

mcp = FastMCP('shop', stateless_http=True)
baskets: dict[str, list[str]] = {{}}

@mcp.tool()
def create_basket() -> str:
    basket_id = uuid4().hex
    baskets[basket_id] = []
    return basket_id

@mcp.tool()
def items(basket_id: str) -> str:
    return ','.join(baskets[basket_id])

@mcp.tool()
def add_item(sku: str, {parameter}) -> str:
    {body}
    basket.append(sku)
    return 'added'

mcp.run(transport='streamable-http')
"
    )
}

/// The same in Rust, where `add` takes any id.
const RUST: &str = r#"
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use rmcp::handler::server::{router::tool::ToolRouter, wrapper::Parameters};
use rmcp::transport::streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

type Baskets = Arc<Mutex<HashMap<String, Vec<String>>>>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add { basket_id: String, sku: String }

#[derive(Clone)]
struct Shop { baskets: Baskets, tool_router: ToolRouter<Self> }

#[tool_router]
impl Shop {
    fn new(baskets: Baskets) -> Self { Self { baskets, tool_router: Self::tool_router() } }

    #[tool(description = "Creates a basket")]
    fn create_basket(&self) -> String {
        let basket_id = uuid::Uuid::new_v4().to_string();
        self.baskets.lock().unwrap().insert(basket_id.clone(), Vec::new());
        basket_id
    }

    #[tool(description = "Lists a basket")]
    fn items(&self, Parameters(add): Parameters<Add>) -> String {
        self.baskets.lock().unwrap().get(&add.basket_id).map(|items| items.join(",")).unwrap_or_default()
    }

    #[tool(description = "Adds an item")]
    fn add_item(&self, Parameters(add): Parameters<Add>) -> String {
        let mut baskets = self.baskets.lock().unwrap();
        baskets.entry(add.basket_id).or_insert_with(Vec::new).push(add.sku);
        "added".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Shop {}

#[tokio::main]
async fn main() {
    let baskets = Baskets::default();
    let service = StreamableHttpService::new(move || Ok(Shop::new(baskets.clone())), LocalSessionManager::default().into(), Default::default());
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
"#;

#[test]
fn not_usable() {
    speaks(
        "handle-not-usable",
        Severity::Note,
        &[
            Program::v1("called session_id").stateless(&shop("session_id: z.string()", "const basket = baskets.get(args.session_id); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
            Program::v1("called sessionId").stateless(&shop("sessionId: z.string()", "const basket = baskets.get(args.sessionId); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
            Program::v1("optional, and minted silently").stateless(&shop("basket_id: z.string().optional()", "const id = args.basket_id ?? randomUUID(); const basket = baskets.get(id) ?? []; basket.push(args.sku); baskets.set(id, basket);")),
            Program::v1("an unknown one is taken as new").stateless(&shop("basket_id: z.string()", "if (!baskets.has(args.basket_id)) baskets.set(args.basket_id, []); baskets.get(args.basket_id)!.push(args.sku);")),
            Program::v1("made up in a branch").stateless(&shop("basket_id: z.string().optional()", "let id = args.basket_id; if (!id) id = randomUUID(); let basket = baskets.get(id); if (!basket) { basket = []; baskets.set(id, basket); } basket.push(args.sku);")),
            Program::v1("what is looked up or new").stateless(&shop("basket_id: z.string()", "const basket = baskets.get(args.basket_id) ?? []; basket.push(args.sku); baskets.set(args.basket_id, basket);")),
            Program::python("made up where none is given, Python", "mcp>=1.9,<2", &python("basket_id: str | None = None", "basket = baskets.setdefault(basket_id or uuid4().hex, [])")),
            Program::python("an unknown one is taken as new, Python", "mcp>=1.9,<2", &python("basket_id: str = ''", "basket = baskets.setdefault(basket_id, [])")),
            Program::python("the same in a branch, Python", "mcp>=1.9,<2", &python("basket_id: str = ''", "if basket_id not in baskets:\n        baskets[basket_id] = []\n    basket = baskets[basket_id]")),
            Program::rust("an unknown one is taken as new, Rust", "rmcp=1.4 uuid=1 schemars=1 serde=1", RUST),
            Program::v1("a leading underscore").stateless(&shop("_basket: z.string()", "const basket = baskets.get(args._basket); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
        ],
    );
}

#[test]
fn usable() {
    silent(
        "handle-not-usable",
        &[
            Program::v1("named, required, looked up").category("none").facet("handles-already").stateless(&shop("basket_id: z.string()", "const basket = baskets.get(args.basket_id); if (!basket) throw new Error(`basket ${args.basket_id} is unknown or has expired; call create_basket`); basket.push(args.sku);")),
            Program::v1("optional, and the new one is answered").stateless(
                &shop("basket_id: z.string().optional()", "const id = args.basket_id ?? randomUUID(); const basket = baskets.get(id) ?? []; basket.push(args.sku); baskets.set(id, basket);")
                    .replace("text: 'added'", "text: `added to ${id}`"),
            ),
            Program::v1("a known one is replaced").stateless(&shop("basket_id: z.string()", "if (!baskets.has(args.basket_id)) throw new Error('call create_basket'); baskets.set(args.basket_id, [args.sku]);")),
            Program::v1("what is loaded by its id").stateless(
                &shop("basket_id: z.string()", "if (!baskets.has(args.basket_id)) baskets.set(args.basket_id, await load(args.basket_id)); baskets.get(args.basket_id)!.push(args.sku);")
                    .replace("const baskets", "import { load } from './disk.js';\nconst baskets"),
            ).file("src/disk.ts", "import { readFile } from 'node:fs/promises';\nexport async function load(id: string): Promise<string[]> { return JSON.parse(await readFile(`${id}.json`, 'utf8')); }\n"),
            Program::v1("names that people choose").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const lists = new Map<string, string[]>();
export function buildServer() {
  const server = new McpServer({ name: 'lists', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { list: z.string(), text: z.string() } }, async ({ list, text }) => {
    if (!lists.has(list)) lists.set(list, []);
    lists.get(list)!.push(text);
    return { content: [{ type: 'text', text: 'added' }] };
  });
  return server;
}
"),
            Program::python("a known one alone, Python", "mcp>=1.9,<2", &python("basket_id: str = ''", "if basket_id not in baskets:\n        raise ValueError('call create_basket')\n    basket = baskets[basket_id]")),
            Program::python("a field of its own that an argument was put into, Python", "mcp>=1.9,<2", &python("basket_id: str", "basket = desk.chosen(basket_id)").replace("mcp = FastMCP", r"
class Desk:
    def __init__(self) -> None:
        self._current = ''

    def chosen(self, basket_id: str) -> list[str]:
        self._current = basket_id
        return baskets[self._current]

desk = Desk()
mcp = FastMCP")),
            Program::v1("the session of a vendor").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'recordings', version: '1.0.0' });
  server.registerTool('play', { inputSchema: { sessionId: z.string() } }, async ({ sessionId }) => {
    const answer = await fetch(`https://api.example/recordings/${sessionId}`);
    return { content: [{ type: 'text', text: await answer.text() }] };
  });
  return server;
}
"),
        ],
    );
}

const REGISTRY: &str = r"
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const baskets = new Map<string, string[]>();
  server.registerTool('create_basket', { description: 'Creates a basket' }, async () => {
    const basket_id = `bsk_${randomUUID()}`;
    baskets.set(basket_id, []);
    return { structuredContent: { basket_id }, content: [{ type: 'text', text: `basket_id: ${basket_id}` }] };
  });
  server.registerTool('add_item', { inputSchema: { basket_id: z.string(), sku: z.string() } }, async ({ basket_id, sku }) => {
    const basket = baskets.get(basket_id);
    if (!basket) throw new Error('unknown basket; call create_basket');
    basket.push(sku);
    return { content: [{ type: 'text', text: 'added' }] };
  });
  return server;
}
";

#[test]
fn in_the_factory() {
    speaks(
        "handle-registry-in-factory",
        Severity::Error,
        &[
            Program::v1("a factory per session").stateful(REGISTRY).store("baskets:*:*:lost"),
            Program::v1("a registry class made by the factory")
                .stateful(
                    &REGISTRY
                        .replace("new Map<string, string[]>()", "new Baskets()")
                        .replace("import { z }", "import { Baskets } from './baskets.js';\nimport { z }"),
                )
                .file(
                    "src/baskets.ts",
                    r"
export class Baskets {
  private readonly byId = new Map<string, string[]>();
  get(id: string) { return this.byId.get(id); }
  set(id: string, items: string[]) { this.byId.set(id, items); }
}
",
                ),
            Program::v1("a factory per request").stateless(REGISTRY),
            Program::v2("the modern entry point").modern(&REGISTRY.replace("sdk/server/mcp.js", "server").replace(
                "{ basket_id: z.string(), sku: z.string() }",
                "z.object({ basket_id: z.string(), sku: z.string() })",
            )),
        ],
    );
}

#[test]
fn outside_the_factory() {
    silent(
        "handle-registry-in-factory",
        &[
            Program::v1("hoisted").category("none").facet("handles-already").stateless(&shop("basket_id: z.string()", "const basket = baskets.get(args.basket_id); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
            Program::v1("one factory call per process").category("none").stdio(REGISTRY),
        ],
    );
}
