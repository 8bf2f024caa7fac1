import { createServer } from 'node:http';

/** A bare node:http server that reads the body and returns 202. */
createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"object":"email","status":"queued"}');
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
