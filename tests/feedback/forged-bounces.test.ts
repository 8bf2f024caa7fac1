import { randomBytes } from 'node:crypto';
import { insertReports } from '@posthorn/domain/bounces';
import { countEvents } from '@posthorn/domain/deliverability';
import { listSuppressions } from '@posthorn/domain/suppressions';
import { until } from '@posthorn/testing';
import { openTestInbound, type TestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { openTestWorker, type TestWorker } from '../../apps/worker/test/open-test-worker.js';
import { dsn } from '../rig/reports.js';

const STRANGER = '198.51.100.7';
const RELAY = '10.0.0.25';

let t: TestWorker;
let inbound: TestInbound;

beforeEach(async () => {
  t = await openTestWorker();
  inbound = await openTestInbound(t.ctx);
});

afterEach(async () => {
  await inbound.close();
  await t.close();
});

async function sent(...to: string[]): Promise<string> {
  const id = await t.accept({ to });
  await t.until(id, 'sent');
  return id;
}

/** Stores a bounce as the listener does, as if it came from this network. */
async function receive(emailId: string, peer: string, { about = 'jane@example.com', positions = [0] } = {}) {
  const raw = Buffer.from(dsn({ address: about }));
  const report = { envelope: { emailId, positions }, mailbox: null, peer, raw, size: raw.length };
  await insertReports(t.ctx.db, [{ ...report, digest: randomBytes(32) }]);
  await until(async () => (await t.ctx.db('feedback_reports').whereNotNull('due_at')).length === 0);
}

async function counts() {
  await until(async () => {
    await countEvents(t.ctx.db, { limit: 1_000 });
    return (await t.ctx.db('sending_stats').sum({ bounced: 'bounced' }).first())?.bounced > 0;
  });
  return t.ctx.db('sending_stats').select('bounced', 'counted_bounces');
}

const suppressed = async () => {
  const { rows } = await listSuppressions(t.ctx.db, t.workspaceId, {}, { limit: 100, after: null, before: null });
  return rows.map(({ address }) => address);
};

/** What the event of the bounce says. */
const bouncedEvent = async (id: string) =>
  (await t.ctx.db('events').where({ stream_id: id, type: 'email.bounced' }).first('data'))?.data;

test('a bounce that a stranger wrote ends the email and suppresses its only recipient, but does not count', async () => {
  const id = await sent('jane@example.com');
  await receive(id, STRANGER);
  await t.until(id, 'bounced');
  expect(await suppressed()).toEqual(['jane@example.com']);
  expect(await bouncedEvent(id)).toEqual({ authenticated: false });
  expect(await counts()).toEqual([{ bounced: 1, counted_bounces: 0 }]);
});

test('a bounce from a relay counts', async () => {
  const id = await sent('jane@example.com');
  await receive(id, RELAY);
  await t.until(id, 'bounced');
  expect(await bouncedEvent(id)).toEqual({ authenticated: true });
  expect(await counts()).toEqual([{ bounced: 1, counted_bounces: 1 }]);
});

test('one of several recipients cannot suppress another with one bounce, but a relay can', async () => {
  const positions = [0, 1];
  const id = await sent('jane@example.com', 'attacker@example.com');
  await receive(id, STRANGER, { positions });
  expect((await t.read(id)).recipients.map(({ status }) => status)).toEqual(['bounced', 'sent']);
  expect(await suppressed()).toEqual([]);
  const other = await sent('jane@example.com', 'attacker@example.com');
  await receive(other, RELAY, { positions });
  expect(await suppressed()).toEqual(['jane@example.com']);
});
