import { type RawSmtpServer, type Reaction, say, startRawSmtpServer, until } from '@posthorn/testing';
import { copyEmail } from './copy-email.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const BURST = 10_000;
const CONCURRENCY = 20;
const REPLY_AFTER_MS = 200;
const MAX_EMAILS_PER_SECOND = (CONCURRENCY * 1_000) / REPLY_AFTER_MS;

const SINGLE = 'single@example.com';

let t: TestWorker;
let server: RawSmtpServer;
let other: Awaited<ReturnType<TestWorker['otherWorkspace']>>;
let replyToFlood: Reaction;

beforeEach(async () => {
  replyToFlood = (socket) => setTimeout(say('250 OK'), REPLY_AFTER_MS, socket);
  server = await startRawSmtpServer((moment, to) =>
    moment === 'DOT' && to[0] !== SINGLE ? (socket) => replyToFlood(socket) : undefined,
  );
  const config = { smtpUrls: [server.url], workerConcurrency: CONCURRENCY, sweepIntervalMs: 1_000, leaseSeconds: 60 };
  t = await openTestWorker({ started: false, config });
  other = await t.otherWorkspace();
});

afterEach(async () => {
  replyToFlood = say('250 OK');
  await t.ctx.db('deliveries').whereNull('lease_until').delete();
  server.cutAll();
  await t.close();
  await server.close();
});

async function burst(): Promise<string[]> {
  const id = await t.accept();
  return [id, ...(await copyEmail(t.ctx, id, BURST - 1))];
}

const positionOfSingle = () => server.messages.findIndex(({ to }) => to[0] === SINGLE);

/** Accepts an email for another workspace. The email is due now but has no delivery job. */
async function acceptWithoutJob(): Promise<void> {
  const id = await other.accept({ to: [SINGLE], scheduledAt: new Date(Date.now() + 3_600_000) });
  await t.ctx
    .db('deliveries')
    .where({ email_id: id })
    .update({ due_at: new Date(0) });
}

describe('a workspace with 10,000 waiting emails', () => {
  test.each([
    ['with delivery jobs', async () => t.announce(await burst())],
    ['without delivery jobs', async () => void (await burst())],
  ])('%s delays a single email of another workspace by less than a second', async (_title, prepare) => {
    await prepare();
    t.start();
    await until(() => server.messages.length > CONCURRENCY);
    const announced = server.messages.length;
    await other.accept({ to: [SINGLE] });
    await until(() => positionOfSingle() >= 0);
    expect(positionOfSingle() - announced).toBeLessThan(MAX_EMAILS_PER_SECOND);

    expect(server.messages.length).toBeLessThan(BURST / 2);
  });

  test("delays another workspace's email by less than a second, even if it has no delivery job", async () => {
    t.announce(await burst());
    t.start();
    await until(() => server.messages.length > CONCURRENCY);
    const announced = server.messages.length;
    await acceptWithoutJob();
    await until(() => positionOfSingle() >= 0);
    expect(positionOfSingle() - announced).toBeLessThan(MAX_EMAILS_PER_SECOND);
  });

  test.each([
    ['with a delivery job', async () => void (await other.accept({ to: [SINGLE] }))],
    ['without a delivery job', acceptWithoutJob],
  ])(
    'cannot take every slot: an email of another workspace %s is sent while all others hang',
    async (_title, accept) => {
      replyToFlood = () => {};
      t.announce(await burst());
      t.start();
      await until(() => server.messages.length === CONCURRENCY * 0.9);
      await accept();
      await until(() => positionOfSingle() >= 0);
      expect(server.messages).toHaveLength(CONCURRENCY * 0.9 + 1);
    },
  );
});
