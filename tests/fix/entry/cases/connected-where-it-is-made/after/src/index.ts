import express from 'express';
import { connectedTransport } from './connect.js';

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const transport = await connectedTransport();
  res.on('close', () => void transport.close());
  await transport.handleRequest(req, res, req.body);
});

app.all('/mcp', (_req, res) => {
  res
    .status(405)
    .set('Allow', 'POST')
    .json({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Method not allowed.' },
      id: null
    });
});

app.listen(3000);
