import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type ReceivedMessage,
  type SmtpSink,
  startSmtpSink,
} from '@posthorn/testing';
import fc from 'fast-check';
import { type RunningProcess, startProcess } from './processes.js';

/** Enough to exercise every rule, but few enough for every test run. If a run fails, fast-check prints its seed. */
const VALID_RUNS = 150;

let ctx: Context;
let sink: SmtpSink;
let api: RunningProcess;
let worker: RunningProcess;
let headers: Record<string, string>;
let slug: string;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' });
  sink = await startSmtpSink();
  const tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  slug = tenant.slug;
  headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' };
  const env = { SMTP_URL: sink.url, RATE_LIMIT_PER_MINUTE: '1000000' };
  [api, worker] = await Promise.all([startProcess('api', ctx, env), startProcess('worker', ctx, env)]);
});

afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await sink.close();
  await closeTestContext(ctx);
});

async function post(body: string) {
  const response = await fetch(`${api.url}/api/v1/emails`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const address = fc
  .tuple(
    fc.stringMatching(/^[a-z0-9]{1,12}([.+-][a-z0-9]{1,8})?$/),
    fc.constantFrom('example.com', 'mail.example.org', 'bücher.example'),
  )
  .map(([local, domain]) => `${local}@${domain}`);

describe('POST /api/v1/emails', () => {
  const printable = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text));

  const validEmail = fc.record({
    to: fc.uniqueArray(address, { minLength: 1, maxLength: 4 }),
    cc: fc.uniqueArray(address, { maxLength: 2 }),
    bcc: fc.uniqueArray(address, { maxLength: 2 }),
    subject: printable,
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((text) => !/\p{Cc}/u.test(text)),
    html: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((text) => !/\p{Cc}/u.test(text)),
  });

  test('delivers accepted emails with exactly the requested envelope, headers and bodies', async () => {
    const requested = new Map<string, Requested>();
    await fc.assert(
      fc.asyncProperty(validEmail, async (email) => {
        const response = await post(JSON.stringify(email));
        expect(response.status).toBe(202);
        requested.set(String(response.body.id), email);
      }),
      { numRuns: VALID_RUNS },
    );
    for (const deadline = Date.now() + 30_000; received(requested).size < requested.size && Date.now() < deadline; ) {
      await sleep(50);
    }
    const messages = received(requested);
    expect(messages.size).toBe(requested.size);
    for (const [id, email] of requested) expectAsRequested(messages.get(id) as ReceivedMessage, { id, ...email });
  });
});

type Requested = { to: string[]; cc: string[]; bcc: string[]; subject: string; text: string; html: string };

function received(requested: ReadonlyMap<string, unknown>): Map<string, ReceivedMessage> {
  const getId = ({ parsed }: ReceivedMessage) => parsed.messageId?.slice(1).split('@')[0] ?? '';
  return new Map(
    sink.messages.map((message) => [getId(message), message] as const).filter(([id]) => requested.has(id)),
  );
}

const HEADERS = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'x-email-id',
  'dkim-signature',
];

function expectAsRequested(
  { envelope, parsed }: ReceivedMessage,
  { id, to, cc, bcc, subject, text, html }: Requested & { id: string },
): void {
  const toAscii = (list: string[]) => list.map((entry) => entry.replace('bücher.example', 'xn--bcher-kva.example'));
  const seen = new Set<string>();
  const withoutDuplicates = (list: string[]) =>
    toAscii(list).filter((entry) => !seen.has(entry.toLowerCase()) && seen.add(entry.toLowerCase()));
  const [wantedTo, wantedCc, wantedBcc] = [withoutDuplicates(to), withoutDuplicates(cc), withoutDuplicates(bcc)];
  expect(envelope.from).toMatch(/^b\+[0-9a-v]{56}@bounces\.posthorn\.localhost$/);
  // The sink converts A-labels to Unicode.
  expect(toAscii([...envelope.to])).toEqual([...wantedTo, ...wantedCc, ...wantedBcc]);
  expect(parsed.from?.address).toBe(`${slug}@posthorn.localhost`);
  expect((parsed.to ?? []).map((entry) => entry.address)).toEqual(wantedTo);
  expect((parsed.cc ?? []).map((entry) => entry.address)).toEqual(wantedCc);
  expect(parsed.subject).toBe(subject);
  expect(parsed.messageId).toBe(`<${id}@posthorn.localhost>`);
  expect(parsed.text?.replace(/\r?\n$/, '')).toBe(text);
  expect(parsed.html?.replace(/\r?\n$/, '')).toBe(html);
  // The sink adds no headers of its own.
  expect(parsed.headers.map(({ key }) => key).filter((key) => !HEADERS.includes(key))).toEqual([]);
}
