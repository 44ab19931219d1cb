import express from 'express';
import { buildServer } from './tools.js';
import { makeTransport } from './transport.js';

const app = express();
app.use(express.json());

const server = buildServer();
const transport = makeTransport();
await server.connect(transport);

app.post('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});
app.get('/mcp', async (req, res) => {
  await transport.handleRequest(req, res);
});
app.delete('/mcp', async (req, res) => {
  await transport.handleRequest(req, res);
});

app.listen(3000);
