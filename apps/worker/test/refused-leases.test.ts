import { setTimeout as sleep } from 'node:timers/promises';
import { type RawSmtpServer, say, startRawSmtpServer } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';
import { allowChanges, refuseChanges } from './refuse-changes.js';

const EMAILS = 4;

let t: TestWorker;
let server: RawSmtpServer;
let replies: Array<() => void>;

beforeEach(async () => {
  replies = [];
  server = await startRawSmtpServer((moment) =>
    moment === 'DOT' ? (socket) => replies.push(() => say('250 OK')(socket)) : undefined,
  );
  t = await openTestWorker({ config: { smtpUrls: [server.url], leaseSeconds: 1 }, started: false });
});

afterEach(async () => {
  await t.close();
  await server.close();
});

test('other emails keep their leases while Postgres refuses to extend the lease of one email', async () => {
  t.start();
  const [refused = '', ...others] = await Promise.all(Array.from({ length: EMAILS }, () => t.accept()));
  while (replies.length < EMAILS) await sleep(10);
  await refuseChanges(t.ctx.db, 'update on deliveries', {
    condition: `new.email_id = '${refused}' and new.attempt = old.attempt`,
    sqlState: '23514',
  });
  const leases = () => t.ctx.db('deliveries').whereIn('email_id', others).min('lease_until as first').first();
  const before = (await leases())?.first;
  while ((await leases())?.first <= before) await sleep(10);
  await allowChanges(t.ctx.db);
  for (const reply of replies) reply();
  for (const id of others) {
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
  }
});
