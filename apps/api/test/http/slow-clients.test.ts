import { connect, type Socket } from 'node:net';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { closeApiContext, createApiContext } from '../../src/create-context.js';
import { httpTimeouts, listen, stopListening } from '../../src/server.js';

/** Shorter than in production, so that the tests are fast. */
const SHORT = { headersMs: 600, requestMs: 1_200, keepAliveMs: 60_000, idleMs: 1_500, checkEveryMs: 100 };

describe('a slow client', () => {
  let url: string;
  let key: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const ctx = createApiContext(await openTestContext());
    const { server, url: address } = await listen(ctx, SHORT);
    [url, { key }] = [address, await createTestWorkspace(ctx)];
    close = async () => {
      await stopListening(server, 500);
      await closeTestContext(ctx, closeApiContext);
    };
  });
  afterAll(() => close());

  /** Writes `start` once, then `drop` repeatedly. @returns everything the server sent before it closed */
  function drip(start: string, drop: string): Promise<string> {
    return new Promise((resolve) => {
      let text = '';
      const socket = open(start);
      const timer = setInterval(() => socket.write(drop), 100);
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => {
        clearInterval(timer);
        resolve(text);
      });
    });
  }

  function open(start: string): Socket {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(start));
    return socket.on('error', () => {});
  }

  const post = () =>
    `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;

  test('that sends nothing is disconnected', async () => {
    expect(await drip('', '')).toMatch(/^(HTTP\/1\.1 408|$)/);
  });

  test('that sends its headers one byte at a time is disconnected', async () => {
    expect(await drip('GET /healthz HTTP/1.1\r\nHost: x\r\nX: ', 'a')).toMatch(/^HTTP\/1\.1 408/);
  });

  test('that sends its body one byte at a time is disconnected', async () => {
    expect(await drip(`${post()}Content-Length: 1000\r\n\r\n`, '{')).toMatch(/^HTTP\/1\.1 408/);
  });

  test('that sends its body in one-byte chunks is disconnected', async () => {
    expect(await drip(`${post()}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n{\r\n')).toMatch(/^HTTP\/1\.1 408/);
  });

  test('that sends many requests but reads no responses is disconnected', async () => {
    const requests = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000);
    const socket = open(requests).pause();
    const startedAt = Date.now();
    await new Promise((resolve) => {
      const poll = setInterval(async () => {
        if (Date.now() - startedAt < SHORT.idleMs) return;
        // A write to a closed connection fails; a write to one with full buffers waits.
        socket.write('G', (error) => {
          if (!error) return;
          clearInterval(poll);
          resolve(undefined);
        });
      }, 100);
    });
    socket.destroy();
  });

  test('does not block other clients', async () => {
    const idle = Array.from({ length: 200 }, () => open('GET /healthz HTTP/1.1\r\nX: '));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });

  test('is disconnected after these timeouts in production', () => {
    expect(httpTimeouts).toEqual({
      headersMs: 10_000,
      requestMs: 30_000,
      keepAliveMs: 65_000,
      idleMs: 60_000,
      checkEveryMs: 5_000,
    });
  });
});
