import { connect, type Socket } from 'node:net';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { until } from '@posthorn/testing';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';

/** Encoded, the file has 8.9 MB, which is more than the kernel buffers, and close to the largest possible message. */
const FILE = { filename: 'large.bin', content: Buffer.alloc(6_500_000, 'x').toString('base64') };
const MIN_LARGE = 8_000_000;

type Reader = { readonly auth: { readonly Authorization: string }; readonly path: string };

let t: TestApi;
let open: Socket[] = [];

beforeEach(async () => {
  // An API of its own, because the tests count the bytes of all its downloads.
  t = await openTestApi({});
});

afterEach(async () => {
  for (const socket of open) socket.destroy();
  open = [];
  await t.close();
});

/** A key that may read the message of a test email. */
async function openReader(
  { workspace }: Pick<TestTenant, 'workspace'>,
  attachments: object[] = [FILE],
): Promise<Reader> {
  const scopes = ['emails:send', 'emails:read'] as const;
  const fields = { name: 'Reader', mode: 'test' as const, scopes: [...scopes], expiresAt: null };
  const auth = { Authorization: `Bearer ${(await createKey(t.ctx, operator, workspace.id, fields)).text}` };
  const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi', attachments };
  const { body } = await t.api.post('/api/v1/emails').set(auth).send(email).expect(202);
  return { auth, path: `/api/v1/emails/${body.id}/message` };
}

const download = ({ auth, path }: Reader) => t.api.get(path).set(auth).buffer(true);

/** Begins a download and reads none of it. */
async function hold({ auth, path }: Reader): Promise<Socket> {
  const before = t.ctx.downloads.used();
  const { hostname, port } = new URL(t.url);
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${auth.Authorization}\r\n\r\n`;
  const socket = connect(Number(port), hostname, () => socket.write(request)).on('error', () => {});
  socket.pause();
  open.push(socket);
  await until(() => t.ctx.downloads.used() > before + MIN_LARGE);
  return socket;
}

describe('a workspace that downloads messages slowly', () => {
  test('holds up no other workspace', async () => {
    const slow = await openReader(t);
    const other = await openReader(await t.otherTenant());
    await hold(slow);
    // It has used up its share, so a second one waits.
    const second = download(slow).then((response) => response);
    const read = await download(other).expect(200);
    expect(Number(read.headers['content-length'])).toBeGreaterThan(MIN_LARGE);
    const { status, headers, body } = await second;
    expect([status, body.code, Number(headers['retry-after']) >= 1]).toEqual([429, 'rate_limited', true]);
  });

  test('gets its next message when the client has read the one before, or is gone', async () => {
    const slow = await openReader(t);
    const socket = await hold(slow);
    const second = download(slow).then((response) => response);
    socket.destroy();
    expect((await second).status).toBe(200);
    await until(() => t.ctx.downloads.used() === 0);
  });

  test('leaves room for small messages, and large ones get a 503 after a few seconds, if many others do the same', async () => {
    for (let count = 0; count < 4; count += 1) await hold(await openReader(await t.otherTenant()));
    const [large, small] = [await openReader(t), await openReader(t, [])];
    expect((await download(small)).status).toBe(200);
    const { status, headers, body } = await download(large);
    expect([status, body.code, Number(headers['retry-after']) >= 1]).toEqual([503, 'unavailable', true]);
    // Bodies that clients send have memory of their own.
    const email = { to: ['jane@example.com'], subject: 'Hello', text: 'x'.repeat(1_000_000) };
    await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202);
    open[0]?.destroy();
    await download(large).expect(200);
  });
});
