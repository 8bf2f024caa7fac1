import { createServer } from 'node:http';

/**
 * Receives events and answers 200. A message over IPC says how many events to wait for, counted from the start, and the
 * answer comes when they have arrived. Polling would use CPU time that the benchmark measures.
 */
let received = 0;
let awaited: number | null = null;

const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    received += 1;
    response.writeHead(200).end('ok');
    answer();
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
server.keepAliveTimeout = 60_000;

process.on('message', (count: number) => {
  awaited = count;
  answer();
});

function answer(): void {
  if (awaited === null || received < awaited) return;
  awaited = null;
  process.send?.({ received });
}
