import express from 'express';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { registry } from './registry.js';

registry.on('open', (id) => console.log(`opened ${id}, ${registry.size} now`));
registry.on('close', (id) => audit.push(id));
const audit: string[] = [];

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const id = req.get('mcp-session-id');
  let transport = id ? registry.find(id) : undefined;
  if (id && !transport) {
    res.status(404).json({ error: 'unknown session' });
    return;
  }
  if (!transport) {
    if (!isInitializeRequest(req.body)) {
      res.status(400).json({ error: 'initialize first' });
      return;
    }
    transport = await registry.open();
  }
  await transport.handleRequest(req, res, req.body);
});

app.all('/mcp', async (req, res) => {
  const id = req.get('mcp-session-id');
  const transport = id ? registry.find(id) : undefined;
  if (!transport) {
    res.status(404).json({ error: 'unknown session' });
    return;
  }
  await transport.handleRequest(req, res);
});

const listener = app.listen(3000);
process.on('SIGTERM', async () => {
  await registry.closeAll();
  listener.close();
});
