//! Servers that run in several processes: what is found, whose it is, and what is said.

use serde_json::Value;
use tempfile::TempDir;

use super::{folder, program, run};

const PYTHON: &str = "from mcp.server.fastmcp import Context, FastMCP\n\nmcp = FastMCP(\"cart\")\nbaskets = {}\n\n\n@mcp.tool()\ndef add(item: str, ctx: Context) -> str:\n    baskets.setdefault(ctx.request_context.request.headers.get(\"mcp-session-id\"), []).append(item)\n    return \"ok\"\n\n\napp = mcp.streamable_http_app()\n";
const PYPROJECT: &str = "[project]\nname = \"cart\"\ndependencies = [\"mcp==1.20.0\"]\n";
const SCRIPT: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nconst notes = new Map<string, string[]>();\nexport function build() {\n  const server = new McpServer({ name: 'n', version: '1' });\n  server.registerTool('note', {}, async (extra) => {\n    notes.set(extra.sessionId!, []);\n    return { content: [] };\n  });\n  return server;\n}\n";
const PACKAGE: &str = "{ \"name\": \"cart\", \"dependencies\": { \"@modelcontextprotocol/sdk\": \"1.26.0\" } }";

fn processes(repository: &TempDir) -> Vec<String> {
    let (code, stdout, stderr) =
        run(program().args(["scan", "--format", "json", "--fail-on", "never"]).arg(repository.path()));
    assert_eq!(code, 0, "{stderr}");
    let document: Value = serde_json::from_str(&stdout).expect("JSON");
    let mut out = Vec::new();
    for server in document["servers"].as_array().expect("servers") {
        for found in server["processes"].as_array().expect("processes") {
            let at = &found["at"];
            out.push(format!(
                "{} {}:{}:{} {}",
                server["path"].as_str().unwrap(),
                at["path"].as_str().unwrap(),
                at["line"],
                at["column"],
                found["reason"].as_str().unwrap()
            ));
        }
    }
    out
}

#[track_caller]
fn python(name: &str, text: &str, expected: &[&str]) {
    let repository = folder(&[("pyproject.toml", PYPROJECT), ("server.py", PYTHON), (name, text)]);
    assert_eq!(processes(&repository), expected, "{text}");
}

#[track_caller]
fn script(name: &str, text: &str, expected: &[&str]) {
    let repository = folder(&[("package.json", PACKAGE), ("src/server.ts", SCRIPT), (name, text)]);
    assert_eq!(processes(&repository), expected, "{text}");
}

#[test]
fn python_code() {
    python(
        "main.py",
        "import uvicorn\n\nif __name__ == \"__main__\":\n    uvicorn.run(\"server:app\", workers=4)\n",
        &[". main.py:4:5 workers of uvicorn.run(): 4"],
    );
    python(
        "main.py",
        "from uvicorn import run\nimport os\n\nrun(\"server:app\", workers=os.cpu_count())\n",
        &[". main.py:4:1 workers of uvicorn.run()"],
    );
    python(
        "main.py",
        "import uvicorn\nWORKERS = 2\nuvicorn.run(\"server:app\", workers=WORKERS)\n",
        &[". main.py:3:1 workers of uvicorn.run(): 2"],
    );
    python(
        "main.py",
        "from mangum import Mangum\nfrom server import app\n\nhandler = Mangum(app)\n",
        &[". main.py:1:1 a serverless function, through mangum"],
    );
    for silent in [
        "import uvicorn\nuvicorn.run(\"server:app\", workers=1)\n",
        "import uvicorn\nuvicorn.run(\"server:app\")\n# uvicorn.run(\"server:app\", workers=4)\n",
        "import uvicorn\nconfig = uvicorn.Config(\"server:app\", workers=4)\n",
        "from pool import run\nrun(\"jobs\", workers=4)\n",
        "import os, uvicorn\nuvicorn.run(\"server:app\", workers=int(os.environ[\"WORKERS\"]))\n",
    ] {
        python("main.py", silent, &[]);
    }
}

#[test]
fn script_code() {
    script(
        "src/main.ts",
        "import cluster from 'node:cluster';\nimport { build } from './server.js';\nif (cluster.isPrimary) {\n  cluster.fork();\n} else {\n  build();\n}\n",
        &[". src/main.ts:4:3 cluster.fork()"],
    );
    script(
        "src/main.js",
        "const cluster = require('cluster');\ncluster.fork();\n",
        &[". src/main.js:2:1 cluster.fork()"],
    );
    script(
        "src/lambda.ts",
        "import serverless from 'serverless-http';\nimport { app } from './app.js';\nexport const handler = serverless(app);\n",
        &[". src/lambda.ts:1:1 a serverless function, through serverless-http"],
    );
    script(
        "src/lambda.ts",
        "import type { Handler } from 'aws-lambda';\nimport { build } from './server.js';\nexport const handler: Handler = async (event) => build();\n",
        &[". src/lambda.ts:3:14 a handler of AWS Lambda"],
    );
    for silent in [
        "import { fork } from 'node:child_process';\nfork('./worker.js');\n",
        "import { git } from './git.js';\ngit.fork();\n",
        "import { build } from './server.js';\nexport const handler = (request: Request) => build();\n",
    ] {
        script("src/main.ts", silent, &[]);
    }
}

#[test]
fn a_worker_and_what_listens_itself() {
    let of = |end: &str| {
        let repository = folder(&[("package.json", PACKAGE), ("src/server.ts", &format!("{SCRIPT}\n{end}"))]);
        processes(&repository)
    };
    assert_eq!(
        of("export default { fetch: () => build() };\n"),
        [". src/server.ts:12:16 a worker's `export default { fetch }`"]
    );
    assert_eq!(of("export default { port: 3000, fetch: () => build() };\n"), Vec::<String>::new());
}

#[test]
fn files_around_the_code_and_what_is_said() {
    let repository = folder(&[
        ("services/cart/pyproject.toml", PYPROJECT),
        ("services/cart/server.py", PYTHON),
        ("services/web/package.json", PACKAGE),
        ("services/web/Procfile", "web: pm2 start x.js -i 4\n"),
        (
            "docker-compose.yml",
            "services:\n  cart:\n    build: ./services/cart\n    deploy:\n      replicas: 3\n  cache:\n    image: redis:7\n    scale: 2\n",
        ),
        ("services/cart/Procfile", "web: uvicorn server:app --workers 4\n"),
    ]);
    assert_eq!(
        processes(&repository),
        [
            "services/cart docker-compose.yml:5:17 deploy.replicas: 3 of service cart",
            "services/cart services/cart/Procfile:1:25 uvicorn --workers 4",
        ]
    );
    let (_, stdout, _) = run(program().args(["scan", "--fail-on", "never"]).arg(repository.path()));
    let text = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("runs in several processes: deploy.replicas: 3 of service cart (docker-compose.yml:5), uvicorn --workers 4 (services/cart/Procfile:1), so what is kept in memory is not shared"), "{stdout}");
    assert!(text.contains("A handle store in memory will not do here"), "{stdout}");
}
