import { createServer } from 'node:http';

/** Receives events and answers 200. Reports over IPC how many there were whenever it is asked. */
let received = 0;

const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    received += 1;
    response.writeHead(200).end('ok');
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
server.keepAliveTimeout = 60_000;

process.on('message', () => process.send?.({ received }));
