import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type ReceivedMessage,
  type SmtpSink,
  startSmtpSink,
  type TestWorkspace,
} from '@posthorn/testing';
import { type RunningProcess, startProcess } from './processes.js';

let ctx: Context;
let sink: SmtpSink;
let tenant: TestWorkspace;
let env: NodeJS.ProcessEnv;
let api: RunningProcess;
let worker: RunningProcess;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' });
  sink = await startSmtpSink();
  tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  env = { SMTP_URL: sink.url, PUBLIC_URL: 'https://mail.example.com', RATE_LIMIT_PER_MINUTE: '100000' };
  api = await startProcess('api', ctx, env);
  worker = await startProcess('worker', ctx, env);
});

afterAll(async () => {
  expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  await sink.close();
  await closeTestContext(ctx);
});

const auth = () => ({ Authorization: `Bearer ${tenant.key}` });

async function send(to: string, topic?: string): Promise<string> {
  const response = await fetch(`${api.url}/api/v1/emails`, {
    method: 'POST',
    headers: { ...auth(), 'Content-Type': 'application/json' },
    body: JSON.stringify({
      to: [to],
      subject: 'News',
      text: topic ? 'Unsubscribe: {{unsubscribe_url}}' : 'A receipt',
      ...(topic && { unsubscribe: { topic } }),
    }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

type Read = { status: string; text: string; events: Array<{ type: string }> };

async function read(id: string): Promise<Read> {
  return (await (await fetch(`${api.url}/api/v1/emails/${id}`, { headers: auth() })).json()) as Read;
}

/** Waits for the final status of an email. */
async function readStatus(id: string): Promise<string> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(50)) {
    const { status } = await read(id);
    if (!['queued', 'sending'].includes(status)) return status;
  }
  throw new Error(`Email ${id} has not ended`);
}

async function deliver(to: string, topic?: string): Promise<{ id: string; message: ReceivedMessage }> {
  const id = await send(to, topic);
  expect(await readStatus(id)).toBe('sent');
  const message = sink.messages.find(({ raw }) => raw.includes(id));
  if (!message) throw new Error('The mail server did not get the message');
  return { id, message };
}

function getHeader({ parsed }: ReceivedMessage, name: string): string | undefined {
  return parsed.headers.find(({ key }) => key === name)?.value;
}

/** The link in the header, at the address where the API of this test listens. */
function linkIn(message: ReceivedMessage): string {
  const [, url = ''] =
    /^<(https:\/\/mail\.example\.com\/u\/[\w-]+)>$/.exec(getHeader(message, 'list-unsubscribe') ?? '') ?? [];
  return api.url + new URL(url).pathname;
}

/** Posts as Gmail does: a form, without a cookie, and without following redirects. */
async function clickOnce(link: string): Promise<number> {
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  const response = await fetch(link, { method: 'POST', body, redirect: 'manual' });
  return response.status;
}

test('a recipient who uses the link gets no more mail of the topic, but all other mail', async () => {
  const { id, message } = await deliver('jane@example.com', 'newsletter');
  expect(getHeader(message, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  const signature = getHeader(message, 'dkim-signature')?.replaceAll(/\s/g, '') ?? '';
  expect(/h=([^;]*)/.exec(signature)?.[1]?.split(':')).toEqual(
    expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']),
  );
  const link = linkIn(message);
  expect(message.parsed.text).toContain(new URL(link).pathname);

  // A scanner opens every link.
  for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200);
  expect(await readStatus(await send('jane@example.com', 'newsletter'))).toBe('sent');

  expect(await clickOnce(link)).toBe(200);
  expect(await clickOnce(link)).toBe(200);
  expect((await read(id)).events.map(({ type }) => type)).toEqual(['accepted', 'sent', 'unsubscribed']);

  const [same, otherTopic, withoutTopic, otherRecipient] = await Promise.all([
    send('Jane@Example.com', 'newsletter'),
    send('jane@example.com', 'offers'),
    send('jane@example.com'),
    send('joe@example.com', 'newsletter'),
  ]);
  expect(await Promise.all([same, otherTopic, withoutTopic, otherRecipient].map(readStatus))).toEqual([
    'suppressed',
    'sent',
    'sent',
    'sent',
  ]);
  expect(sink.messages.some(({ raw }) => raw.includes(same))).toBe(false);
});

test('a link still works after SECRET_KEY was changed', async () => {
  const before = await deliver('maria@example.com', 'newsletter');
  const link = linkIn(before.message);
  const path = new URL(link).pathname;
  expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  const rotated = {
    ...env,
    SECRET_KEY: 'a new secret that is also only good for tests',
    SECRET_KEY_PREVIOUS: ctx.config.secretKey ?? '',
  };
  api = await startProcess('api', ctx, rotated);
  worker = await startProcess('worker', ctx, rotated);

  // The DKIM key is still encrypted with the old value.
  const { message } = await deliver('maria@example.com', 'newsletter');
  expect(new URL(linkIn(message)).pathname).not.toBe(path);
  expect(await clickOnce(api.url + path)).toBe(200);
  expect(await readStatus(await send('maria@example.com', 'newsletter'))).toBe('suppressed');
  expect(await readStatus(await send('maria@example.com', 'offers'))).toBe('sent');
});
