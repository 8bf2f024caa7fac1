import { createServer } from 'node:http';

/**
 * Receives events and answers 200. A message over IPC says how many more events to wait for, and once they have all
 * arrived, the answer says so. Nobody has to ask meanwhile, which would take time from what is measured.
 */
let awaited = 0;

const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    response.writeHead(200).end('ok');
    awaited -= 1;
    if (awaited === 0) process.send?.('received');
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
server.keepAliveTimeout = 60_000;

process.on('message', (count: number) => {
  awaited += count;
});
