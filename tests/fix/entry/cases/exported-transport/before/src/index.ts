import { createServer } from 'node:http';
import { server } from './server.js';
import { transport } from './transport.js';

async function main() {
  await server.connect(transport);
  const http = createServer((req, res) => {
    transport.handleRequest(req, res);
  });
  http.listen(3000, () => console.log('listening'));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
