import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, until } from '@posthorn/testing';
import { Webhook } from 'standardwebhooks';
import { posthornCommand, posthornWith } from '../../apps/cli/test/posthorn.js';
import { startProcess } from '../processes.js';

let ctx: Context;
let api: Awaited<ReturnType<typeof startProcess>>;
let key: string;
let server: Server;
let forward: string;
let received: Array<{ url: string; headers: IncomingHttpHeaders; body: string }>;
const children: ChildProcess[] = [];
const posthorn = posthornWith({});

beforeAll(async () => {
  ctx = await openTestContext();
  ({ key } = await createTestWorkspace(ctx));
  api = await startProcess('api', ctx, {});
});

afterAll(async () => {
  await api.stop();
  await closeTestContext(ctx);
});

beforeEach(async () => {
  received = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ url: request.url ?? '', headers: request.headers, body });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  forward = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
});

/** Starts the command and waits until it listens. */
async function listen(...more: string[]) {
  const args = ['webhooks', 'listen', '--json', '--url', api.url, '--key', key, '--forward', forward, ...more];
  const [file, ...fileArgs] = posthornCommand(args);
  const child = spawn(file, fileArgs, { env: { PATH: process.env.PATH ?? '' } });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await until(() => output.includes('\n'));
  const lines = () =>
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { child, lines, output: () => output, errors: () => errors };
}

async function send(): Promise<string> {
  const response = await fetch(`${api.url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' }),
  });
  return ((await response.json()) as { id: string }).id;
}

test('posts new events to the URL, signed with the printed secret, and prints no address', async () => {
  const { child, lines, output } = await listen();
  const id = await send();
  await until(() => received.length === 1 && lines().length === 2);
  const [first, second] = lines();
  expect(second).toMatchObject({ type: 'email.accepted', email: id, status: 200 });
  expect(output()).not.toContain('jane@example.com');
  const { headers, body } = received[0] as (typeof received)[number];
  expect(new Webhook(first.secret).verify(body, headers as Record<string, string>)).toMatchObject({
    type: 'email.accepted',
    data: { email_id: id, sequence: 1 },
  });
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('goes on after a receiver that is down, and leaves other types out', async () => {
  const { lines } = await listen('--events', 'email.scheduled', '--forward', 'http://127.0.0.1:9/');
  await send();
  await fetch(`${api.url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      to: ['jane@example.com'],
      subject: 'Hello',
      text: 'Hi',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  });
  await until(() => lines().length === 2);
  expect(lines()[1]).toMatchObject({ type: 'email.scheduled', status: null, error: expect.any(String) });
});

test('goes on after a restart of the API, and misses no event', async () => {
  const { lines, errors } = await listen();
  const before = await send();
  await until(() => received.length === 1);
  const { port } = new URL(api.url);
  await api.stop();
  await until(() => errors().includes('Cannot reach the API'));
  api = await startProcess('api', ctx, { PORT: port });
  const after = [await send(), await send()];
  await until(() => received.length === 3 && lines().length === 4);
  expect(lines().map(({ email }) => email)).toEqual([undefined, before, ...after]);
});

test('waits for an API that does not run yet, and says so once', async () => {
  const { port } = new URL(api.url);
  await api.stop();
  const listening = listen();
  const child = children.at(-1) as ChildProcess;
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  await until(() => errors.includes('Cannot reach the API'));
  api = await startProcess('api', ctx, { PORT: port });
  const { lines } = await listening;
  await send();
  await until(() => received.length === 1);
  expect(lines()[0]).toMatchObject({ forwarding_to: forward });
  expect(errors.trim().split('\n')).toHaveLength(1);
});

test('keeps a slash at the end of the URL', async () => {
  await listen('--forward', `${forward}/`);
  await send();
  await until(() => received.length === 1);
  expect(received[0]?.url).toBe('/hook/');
});

test('says that another service answers', async () => {
  const other = createServer((_request, response) => response.end('<html></html>')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const result = await posthorn('webhooks', 'listen', '--url', url, '--key', key, '--forward', forward);
  expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('another service')]);
  other.close();
});

test.each([
  [['--key', 'ph_wrong'], 1, 'valid credential'],
  [['--forward', 'ftp://x'], 2, 'http://'],
  [['--events', 'sent'], 2, 'email.accepted'],
  [['--secret', 'mine'], 2, 'whsec_'],
])(
  '%j ends with the code %i',
  async (more, code, text) => {
    const args = ['webhooks', 'listen', '--url', api.url, '--key', key, '--forward', forward, ...more];
    const result = await posthorn(...args);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(text)]);
  },
  30_000,
);
