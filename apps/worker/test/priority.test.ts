import { type RawSmtpServer, say, startRawSmtpServer, until } from '@posthorn/testing';
import { copyEmail } from './copy-email.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const NEWSLETTER = 5_000;
const CONCURRENCY = 20;
const REPLY_AFTER_MS = 50;

let t: TestWorker;
let server: RawSmtpServer;

beforeEach(async () => {
  server = await startRawSmtpServer((moment) =>
    moment === 'DOT' ? (socket) => void setTimeout(say('250 OK'), REPLY_AFTER_MS, socket) : undefined,
  );
  const config = { smtpUrls: [server.url], workerConcurrency: CONCURRENCY, sweepIntervalMs: 1_000, leaseSeconds: 60 };
  t = await openTestWorker({ started: false, config });
});

afterEach(async () => {
  await t.ctx.db('deliveries').whereNull('lease_until').delete();
  await t.close();
  await server.close();
});

const sentTo = (address: string) => server.messages.findIndex(({ to }) => to[0] === address);

describe('while a newsletter of the same workspace waits', () => {
  test.each([
    ['high', 'bulk'],
    ['high', 'normal'],
    ['normal', 'bulk'],
  ] as const)('an email with priority %s overtakes one with %s', async (priority, ofNewsletter) => {
    const id = await t.accept({ priority: ofNewsletter });
    t.announce([id, ...(await copyEmail(t.ctx, id, NEWSLETTER - 1))]);
    t.start();
    await until(() => server.messages.length > CONCURRENCY);
    await t.accept({ to: ['code@example.com'], priority });
    const before = server.messages.length;
    await until(() => sentTo('code@example.com') >= 0);
    // Only emails that were already being sent, or were claimed at that moment, come first.
    expect(sentTo('code@example.com') - before).toBeLessThan(5 * CONCURRENCY);
  });
});
