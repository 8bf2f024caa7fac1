import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { startDnsServer, until } from '@posthorn/testing';
import { createSsrfGuard, createWebhookClient, type WebhookClient } from '@posthorn/webhooks';
import { startRawServer, startReceiver, type TestReceiver } from './start-receiver.js';

const guard = createSsrfGuard({ dnsServers: [], webhookAllowedNetworks: ['127.0.0.1/32'] });
const POST = { headers: { 'webhook-id': 'evt_1' }, body: '{"type":"webhook.test"}' };
const TIMEOUT_MS = 500;
const TIMED_OUT = 'No answer within 0.5 seconds';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const INCOMPLETE = 'The response was not complete after 0.5 seconds';

let server: TestReceiver;
let client: WebhookClient;

beforeEach(async () => {
  server = await startReceiver();
  client = createWebhookClient(guard, `http://127.0.0.1:${server.port}/hook?a=b`, {
    maxConnections: 1,
    timeoutMs: TIMEOUT_MS,
    now: () => new Date('2026-11-24T12:00:00Z'),
  });
});

afterEach(async () => {
  await client.close();
  await server.close();
});

test('a 2xx is a success, and connections stay open', async () => {
  server.answer((request, response) => response.writeHead(request.url === '/hook?a=b' ? 204 : 404).end());
  for (let count = 0; count < 3; count += 1) {
    expect(await client.post(POST)).toEqual({
      status: 204,
      body: '',
      bodyTruncated: false,
      retryAfterSeconds: null,
      error: null,
      ms: expect.any(Number),
    });
  }
  expect(server.connections).toBe(1);
  expect(server.requests[0]).toMatchObject({
    headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json', 'user-agent': 'Posthorn' },
    body: POST.body,
  });
});

test.each([
  [200, null],
  [299, null],
  [301, 'The receiver answered 301. Redirects are not followed'],
  [308, 'The receiver answered 308. Redirects are not followed'],
  [400, 'The receiver answered 400'],
  [410, 'The receiver answered 410'],
  [500, 'The receiver answered 500'],
])('the status %s is reported', async (status, error) => {
  server.answer((_, response) => response.writeHead(status, { location: '/elsewhere' }).end('why'));
  expect(await client.post(POST)).toMatchObject({ status, error, body: 'why' });
});

test('a body with more encodings than any server uses stays as it is', async () => {
  server.answer((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip, identity, identity, identity' }).end(gzipSync('{"ok":true}')),
  );
  const { status, body } = await client.post(POST);
  expect(status).toBe(200);
  expect(body).not.toContain('ok":true');
});

test('a body is decoded as its header fields say', async () => {
  const answers: Array<[headers: Record<string, string>, body: Buffer, read: string]> = [
    [{ 'content-encoding': 'gzip' }, gzipSync('{"ok":true}'), '{"ok":true}'],
    [{ 'content-encoding': 'gzip, br' }, brotliCompressSync(gzipSync('{"ok":true}')), '{"ok":true}'],
    [{ 'content-encoding': 'br' }, brotliCompressSync('{"ok":true}'), '{"ok":true}'],
    [{ 'content-encoding': 'deflate' }, deflateSync('{"ok":true}'), '{"ok":true}'],
    [{ 'content-encoding': 'deflate' }, deflateRawSync('{"ok":true}'), '{"ok":true}'],
    [{ 'content-encoding': 'gzip' }, Buffer.from('not compressed'), 'not compressed'],
    [{ 'content-type': 'text/plain; charset=iso-8859-1' }, Buffer.from('ungültig', 'latin1'), 'ungültig'],
    [{ 'content-type': "text/plain; charset='iso-8859-1'" }, Buffer.from('ungültig', 'latin1'), 'ungültig'],
    [{ 'content-type': 'text/plain' }, Buffer.from('ungültig', 'latin1'), 'ungültig'],
    [{}, Buffer.from('Café', 'latin1'), 'Café'],
    [{}, Buffer.from('Café'), 'Café'],
    [{ 'content-type': 'text/plain; charset=klingon' }, Buffer.from('ungültig'), 'ungültig'],
  ];
  for (const [headers, body, read] of answers) {
    server.answer((_, response) => response.writeHead(200, headers).end(body));
    expect(await client.post(POST)).toMatchObject({ status: 200, body: read, bodyTruncated: false });
  }
  server.answer((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1e7))),
  );
  expect((await client.post(POST)).body.length).toBeLessThan(20_000);
});

test.each([
  ['a 100', [CONTINUE, 'HTTP/1.1 204 X\r\n\r\n'], 204],
  ['several in one piece', [`${CONTINUE}HTTP/1.1 102 X\r\n\r\n${CONTINUE}HTTP/1.1 204 X\r\n\r\n`], 204],
  [
    'a 100 with headers that arrive late',
    ['HTTP/1.1 100 Continue\r\nx: HTTP/1.1 1', '\r\n\r\n', 'HTTP/1.1 204 X\r\n\r\n'],
    204,
  ],
  ['a 100 in two pieces', ['HTTP/1.1 1', '00 Continue\r\n\r\nHTT', 'P/1.1 204 X\r\n\r\n'], 204],
  ['two whose headers arrive late', ['HTTP/1.1 100 X\r\nx: 1\r', `\n\r\n${CONTINUE}`, 'HTTP/1.1 204 X\r\n\r\n'], 204],
  ['none before a status in two pieces', ['H', 'TTP/1.1 204 X\r\n\r\n'], 204],
  ['one with a body that begins like it', ['HTTP/1.1 200 X\r\ncontent-length: 25\r\n\r\n', CONTINUE], 200],
])('interim responses that nobody asked for are skipped: %s', async (_what, pieces, status) => {
  const raw = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await sleep(20);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`;
  const patient = createWebhookClient(guard, url, { maxConnections: 1, timeoutMs: 5_000 });
  const body = status === 200 ? CONTINUE : '';
  for (let count = 0; count < 2; count += 1)
    expect(await patient.post(POST)).toMatchObject({ status, body, error: null });
  await patient.close();
  raw.close();
});

test('an interim response is not the answer', async () => {
  server.answer((_, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload', 'retry-after': '9' });
    response.writeHead(503).end();
  });
  expect(await client.post(POST)).toMatchObject({
    status: 503,
    error: 'The receiver answered 503',
    retryAfterSeconds: null,
  });
});

test.each([
  ['120', 120],
  [' 7 ', 7],
  ['0', 0],
  ['999999999999', 3_600],
  ['Tue, 24 Nov 2026 12:01:30 GMT', 90],
  ['Tuesday, 24-Nov-26 12:01:30 GMT', 90],
  ['Tue Nov 24 12:01:30 2026', 90],
  ['Tue, 24 Nov 2026 11:00:00 GMT', 0],
  ['2026-11-24', null],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
])('Retry-After %j is read as %s', async (header, seconds) => {
  server.answer((_, response) => response.writeHead(429, { 'retry-after': header }).end());
  expect((await client.post(POST)).retryAfterSeconds).toBe(seconds);
});

describe('of a response body', () => {
  test('text that Postgres cannot store is replaced', async () => {
    server.answer((_, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0x62, 0xed, 0xa0, 0x80])));
    expect((await client.post(POST)).body).toBe('a\uFFFD\uFFFDb\uFFFD\uFFFD\uFFFD');
  });

  test('4 kB are kept, and the connection is used again', async () => {
    server.answer((_, response) => response.end('x'.repeat(4_000)));
    await client.post(POST);
    expect(await client.post(POST)).toMatchObject({ body: 'x'.repeat(4_000), bodyTruncated: false });
    expect(server.connections).toBe(1);
  });

  test('the rest is not read, and no character is cut in half', async () => {
    server.answer((_, response) => response.end(`x${'é'.repeat(100_000)}`));
    const body = `x${'é'.repeat(1_999)}`;
    expect(await client.post(POST)).toMatchObject({ status: 200, error: null, body, bodyTruncated: true });
    await until(() => server.disconnections > 0);
    server.answer((_, response) => response.end('again'));
    expect((await client.post(POST)).body).toBe('again');
  });

  test('an endless one ends the attempt early', async () => {
    let sent = 0;
    server.answer((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000;
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    expect(await client.post(POST)).toMatchObject({ status: 200, error: null, body: 'x'.repeat(4_000) });
    await until(() => server.disconnections > 0);
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('the attempt ends in time', () => {
  const expectTimeout = async (error: string, status: number | null) => {
    const result = await client.post(POST);
    expect(result).toMatchObject({ status, error });
    expect(result.ms).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(result.ms).toBeLessThan(TIMEOUT_MS * 3);
    await until(() => server.disconnections > 0);
  };

  test('if the receiver never answers', async () => {
    server.answer(() => {});
    await expectTimeout(TIMED_OUT, null);
  });

  test('if headers arrive slowly', async () => {
    server.answer(({ socket }) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'));
    await expectTimeout(TIMED_OUT, null);
  });

  test('if the body arrives slowly', async () => {
    server.answer(({ socket }, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.flushHeaders();
      drip(socket, 'a'.repeat(1_000));
    });
    await expectTimeout(INCOMPLETE, 200);
  });

  test('if DNS does not answer', async () => {
    const dns = await startDnsServer();
    dns.failAll('silence');
    const silent = createSsrfGuard({ dnsServers: [dns.address], webhookAllowedNetworks: [] });
    const lost = createWebhookClient(silent, 'https://hooks.example.com/', {
      maxConnections: 1,
      timeoutMs: TIMEOUT_MS,
    });
    expect(await lost.post(POST)).toMatchObject({ status: null, error: TIMED_OUT });
    await lost.close();
    await dns.close();
  });

  test('if it waits for a connection, and nothing is sent later', async () => {
    // The time of all three ends together. Otherwise, the first could leave the next one a millisecond, to be sent in.
    jest.useFakeTimers({ doNotFake: ['Date', 'performance', 'hrtime', 'nextTick', 'setImmediate', 'queueMicrotask'] });
    server.answer(() => {});
    const posts = Promise.all([client.post(POST), client.post(POST), client.post(POST)]);
    await until(() => server.requests.length > 0);
    jest.advanceTimersByTime(TIMEOUT_MS);
    jest.useRealTimers();
    const results = await posts;
    expect(results.map(({ error }) => error)).toEqual([TIMED_OUT, TIMED_OUT, TIMED_OUT]);
    server.answer((_, response) => response.end());
    expect(await client.post(POST)).toMatchObject({ status: 200, error: null });
    expect(server.requests).toHaveLength(2);
  });
});

/** Writes one character every 20 ms until the client is gone. */
function drip(socket: Socket, text: string): void {
  const characters = [...text];
  const timer = setInterval(() => {
    const next = characters.shift();
    if (next && !socket.destroyed) socket.write(next);
    else clearInterval(timer);
  }, 20);
  socket.on('error', () => {}).on('close', () => clearInterval(timer));
}

describe('the connection', () => {
  test('is refused', async () => {
    await server.close();
    expect(await client.post(POST)).toMatchObject({ status: null, error: 'The connection was refused' });
    server = await startReceiver();
  });

  test.each([
    ['before the response', '', null, /^The connection broke/],
    ['in the headers', 'HTTP/1.1 200 OK\r\ncontent-', null, /^The connection broke/],
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 200, /^The connection broke/],
    ['with something else than HTTP', '220 mail.example.com ESMTP\r\n', null, /^The response is not valid HTTP$/],
    ['with a status below 100', 'HTTP/1.1 000 X\r\n\r\n', null, /^The response is not valid HTTP$/],
    ['after an interim 100', CONTINUE, null, /^The connection broke/],
    ['after a 101', 'HTTP/1.1 101 X\r\n\r\n', null, /^The receiver answered 101, which/],
    [
      'after a 101 with a protocol',
      'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
      null,
      /^The receiver answered 101, which/,
    ],
    [
      'with huge headers',
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(50_000)}\r\n\r\n`,
      null,
      /^The response (has too many|is not)/,
    ],
  ])('ends %s', async (_, text, status, error) => {
    const raw = await startRawServer((socket) => void socket.end(text));
    const broken = createWebhookClient(guard, raw.url, { maxConnections: 1, timeoutMs: 5_000 });
    expect(await broken.post(POST)).toMatchObject({ status, error: expect.stringMatching(error) });
    await broken.close();
    raw.close();
  });
});
