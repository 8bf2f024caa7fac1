import type { Context } from '@posthorn/domain';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type ReceivedMessage,
  type SmtpSink,
  startSmtpSink,
} from '@posthorn/testing';
import fc from 'fast-check';
import { type Running, startProcess } from './processes.js';

/** Long enough to meet every rule, short enough for every run; a failing seed is printed. */
const VALID_RUNS = 150;

let ctx: Context;
let sink: SmtpSink;
let api: Running;
let worker: Running;
let headers: Record<string, string>;
let slug: string;

beforeAll(async () => {
  ctx = await openTestContext();
  sink = await startSmtpSink();
  const tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  slug = tenant.slug;
  headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' };
  const env = { SMTP_URL: sink.url, RATE_LIMIT_PER_MINUTE: '1000000' };
  [api, worker] = await Promise.all([startProcess('api', ctx, env), startProcess('worker', ctx, env)]);
}, 60_000);

afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await sink.close();
  await closeTestContext(ctx);
});

async function post(body: string) {
  const answer = await fetch(`${api.url}/api/v1/emails`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
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

  test('what is accepted arrives with the envelope, headers and bodies that were asked for, nothing else', async () => {
    const asked = new Map<string, Wanted>();
    await fc.assert(
      fc.asyncProperty(validEmail, async (email) => {
        const answer = await post(JSON.stringify(email));
        expect(answer.status).toBe(202);
        asked.set(String(answer.body.id), email);
      }),
      { numRuns: VALID_RUNS },
    );
    for (const deadline = Date.now() + 30_000; received(asked).size < asked.size && Date.now() < deadline; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const messages = received(asked);
    expect(messages.size).toBe(asked.size);
    for (const [id, email] of asked) assertSame(messages.get(id) as ReceivedMessage, { id, ...email });
  }, 90_000);
});

type Wanted = { to: string[]; cc: string[]; bcc: string[]; subject: string; text: string; html: string };

function received(asked: ReadonlyMap<string, unknown>): Map<string, ReceivedMessage> {
  const idOf = ({ parsed }: ReceivedMessage) => parsed.messageId?.slice(1).split('@')[0] ?? '';
  return new Map(sink.messages.map((message) => [idOf(message), message] as const).filter(([id]) => asked.has(id)));
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

function assertSame(
  { envelope, parsed }: ReceivedMessage,
  { id, to, cc, bcc, subject, text, html }: Wanted & { id: string },
): void {
  const toAscii = (list: string[]) => list.map((one) => one.replace('bücher.example', 'xn--bcher-kva.example'));
  const seen = new Set<string>();
  const fresh = (list: string[]) =>
    toAscii(list).filter((one) => !seen.has(one.toLowerCase()) && seen.add(one.toLowerCase()));
  const [wantedTo, wantedCc, wantedBcc] = [fresh(to), fresh(cc), fresh(bcc)];
  expect(envelope.from).toMatch(/^b\+[0-9a-v]{56}@bounces\.posthorn\.localhost$/);
  // The sink shows A-labels as Unicode.
  expect(toAscii([...envelope.to])).toEqual([...wantedTo, ...wantedCc, ...wantedBcc]);
  expect(parsed.from?.address).toBe(`${slug}@posthorn.localhost`);
  expect((parsed.to ?? []).map((one) => one.address)).toEqual(wantedTo);
  expect((parsed.cc ?? []).map((one) => one.address)).toEqual(wantedCc);
  expect(parsed.subject).toBe(subject);
  expect(parsed.messageId).toBe(`<${id}@posthorn.localhost>`);
  expect(parsed.text?.replace(/\r?\n$/, '')).toBe(text);
  expect(parsed.html?.replace(/\r?\n$/, '')).toBe(html);
  // The sink adds no header of its own.
  expect(parsed.headers.map(({ key }) => key).filter((key) => !HEADERS.includes(key))).toEqual([]);
}
