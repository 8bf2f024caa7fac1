import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { until } from '@posthorn/testing';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';
import { sendRaw } from '../send-raw.js';

let t: TestApi;
let open: Socket[] = [];

beforeEach(async () => {
  // An API of its own, because the tests count the bytes of all its requests.
  t = await openTestApi({});
});

afterEach(async () => {
  jest.restoreAllMocks();
  for (const socket of open) socket.destroy();
  open = [];
  await t.close();
});

const NINE_MB = 9_000_000;

function head({ key }: Pick<TestTenant, 'key'>, more: readonly string[]): string {
  const lines = [
    'POST /api/v1/emails HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends the start of a request and keeps its connection open. */
function begin(text: string | Buffer): Socket {
  const { hostname, port } = new URL(t.url);
  const socket = connect(Number(port), hostname, () => socket.write(text)).on('error', () => {});
  open.push(socket);
  return socket;
}

/** Declares a body of 9 MB and sends only its first bytes. */
const beginLargeBody = (tenant: TestTenant, bytes: number) =>
  begin(Buffer.concat([Buffer.from(head(tenant, [`Content-Length: ${NINE_MB}`])), Buffer.alloc(bytes, ' ')]));
const sendLargeBody = (tenant: TestTenant) =>
  sendRaw(t.url, head(tenant, [`Content-Length: ${NINE_MB}`, 'Connection: close']));
const sendText = (tenant: TestTenant, characters: number) =>
  t.api
    .post('/api/v1/emails')
    .set(tenant.auth)
    .send({ to: ['jane@example.com'], subject: 'Hello', text: 'x'.repeat(characters) });

/** For each tenant, declares two bodies of 9 MB and sends only the first byte of each. */
async function declareTwo(...tenants: readonly TestTenant[]): Promise<void> {
  const { calls } = jest.spyOn(t.ctx.bodies, 'expect').mock;
  for (const tenant of tenants) for (const bytes of [1, 1]) beginLargeBody(tenant, bytes);
  await until(() => calls.length === 2 * tenants.length);
}

/** Sends a body of 9 MB except for its last byte. @returns false if it was refused */
async function hold(tenant: TestTenant): Promise<boolean> {
  const before = t.ctx.bodies.used();
  const isHeld = () => t.ctx.bodies.used() === before + NINE_MB - 1;
  let isRefused = false;
  beginLargeBody(tenant, NINE_MB - 1).once('data', () => {
    isRefused = true;
  });
  await until(() => isRefused || isHeld());
  return !isRefused;
}

describe('large bodies in progress', () => {
  test('are refused with 429 before they are sent, if their workspace would exceed its limit', async () => {
    await declareTwo(t);
    const { status, headers, body } = await sendLargeBody(t);
    expect(status).toBe(429);
    expect(headers).toMatch(/Retry-After: 1\r/i);
    expect(JSON.parse(body)).toMatchObject({ code: 'rate_limited' });
    expect(JSON.parse(body).detail).toContain('20,000,000 bytes');
  });

  test('do not keep another workspace from sending large ones, nor this one from sending small ones', async () => {
    await hold(t);
    await hold(t);
    expect((await sendText(await t.otherTenant(), 1_000_000)).status).toBe(202);
    expect((await sendText(t, 2)).status).toBe(202);
  });

  test('take nothing from other workspaces before they arrive', async () => {
    await declareTwo(...(await Promise.all(Array.from({ length: 4 }, () => t.otherTenant()))));
    expect(t.ctx.bodies.used()).toBe(0);
    expect((await sendText(t, 1_000_000)).status).toBe(202);
  });

  test('leave room for the next workspace, however many others take all they can', async () => {
    // Without the interval timers, no body is refused for having stopped arriving.
    jest.spyOn(globalThis, 'setInterval').mockReturnValue(undefined as unknown as NodeJS.Timeout);
    const held: boolean[] = [];
    for (let count = 0; count < 8; count += 1) {
      const tenant = await t.otherTenant();
      held.push(await hold(tenant), await hold(tenant));
    }
    expect(held).toEqual(expect.arrayContaining([true, false]));
    const { status, body } = await sendLargeBody(t);
    expect([status, JSON.parse(body).detail]).toEqual([429, expect.stringContaining('60,000,000 bytes')]);
    expect((await sendText(t, 1_000_000)).status).toBe(202);
  });

  test('are refused with 408 if they stop arriving', async () => {
    const socket = beginLargeBody(t, 1_000_000).setEncoding('utf8');
    const text = (await once(socket, 'data')).join('');
    expect(text).toMatch(/^HTTP\/1\.1 408 .*Connection: close\r/is);
    expect(text).toContain('body_too_slow');
    expect(text).toContain('at least 100,000 were needed');
    await until(() => t.ctx.bodies.used() === 0);
  });

  test('make room when their response is sent or their connection is lost', async () => {
    await sendText(t, 1_000_000);
    await sendText(t, 3_000_000);
    await until(() => t.ctx.bodies.used() === 0);
    const socket = beginLargeBody(t, 5_000_000);
    await until(() => t.ctx.bodies.used() === 5_000_000);
    socket.destroy();
    await until(() => t.ctx.bodies.used() === 0);
  });

  test('count as they arrive if their length is not declared, or if they are compressed', async () => {
    const chunk = 'x'.repeat(100_000);
    begin(`${head(t, ['Transfer-Encoding: chunked'])}${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await until(() => t.ctx.bodies.used() === chunk.length);
    const packed = gzipSync('x'.repeat(5_000_000));
    const lines = [`Content-Length: ${packed.length + 1}`, 'Content-Encoding: gzip'];
    begin(Buffer.concat([Buffer.from(head(t, lines)), packed]));
    await until(() => t.ctx.bodies.used() > 5_000_000);
  });

  test('do not count if they are small', async () => {
    begin(head(t, ['Content-Length: 60000']));
    begin(`${head(t, ['Transfer-Encoding: chunked'])}a\r\n0123456789\r\n`);
    await hold(t);
    expect(t.ctx.bodies.used()).toBe(NINE_MB - 1);
  });
});

describe('large responses', () => {
  /**
   * A template whose JSON is 24 MB long, which is more than the kernel buffers. Each character of the template takes up
   * six bytes.
   */
  async function createLargeTemplate(): Promise<string> {
    const template = { name: 'Large', subject: 's', html_body: 'h', text_body: 't' };
    const { body } = await t.api.post('/api/v1/templates').set(t.auth).send(template);
    const text = '\u0001'.repeat(2_000_000);
    await t.ctx.db('template_versions').where({ template_id: body.id }).update({ html_body: text, text_body: text });
    return `/api/v1/templates/${body.id}`;
  }

  test('count until the client has read them', async () => {
    const path = await createLargeTemplate();
    const socket = begin(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n\r\n`).pause();
    await until(() => t.ctx.bodies.used() > 24_000_000);
    socket.resume();
    await until(() => t.ctx.bodies.used() === 0);
  });

  test('lose their connection if the client takes too long to read them', async () => {
    const path = await createLargeTemplate();
    const { setTimeout: original } = globalThis;
    // At 16 kB a second, 24 MB may take 25 minutes. Here, they may take a few milliseconds.
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((run: () => void, ms = 0, ...rest: unknown[]) =>
        original(run, ms > 1_000_000 ? ms / 100_000 : ms, ...(rest as []))) as typeof setTimeout);
    const socket = begin(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n\r\n`).pause();
    await once(socket, 'connect');
    await until(() => t.ctx.bodies.used() > 24_000_000);
    await until(() => t.ctx.bodies.used() === 0);
  });

  test('stop counting if their connection is lost while they wait for an earlier response', async () => {
    const path = await createLargeTemplate();
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n\r\n`;
    const socket = begin(request + request).pause();
    await until(() => t.ctx.bodies.used() > 24_000_000);
    socket.destroy();
    await until(() => t.ctx.bodies.used() === 0);
  });

  test('are refused with 429 if too many have not been read', async () => {
    const path = await createLargeTemplate();
    begin(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n\r\n`).pause();
    await until(() => t.ctx.bodies.used() > 24_000_000);
    const { status, body } = await t.api.get(path).set(t.auth);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect((await t.api.get('/api/v1/emails').set(t.auth)).status).toBe(200);
  });

  test('are refused without a query if the bytes for this minute are used up while they wait', async () => {
    const path = await createLargeTemplate();
    const { begin: beginTurn } = t.ctx.turns.content;
    // Skips the pauses between large requests, which would take seven seconds.
    jest.spyOn(t.ctx.turns.content, 'begin').mockImplementation(async (owner) => {
      const turn = await beginTurn(owner);
      return { end: () => turn.end() };
    });
    let reads = 0;
    t.ctx.db.on('query', ({ sql }) => {
      if (sql.includes('template_versions')) reads += 1;
    });
    const read = () => t.api.get(path).set(t.auth);
    for (const response of [await read(), await read()]) expect(response.status).toBe(200);
    await until(() => t.ctx.bodies.used() === 0);
    const responses = await Promise.all([read(), read(), read(), read()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
    expect(reads).toBe(3);
    expect(responses.find(({ status }) => status === 429)?.body.detail).toContain('bytes of large bodies per minute');
  });

  test('make the next large request from the workspace wait even if they are refused', async () => {
    const path = await createLargeTemplate();
    begin(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n\r\n`).pause();
    await until(() => t.ctx.bodies.used() > 24_000_000);
    const pauses: number[] = [];
    const { begin: beginTurn } = t.ctx.turns.content;
    jest.spyOn(t.ctx.turns.content, 'begin').mockImplementation(async (owner) => {
      const turn = await beginTurn(owner);
      return { end: (pauseMs = 0) => [turn.end(pauseMs), pauses.push(pauseMs)] };
    });
    expect((await t.api.get(path).set(t.auth)).status).toBe(429);
    expect(pauses).toEqual([expect.any(Number)]);
    expect(pauses[0]).toBeGreaterThan(100);
  });
});
