//! Servers that speak the protocol by themselves, without a transport of an SDK: what is told of them.

use crate::disk::Package;

const MANIFEST: &str = r#"{ "name": "clock", "type": "module", "dependencies": { "express": "^5.1.0" } }"#;

const SERVER: &str = "import { randomUUID } from 'node:crypto';
import express from 'express';

const PROTOCOL_VERSION = '2025-06-18';
const app = express();
const sessions = new Map();

function answer(message) {
  switch (message.method) {
    case 'initialize':
      return { protocolVersion: PROTOCOL_VERSION, capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1.0.0' } };
    case 'tools/list':
      return { tools: [{ name: 'now', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: new Date().toISOString() }] };
    default:
      return {};
  }
}

app.get('/sse', (req, res) => {
  const sessionId = randomUUID();
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  res.write(`event: endpoint\\ndata: /message?sessionId=${sessionId}\\n\\n`);
  sessions.set(sessionId, { send: (message) => res.write(`event: message\\ndata: ${JSON.stringify(message)}\\n\\n`) });
  res.on('close', () => sessions.delete(sessionId));
});

app.post('/message', express.json(), (req, res) => {
  const session = sessions.get(req.query.sessionId);
  if (!session) return res.status(404).send('Session not found');
  session.send({ jsonrpc: '2.0', id: req.body.id, result: answer(req.body) });
  res.status(202).end();
});
app.listen(3000);
";

#[test]
fn the_reason_is_that_the_code_alone_knows_its_messages() {
    let outcome = Package::new(&[("package.json", MANIFEST), ("src/server.js", SERVER)]).fix();
    assert!(outcome.applied.is_empty() && outcome.refused.is_none());
    let [manual] = outcome.manual.as_slice() else { panic!("{:?}", outcome.manual) };
    assert_eq!(manual.what, "`sessions` keeps the sessions of a server that speaks the protocol by itself");
    assert!(manual.why.starts_with("no transport of an SDK is made in this package"), "{}", manual.why);
    assert_eq!(manual.todo.len(), 3, "{:?}", manual.todo);
}
