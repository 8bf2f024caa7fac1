import { createSsrfGuard, createWebhookClient } from '@posthorn/webhooks';
import { startRawServer, startReceiver } from './start-receiver.js';

const guard = createSsrfGuard({ dnsServers: [], webhookAllowedNetworks: ['127.0.0.1/32'] });
const POST = { headers: {}, body: '{}' };

const openClient = (url: string) => createWebhookClient(guard, url, { maxConnections: 1, timeoutMs: 30_000 });

/** Each begins with what is sent once, and goes on with what is sent without end. */
const FLOODS: ReadonlyArray<readonly [name: string, first: string, endless: string, error: RegExp]> = [
  ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', /more than 10 interim responses$/],
  ['header fields', 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n', /too many headers$/],
  ['a reason phrase', 'HTTP/1.1 200 ', 'ok', /^The response is too long$/],
  ['empty lines', '', '\r\n', /^The response is too long$/],
  ['a chunk extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'a', /^The response is too long$/],
  ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x-a: b\r\n', /too many headers$/],
];

test.each(FLOODS)('endless %s end the attempt early', async (_, first, endless, error) => {
  const piece = endless.repeat(Math.ceil(10_000 / endless.length));
  const flood = await startRawServer((socket) => {
    socket.write(first);
    const write = () => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', write);
    };
    write();
  });
  const client = openClient(flood.url);
  expect(await client.post(POST)).toMatchObject({ error: expect.stringMatching(error) });
  await client.close();
  flood.close();
});

test('a receiver may send ten interim responses', async () => {
  const server = await startReceiver();
  const client = openClient(`http://127.0.0.1:${server.port}/`);
  server.answer((_, response) => {
    for (let count = 0; count < 10; count += 1) response.writeProcessing();
    response.writeHead(204).end();
  });
  expect(await client.post(POST)).toMatchObject({ status: 204, error: null });
  await client.close();
  await server.close();
});
