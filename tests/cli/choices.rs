//! Choices in a plan file: those that stores keep, and those among the fields of their records.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::fix::fix;
use super::{program, run};

const MANIFEST: &str = r#"{ "name": "files", "type": "module", "dependencies": { "@modelcontextprotocol/sdk": "^1.29.0", "express": "^5.1.0", "zod": "^4.0.0" } }"#;

const SERVER: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

interface State {
  activeBoard?: string;
  notes: string[];
}

const files: Record<string, string[]> = { a: ['x.md'], b: [] };
const boards: Record<string, string[]> = { home: ['a'], work: [] };
const selectedFolder = new Map<string, string>();
const states = new Map<string, State>();

function stateOf(id: string): State {
  let state = states.get(id);
  if (!state) {
    state = { notes: [] };
    states.set(id, state);
  }
  return state;
}

function buildServer() {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  server.registerTool('select_folder', { description: 'Select a folder.', inputSchema: { folder: z.string() } }, async ({ folder }, extra) => {
    selectedFolder.set(extra.sessionId!, folder);
    return { content: [{ type: 'text', text: JSON.stringify({ folder, files: files[folder] }) }] };
  });
  server.registerTool('count', { description: 'Count files.' }, async (extra) => {
    const folder = selectedFolder.get(extra.sessionId!);
    if (!folder) return { content: [{ type: 'text', text: 'select_folder first' }], isError: true };
    return { content: [{ type: 'text', text: String(files[folder].length) }] };
  });
  server.registerTool('select_board', { description: 'Use a board.', inputSchema: { board: z.string() } }, async ({ board }, extra) => {
    stateOf(extra.sessionId!).activeBoard = board;
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('show_board', { description: 'Show the board.' }, async (extra) => {
    const board = stateOf(extra.sessionId!).activeBoard;
    if (!board) return { content: [{ type: 'text', text: 'select_board first' }], isError: true };
    return { content: [{ type: 'text', text: boards[board].join() }] };
  });
  server.registerTool('note', { description: 'Take a note.', inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    const state = stateOf(extra.sessionId!);
    state.notes.push(text);
    return { content: [{ type: 'text', text: `${state.notes.length} notes` }] };
  });
  return server;
}

const app = express();
app.use(express.json());
const transports: Record<string, StreamableHTTPServerTransport> = {};
app.all('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  let transport = id ? transports[id] : undefined;
  if (!transport && isInitializeRequest(req.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sid) => {
        transports[sid] = transport!;
      },
    });
    await buildServer().connect(transport);
  }
  if (!transport) {
    res.status(400).end();
    return;
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
";

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a folder");
    fs::write(folder.path().join("package.json"), MANIFEST).expect("a manifest");
    fs::write(folder.path().join("src/server.ts"), SERVER).expect("a server");
    let git = |arguments: &[&str]| {
        let done = Command::new("git").args(arguments).current_dir(folder.path()).output().expect("git");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"]);
    folder
}

fn plan(folder: &Path) -> String {
    let (code, stdout, stderr) = run(program().arg("plan").current_dir(folder));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    stdout
}

/// What fix does by the plan with some of its text changed, and the server then.
fn fixed(changes: &[(&str, &str)]) -> (i32, String, String) {
    let folder = folder();
    let mut text = plan(folder.path());
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is not in\n{text}");
        text = text.replacen(from, to, 1);
    }
    fs::write(folder.path().join(".git/plan.toml"), text).expect("the plan");
    let (code, stdout, stderr) = fix(folder.path(), &["--plan", ".git/plan.toml"]);
    (code, stdout + &stderr, fs::read_to_string(folder.path().join("src/server.ts")).expect("the server"))
}

const PART: &str = "id = \"src/server.ts#states.activeBoard\"";

#[test]
fn each_choice_stands_in_the_plan_with_its_argument_and_what_becomes_of_its_setter() {
    let text = plan(folder().path());
    for lines in [
        "id = \"src/server.ts#selectedFolder\"",
        "argument = \"folder\"",
        "setter = \"keep\"",
        PART,
        "argument = \"board\"",
        "setter = \"drop\"",
    ] {
        assert!(text.contains(lines), "{lines} is not in\n{text}");
    }
    let document: toml::Value = toml::from_str(&text).expect("TOML");
    let schema = serde_json::from_str(mcp_migrate::report::plan_toml::SCHEMA_TEXT).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is sound");
    let document = serde_json::to_value(document).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (code, told, server) = fixed(&[]);
    assert_eq!(code, 0, "{told}");
    assert!(server.contains("'select_folder'") && !server.contains("'select_board'"), "{server}");
}

#[test]
fn arguments_get_other_names_and_setters_that_could_stay_go() {
    let changes = [
        ("argument = \"folder\"", "argument = \"folder_name\""),
        ("setter = \"keep\"", "setter = \"drop\""),
        ("argument = \"board\"", "argument = \"board_name\""),
    ];
    let (code, told, server) = fixed(&changes);
    assert_eq!(code, 0, "{told}");
    assert!(server.contains("folder_name: z.string()") && server.contains("board_name: z.string()"), "{server}");
    assert!(!server.contains("'select_folder'") && !server.contains("'select_board'"), "{server}");
}

#[test]
fn a_choice_stays_in_its_record_or_is_left_with_it() {
    let own = |rest: &str| format!("{PART}\ncarrier = \"{rest}\"\n#");
    let whole = plan(folder().path());
    let from = whole.find(PART).expect("the part");
    let to = whole[from..].find("setter = \"drop\"\n").expect("its end") + from + "setter = \"drop\"\n".len();
    let (code, told, server) = fixed(&[(&whole[from..to], &own("handle"))]);
    assert_eq!(code, 0, "{told}");
    assert!(server.contains("'select_board'") && server.contains("create_"), "{server}");
    let (code, told, server) = fixed(&[(&whole[from..to], &own("manual"))]);
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("the plan leaves `activeBoard`, a part of it, to you"), "{told}");
    assert!(server.contains("stateOf(extra.sessionId!)") && server.contains("sessionIdGenerator: () =>"), "{server}");
}

#[test]
fn what_can_not_be_of_a_choice_is_told_with_its_line() {
    let part = format!("{PART}\ncarrier = \"handle\"\n");
    for (from, to, message) in [
        ("argument = \"board\"", "argument = \"text\"", "there is an argument `text` already"),
        ("setter = \"drop\"", "setter = \"keep\"", "answers no more than that it was done"),
        ("argument = \"board\"", "noun = \"board\"", "which has no `noun`"),
        (PART, part.as_str(), "duplicate key"),
    ] {
        let (code, told, server) = fixed(&[(from, to)]);
        let flat = told.replace(['│', '×', '╰', '▶'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code, 2, "{told}");
        assert!(flat.contains(message), "{message}: {told}");
        assert!(flat.contains("plan.toml:"), "{told}");
        assert_eq!(server, SERVER);
    }
    let record = "carrier = \"argument\"\n# The required argument of the tools above. select_board";
    let (code, told, _) = fixed(&[(record, "carrier = \"drop\"\n# select_board")]);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("a choice of the session is no matter of `drop`"), "{told}");
    let (code, told, _) = fixed(&[(record, "carrier = \"handle\"\n# select_board")]);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("has no `argument`"), "{told}");
}
