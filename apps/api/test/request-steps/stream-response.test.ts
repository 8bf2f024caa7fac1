import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { streamResponse } from '../../src/request-steps/write-response.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi();
});

afterAll(() => t.close());

/** More than the buffers of both sockets hold. */
const PIECE = 'x'.repeat(1_000_000);

type Source = { stream: AsyncIterator<string>; hasEnded: () => boolean };

function source(count: number, fail = false): Source {
  let ended = false;
  async function* pieces() {
    try {
      for (let index = 0; index < count; index += 1) yield PIECE;
      if (fail) throw new Error('The source broke.');
    } finally {
      ended = true;
    }
  }
  return { stream: pieces(), hasEnded: () => ended };
}

/** At this pace, a client may take 0.4 seconds for a piece. */
const FAST = { bytesPerSecond: 10_000_000, stallMs: 300 };

/** Serves one stream on a port of its own, as the dispatcher would. */
async function serve({ stream }: Source, pace = FAST): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, plain) => {
    const locals = { requestId: 'a-request', startedAt: performance.now() };
    const response = Object.assign(plain, { locals }) as unknown as Response;
    streamResponse(t.ctx, response, { status: 200, stream, pace, assertAllowed: async () => {} }).catch(() =>
      response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function open(port: number): Promise<IncomingMessage> {
  const [response] = await once(httpRequest({ port, host: '127.0.0.1' }).end(), 'response');
  return response;
}

describe('streamResponse', () => {
  test('sends every piece', async () => {
    const pieces = source(20);
    // On a busy machine, a client that reads steadily can still pause for longer than 300 ms.
    const { server, port } = await serve(pieces, { ...FAST, stallMs: 30_000 });
    let bytes = 0;
    for await (const chunk of await open(port)) bytes += chunk.length;
    expect(bytes).toBe(20 * PIECE.length);
    expect(pieces.hasEnded()).toBe(true);
    server.close();
  });

  test('closes the connection of a client that reads nothing, and ends the source', async () => {
    const pieces = source(1_000);
    const { server, port } = await serve(pieces);
    const response = await open(port);
    response.on('error', () => undefined);
    const startedAt = performance.now();
    while (!pieces.hasEnded()) await sleep(20);
    expect(performance.now() - startedAt).toBeGreaterThan(250);
    response.destroy();
    server.close();
  });

  test('closes the connection of a client that reads too slowly, and ends the source', async () => {
    const pieces = source(1_000);
    const { server, port } = await serve(pieces);
    const response = await open(port);
    response.on('error', () => undefined).pause();
    // 200 kB a second, without ever stopping for long.
    const reading = setInterval(() => response.read(20_000), 100);
    while (!pieces.hasEnded()) await sleep(20);
    clearInterval(reading);
    response.destroy();
    server.close();
  });

  test('aborts a response whose source fails, so that it does not look complete', async () => {
    const { server, port } = await serve(source(2, true));
    const response = await open(port);
    response.resume();
    const [error] = await once(response, 'error').catch((thrown) => [thrown]);
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    server.close();
  });
});
