import express from 'express';
import { connectedTransport } from './connect.js';

const app = express();
app.use(express.json());
const transport = await connectedTransport();

app.all('/mcp', async (req, res) => {
  await transport.handleRequest(req, res, req.body);
});

app.listen(3000);
