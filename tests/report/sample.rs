//! An answer that shows everything, and the text of its files.

use std::collections::HashMap;

use mcp_migrate::classify::answer::*;
use mcp_migrate::report::scan::*;
use mcp_migrate::report::sources::Sources;
use mcp_migrate::rules::finding::*;

/// The server's main file.
pub const SERVER_TS: &str = r#"import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { audit } from "./audit.js";

const baskets = new Map<string, Basket>();
const tokens = new Map<string, string>();

server.registerTool("add_item", { inputSchema: { sku: z.string() } }, async ({ sku }, extra) => {
	const basket = baskets.get(extra.sessionId!) ?? { items: [] };
	baskets.set(extra.sessionId!, basket);
	return { content: [{ type: "text", text: "dazugelegt: Brötchen 🥐" }] };
});
"#;

/// Files in memory.
pub struct Memory(HashMap<&'static str, &'static str>);

impl Sources for Memory {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).map(|t| (*t).to_owned())
    }
}

/// The files of the sample.
pub fn sources() -> Memory {
    Memory(HashMap::from([("packages/cart/src/server.ts", SERVER_TS)]))
}

fn place(path: &str, line: u32, column: u32) -> Place {
    Place { path: path.to_owned(), line, column }
}

fn position(line: u32, column: u32, byte: u32) -> Position {
    Position { line, column, byte }
}

fn store(name: &str, line: u32, holds: Holds, carrier: Carrier, failure: Failure, tools: &[&str]) -> Store {
    let path = "packages/cart/src/server.ts";
    Store {
        id: format!("{path}#{name}"),
        name: name.to_owned(),
        container: "Map".to_owned(),
        keyed_by: KeyedBy::SessionId,
        value: Some("Basket".to_owned()),
        holds,
        carrier,
        failure,
        tools: tools.iter().map(|t| (*t).to_owned()).collect(),
        fields: vec![StoreField {
            name: "items".to_owned(),
            readers: vec![format!("{path}:8")],
            writers: vec![format!("{path}:9")],
        }],
        at: place(path, line, 7),
    }
}

fn finding(rule: &'static str, severity: Severity, message: &str, start: Position, end: Position) -> Finding {
    Finding {
        rule,
        severity,
        message: message.to_owned(),
        server: "packages/cart".to_owned(),
        path: "packages/cart/src/server.ts".to_owned(),
        start,
        end,
        more: Vec::new(),
        related: Vec::new(),
        failure: None,
        fix: None,
        fingerprint: format!("{rule}:sample"),
        advice: String::new(),
    }
}

/// The answer's parts.
pub fn parts() -> Parts {
    let cart = Server {
        path: "packages/cart".to_owned(),
        language: "typescript",
        role: Role::Server,
        sdk: Some(SdkAnswer {
            name: "@modelcontextprotocol/sdk".to_owned(),
            requirement: Some("^1.20.0".to_owned()),
            resolved: Some("1.26.0".to_owned()),
            era: Some(Era::Legacy),
        }),
        category: Category::Auth,
        categories: vec![Category::Auth, Category::AppState, Category::TransportMap],
        facets: vec![Facet::Telemetry, Facet::MutableList],
        principal: Principal::User,
        principal_at: Some(place("packages/cart/src/auth.ts", 9, 3)),
        stores: vec![
            store("tokens", 5, Holds::Auth, Carrier::Manual, Failure::Collapsed, &["begin_login"]),
            store(
                "baskets",
                4,
                Holds::AppState,
                Carrier::Handle,
                Failure::Collapsed,
                &["checkout", "add_item", "remove_item"],
            ),
            store("transports", 3, Holds::Transport, Carrier::Drop, Failure::Refused, &[]),
        ],
        processes: vec![Processes {
            reason: "deploy.replicas: 3 of service cart".to_owned(),
            at: place("docker-compose.yml", 12, 17),
        }],
        upgrades: vec![Upgrade {
            package: "@modelcontextprotocol/sdk".to_owned(),
            from: Some("1.26.0".to_owned()),
            to: "2".to_owned(),
            changes: vec![
                UpgradeChange {
                    kind: ChangeKind::Era,
                    message: "2026-07-28 is spoken from 2.0.0 on".to_owned(),
                    at: Vec::new(),
                },
                UpgradeChange {
                    kind: ChangeKind::Removed,
                    message: "every import of it changes".to_owned(),
                    at: vec![place("packages/cart/src/server.ts", 1, 1), place("packages/cart/src/audit.ts", 2, 1)],
                },
            ],
        }],
    };
    let probe = Server {
        path: "packages/probe".to_owned(),
        language: "javascript",
        role: Role::Client,
        sdk: None,
        category: Category::None,
        categories: Vec::new(),
        facets: vec![Facet::Client],
        principal: Principal::None,
        principal_at: None,
        stores: Vec::new(),
        processes: Vec::new(),
        upgrades: Vec::new(),
    };
    let mut state = finding(
        "session-keyed-state",
        Severity::Error,
        "`baskets` is kept by session id; without one, all callers share a single basket.",
        position(4, 7, 122),
        position(4, 14, 129),
    );
    state.failure = Some(Failure::Collapsed);
    state.advice =
        "Return a handle from a tool create_basket and take it as the first argument of add_item, checkout and remove_item."
            .to_owned();
    let related = |path: &str, line, column, message: &str| Related {
        at: place(path, line, column),
        message: message.to_owned(),
    };
    state.related = vec![
        related("packages/cart/src/server.ts", 8, 17, "read here, in tool add_item"),
        related("packages/cart/src/server.ts", 9, 2, "written here, in tool add_item"),
        related("packages/cart/src/checkout.ts", 31, 5, "deleted here, in tool checkout"),
    ];
    let mut log = finding(
        "session-keyed-telemetry",
        Severity::Warning,
        "A log line is labelled with the session id.",
        position(7, 3, 60),
        position(7, 9, 66),
    );
    log.path = "packages/cart/src/audit.ts".to_owned();
    log.fix = Some(FixHint { level: "review", title: "Label the line with the request id".to_owned(), step: None });
    let skip = |path: &str, reason, detail: Option<&str>| Skipped {
        path: path.to_owned(),
        reason,
        detail: detail.map(str::to_owned),
    };
    Parts {
        disk_root: std::path::PathBuf::new(),
        root: ".".to_owned(),
        servers: vec![probe, cart],
        findings: vec![log, state],
        skipped: vec![
            skip("vendor/d.min.js", SkipReason::Minified, None),
            skip("vendor/a.min.js", SkipReason::Minified, None),
            skip("vendor/c.min.js", SkipReason::Minified, None),
            skip("vendor/b.min.js", SkipReason::Minified, Some("one line of 80 kB")),
            skip("src/broken.ts", SkipReason::SyntaxError, Some("first error in line 3")),
        ],
        unsupported: vec![Unsupported { language: "Go".to_owned(), path: "cmd/relay/main.go".to_owned(), files: 3 }],
        files: Files { walked: 41, parsed: 6 },
        bytes: 81_234,
        planned: false,
    }
}

/// The answer.
pub fn scan() -> Scan {
    Scan::assemble(parts())
}
