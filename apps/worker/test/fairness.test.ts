import { type RawSmtpServer, type Reaction, say, startRawSmtpServer } from '@posthorn/testing';
import { copyEmail } from './copy-email.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const FLOOD = 10_000;
const CONCURRENCY = 20;
const REPLY_AFTER_MS = 200;
/** What the flood's workspace can have sent in a second, at most. */
const MAILS_IN_A_SECOND = (CONCURRENCY * 1_000) / REPLY_AFTER_MS;

const SINGLE = 'single@example.com';

let t: TestWorker;
let server: RawSmtpServer;
let other: Awaited<ReturnType<TestWorker['otherTenant']>>;
let answerFlood: Reaction;

beforeEach(async () => {
  answerFlood = (socket) => setTimeout(say('250 OK'), REPLY_AFTER_MS, socket);
  server = await startRawSmtpServer((moment, to) =>
    moment === 'DOT' && to[0] !== SINGLE ? (socket) => answerFlood(socket) : undefined,
  );
  const config = { smtpUrls: [server.url], workerConcurrency: CONCURRENCY, sweepIntervalMs: 1_000, leaseSeconds: 60 };
  t = await openTestWorker({ started: false, config });
  other = await t.otherTenant();
});

afterEach(async () => {
  answerFlood = say('250 OK');
  await t.ctx.db('emails').whereNot('status', 'sending').update({ status: 'canceled' });
  server.cutAll();
  await t.close();
  await server.close();
});

async function flood(): Promise<string[]> {
  const id = await t.accept();
  return [id, ...(await copyEmail(t.ctx, id, FLOOD - 1))];
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const positionOfSingle = () => server.messages.findIndex(({ to }) => to[0] === SINGLE);

/** An email that no bell is rung for, which is due now. */
async function acceptSilently(): Promise<void> {
  const id = await other.accept({ to: [SINGLE], scheduledAt: new Date(Date.now() + 3_600_000) });
  await t.ctx
    .db('emails')
    .where({ id })
    .update({ due_at: new Date(0) });
}

describe('a workspace with 10,000 waiting emails', () => {
  test.each([
    ['whose bells all ring', async () => t.ring(await flood())],
    ['that no bell names', async () => void (await flood())],
  ])('%s, delays a single email of another by less than a second', async (_title, prepare) => {
    await prepare();
    t.start();
    await until(() => server.messages.length > CONCURRENCY);
    const announced = server.messages.length;
    await other.accept({ to: [SINGLE] });
    await until(() => positionOfSingle() >= 0);
    expect(positionOfSingle() - announced).toBeLessThan(MAILS_IN_A_SECOND);

    expect(server.messages.length).toBeLessThan(FLOOD / 2);
  });

  test('delays a single one that no bell is rung for no longer', async () => {
    t.ring(await flood());
    t.start();
    await until(() => server.messages.length > CONCURRENCY);
    const announced = server.messages.length;
    await acceptSilently();
    await until(() => positionOfSingle() >= 0);
    expect(positionOfSingle() - announced).toBeLessThan(MAILS_IN_A_SECOND);
  });

  test.each([
    ['with a bell', async () => void (await other.accept({ to: [SINGLE] }))],
    ['without a bell', acceptSilently],
  ])('cannot have every slot: an email of another %s passes while all of the flood hangs', async (_title, accept) => {
    answerFlood = () => {};
    t.ring(await flood());
    t.start();
    await until(() => server.messages.length === CONCURRENCY * 0.9);
    await accept();
    await until(() => positionOfSingle() >= 0);
    expect(server.messages).toHaveLength(CONCURRENCY * 0.9 + 1);
  });
});
