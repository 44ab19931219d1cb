//! Small complete programs, written to a temporary folder and scanned.

use std::fs;

use mcp_migrate::report::scan::Scan;
use mcp_migrate::rules::finding::Severity;
use mcp_migrate::{ScanOptions, Silent, scan};
use tempfile::TempDir;

/// Serves `buildServer` of `server.ts` with sessions: a map of transports behind express.
const STATEFUL: &str = r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { buildServer } from './server.js';

const app = express();
app.use(express.json());
const transports: Record<string, StreamableHTTPServerTransport> = {};

app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports[id] : undefined;
  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => { transports[sid] = transport!; },
    });
    await buildServer().connect(transport);
  }
  if (!transport) { res.status(400).json({ error: 'no valid session' }); return; }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
";

/// Serves it without sessions, a server per request.
const STATELESS: &str = r"
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';

const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => { void server.close(); });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.all('/mcp', (_req, res) => { res.status(405).set('Allow', 'POST').end(); });
app.listen(3000);
";

/// Serves it over standard input and output.
const STDIO: &str = r"
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { buildServer } from './server.js';
await buildServer().connect(new StdioServerTransport());
";

/// Serves it with the modern entry point of the second SDK.
const MODERN: &str = r"
import express from 'express';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { buildServer } from './server.js';

const app = express();
app.use(express.json());
const handler = createMcpHandler(buildServer);
const mcp = toNodeHandler(handler);
app.all('/mcp', (req, res) => { void mcp(req, res, req.body); });
app.listen(3000);
";

const V1: &str = r#"{"name":"shop","version":"1.0.0","type":"module","dependencies":{"@modelcontextprotocol/sdk":"^1.26.0","express":"^5.0.0","zod":"^3.25.0"}}"#;
const V2: &str = r#"{"name":"shop","version":"1.0.0","type":"module","dependencies":{"@modelcontextprotocol/server":"^2.4.0","@modelcontextprotocol/node":"^2.1.0","express":"^5.0.0","zod":"^4.2.0"}}"#;
const COMMONJS: &str = r#"{"name":"shop","version":"1.0.0","dependencies":{"@modelcontextprotocol/sdk":"^1.20.0","express":"^4.18.0","zod":"^3.25.0"}}"#;

/// A program and what is expected of it beside a rule.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it shows.
    pub name: &'static str,
    files: Vec<(String, String)>,
    stores: Vec<&'static str>,
    /// Category that it must have.
    pub category: Option<&'static str>,
    /// Rules that may speak though the program is a look-alike.
    pub allowed: Vec<&'static str>,
    facets: Vec<&'static str>,
}

impl Program {
    /// A package with this manifest and nothing else.
    pub fn bare(name: &'static str, manifest: &str) -> Self {
        Self::with_manifest(name, "package.json", manifest)
    }

    fn with_manifest(name: &'static str, path: &str, manifest: &str) -> Self {
        let files = vec![(path.to_owned(), manifest.to_owned())];
        Self { name, files, stores: Vec::new(), category: None, allowed: Vec::new(), facets: Vec::new() }
    }

    /// A Python package that needs these distributions, in one file.
    pub fn python(name: &'static str, needs: &str, text: &str) -> Self {
        let needs: Vec<String> = needs.split(' ').map(|need| format!("\"{need}\"")).collect();
        let manifest =
            format!("[project]\nname = \"desk\"\nversion = \"1.0.0\"\ndependencies = [{}]\n", needs.join(", "));
        Self::with_manifest(name, "pyproject.toml", &manifest).file("server.py", text)
    }

    /// A Rust package that needs these crates, in one file.
    pub fn rust(name: &'static str, needs: &str, text: &str) -> Self {
        let needs: String = needs.split(' ').map(|need| need.replacen('=', " = \"", 1) + "\"\n").collect();
        let manifest =
            format!("[package]\nname = \"desk\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{needs}");
        Self::with_manifest(name, "Cargo.toml", &manifest).file("src/main.rs", text)
    }

    /// A package on the first SDK, ES modules, express 5.
    pub fn v1(name: &'static str) -> Self {
        Self::bare(name, V1)
    }

    /// A package on the second SDK.
    pub fn v2(name: &'static str) -> Self {
        Self::bare(name, V2)
    }

    /// A package on the first SDK, CommonJS, express 4.
    pub fn commonjs(name: &'static str) -> Self {
        Self::bare(name, COMMONJS)
    }

    /// A package with one more dependency.
    pub fn with(name: &'static str, dependency: &str) -> Self {
        Self::bare(name, &V1.replace(r#""express""#, &format!(r#""{dependency}":"*","express""#)))
    }

    /// One file.
    #[must_use]
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.to_owned(), text.to_owned()));
        self
    }

    /// Puts text before that of a file.
    #[must_use]
    pub fn prepend(mut self, path: &str, text: &str) -> Self {
        for (known, old) in &mut self.files {
            if known == path {
                old.insert_str(0, text);
            }
        }
        self
    }

    /// `src/index.ts`.
    #[must_use]
    pub fn ts(self, text: &str) -> Self {
        self.file("src/index.ts", text)
    }

    /// `index.js`.
    #[must_use]
    pub fn js(self, text: &str) -> Self {
        self.file("index.js", text)
    }

    /// `src/server.ts` with `buildServer`, served with sessions.
    #[must_use]
    pub fn stateful(self, server: &str) -> Self {
        self.file("src/server.ts", server).file("src/main.ts", STATEFUL)
    }

    /// `src/server.ts` with `buildServer`, served without sessions.
    #[must_use]
    pub fn stateless(self, server: &str) -> Self {
        self.file("src/server.ts", server).file("src/main.ts", STATELESS)
    }

    /// `src/server.ts` with `buildServer`, over stdio.
    #[must_use]
    pub fn stdio(self, server: &str) -> Self {
        self.file("src/server.ts", server).file("src/main.ts", STDIO)
    }

    /// `src/server.ts` with `buildServer`, served by the modern entry point.
    #[must_use]
    pub fn modern(self, server: &str) -> Self {
        self.file("src/server.ts", server).file("src/main.ts", MODERN)
    }

    /// Expects a store: `name:holds:carrier:failure`, `*` for what is not the point.
    #[must_use]
    pub fn store(mut self, store: &'static str) -> Self {
        self.stores.push(store);
        self
    }

    /// Expects a category.
    #[must_use]
    pub fn category(mut self, category: &'static str) -> Self {
        self.category = Some(category);
        self
    }

    /// Expects a facet.
    #[must_use]
    pub fn facet(mut self, facet: &'static str) -> Self {
        self.facets.push(facet);
        self
    }

    /// Lets a rule speak.
    #[must_use]
    pub fn allow(mut self, rule: &'static str) -> Self {
        self.allowed.push(rule);
        self
    }

    /// Writes and scans it.
    pub fn scan(&self) -> Scan {
        let folder = TempDir::new().expect("a folder");
        for (path, text) in &self.files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("within the folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        let options = ScanOptions { paths: vec![folder.path().to_owned()], ..ScanOptions::default() };
        scan(&options, &Silent).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// What is wrong with an answer, the rules apart.
    pub fn problems(&self, answer: &Scan) -> Vec<String> {
        let mut out = Vec::new();
        let category = answer.summary.category.map_or("null", |category| category.id());
        if let Some(wanted) = self.category
            && !wanted.split('|').any(|wanted| wanted == category)
        {
            out.push(format!("category {category} for {wanted}"));
        }
        for facet in &self.facets {
            if !answer.summary.facets.iter().any(|found| found.id() == *facet) {
                out.push(format!("facet {facet} is missing (found {:?})", answer.summary.facets));
            }
        }
        let found: Vec<String> = answer
            .servers
            .iter()
            .flat_map(|server| &server.stores)
            .map(|s| format!("{}:{}:{}:{}", s.name, s.holds, s.carrier, s.failure))
            .collect();
        for wanted in &self.stores {
            let fits = |found: &String| {
                found.split(':').zip(wanted.split(':')).all(|(a, b)| b == "*" || b.split('|').any(|b| a == b))
            };
            if !found.iter().any(fits) {
                out.push(format!("store {wanted} is missing (found {found:?})"));
            }
        }
        if self.files.iter().any(|(path, _)| path.ends_with(".ts")) {
            let broken =
                answer.skipped.iter().map(|skipped| format!("{} is skipped: {}", skipped.path, skipped.reason));
            out.extend(broken);
        }
        out
    }
}

/// Every finding as `rule at path:line`.
pub fn findings(answer: &Scan) -> Vec<String> {
    answer.findings.iter().map(|f| format!("{} at {}:{}", f.rule, f.path, f.start.line)).collect()
}

/// Fails with all problems at once.
pub fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} wrong answers:\n{}", problems.len(), problems.join("\n"));
}

/// Each program must make the rule speak.
pub fn speaks(rule: &str, severity: Severity, programs: &[Program]) {
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        let mut own = program.problems(&answer);
        let mut of_rule = answer.findings.iter().filter(|finding| finding.rule == rule).peekable();
        if of_rule.peek().is_none() {
            own.push(format!("{rule} is silent (found {:?})", findings(&answer)));
        }
        own.extend(of_rule.filter(|f| f.severity != severity).map(|f| format!("severity {:?}", f.severity)));
        problems.extend(own.into_iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    report(&problems);
}

/// On no program may the rule speak.
pub fn silent(rule: &str, programs: &[Program]) {
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        let mut own = program.problems(&answer);
        let spoken = answer.findings.iter().filter(|finding| finding.rule == rule);
        own.extend(spoken.map(|f| format!("{rule} speaks at {}:{}: {}", f.path, f.start.line, f.message)));
        problems.extend(own.into_iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    report(&problems);
}
