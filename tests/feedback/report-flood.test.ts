import { randomBytes } from 'node:crypto';
import { createReturnPathMaker, insertReports, type ReceivedReport } from '@posthorn/domain/bounces';
import { limits } from '@posthorn/domain/limits';
import { newId } from '@posthorn/platform/values';
import { until } from '@posthorn/testing';
import { createTransport } from 'nodemailer';
import { openTestInbound, type TestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { openTestWorker, type TestWorker } from '../../apps/worker/test/open-test-worker.js';
import { complaint, dsn } from '../rig/reports.js';

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

async function sent(options: Parameters<TestWorker['accept']>[0] = {}): Promise<{ id: string; returnPath: string }> {
  const before = t.sink.messages.length;
  const id = await t.accept(options);
  await t.until(id, 'sent');
  const messages = await t.sink.waitFor(before + 1);
  return { id, returnPath: messages[before]?.envelope.from ?? '' };
}

const toReturnPath = (emailId: string) =>
  createReturnPathMaker(t.ctx.config)({ emailId, positions: [0], domain: 'posthorn.localhost' });

const fbl = () => `fbl@bounces.${t.ctx.config.platformSenderDomain}`;

const untilProcessed = () =>
  until(async () => (await t.ctx.db('feedback_reports').whereNotNull('due_at')).length === 0);

/** @returns the code of the reply */
async function send(raw: string, to: string): Promise<number> {
  const reply = await inbound.send(raw, { to }).catch((error) => error.response as string);
  return Number(reply.slice(0, 3));
}

const numbered = (number: number) => `X-Number: ${number}\r\n${dsn({ address: 'jane@example.com' })}`;

test('a message to one return path in several spellings is stored once', async () => {
  const { id, returnPath } = await sent();
  const to = [returnPath, returnPath.toUpperCase(), returnPath.replace('b+', 'B+')];
  const transport = createTransport({ host: '127.0.0.1', port: inbound.port, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: '', to }, raw: numbered(1) });
  for (const address of to) await transport.sendMail({ envelope: { from: '', to: address }, raw: numbered(1) });
  transport.close();
  await t.until(id, 'bounced');
  expect(await t.ctx.db('feedback_reports')).toHaveLength(1);
});

test('after 20 reports about an email in a minute, others have to come again, and those that were stored do not', async () => {
  const { returnPath } = await sent();
  for (let number = 0; number < limits.reportsOfEmail.max; number += 1)
    expect(await send(numbered(number), returnPath)).toBe(250);
  const surplus = await inbound.send(numbered(20), { to: returnPath }).catch((error) => error);
  expect([surplus.responseCode, surplus.response]).toEqual([451, expect.stringContaining('4.3.2 Too many reports')]);
  expect(await send(numbered(3), returnPath)).toBe(250);
  expect(await send(numbered(20), (await sent({ to: ['joe@example.com'] })).returnPath)).toBe(250);
  expect(await t.ctx.db('feedback_reports')).toHaveLength(limits.reportsOfEmail.max + 1);
});

test('mail that says nothing does not keep the bounce of another recipient out, and takes no more room', async () => {
  const { id, returnPath } = await sent({ to: ['jane@example.com', 'joe@example.com'] });
  await inbound.send(dsn({ address: 'joe@example.com' }), { to: returnPath });
  for (let number = 1; number < limits.reportsOfEmail.max; number += 1)
    expect(await send(`Subject: junk ${number}\r\n\r\nnot a report`, returnPath)).toBe(250);
  await untilProcessed();
  expect(await send(numbered(1), returnPath)).toBe(451);
  await t.ctx.db('feedback_reports').update({ received_at: t.ctx.db.raw(`received_at - interval '61 seconds'`) });
  expect(await send(numbered(1), returnPath)).toBe(250);
  await t.until(id, 'bounced');
  const results: string[] = await t.ctx.db('feedback_reports').where({ email_id: id }).pluck('result');
  expect(results).toHaveLength(limits.reportsOfEmail.max);
  expect(results.filter((result) => result === 'applied')).toHaveLength(2);
});

test('an email with 50 recipients has room for the reports of each', async () => {
  const emailId = newId();
  const positions = Array.from({ length: 50 }, (_, position) => position);
  const reports = Array.from({ length: 101 }, (_, number) => toReceived(number, { emailId, positions }));
  const outcomes = await insertReports(t.ctx.db, reports);
  expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(100);
});

function toReceived(number: number, envelope: ReceivedReport['envelope']): ReceivedReport {
  const raw = Buffer.from(numbered(number));
  return { envelope, mailbox: null, peer: null, raw, size: raw.length, digest: randomBytes(32) };
}

test('while a thousand reports of a workspace wait, more of them are deferred, but none of others', async () => {
  await inbound.close();
  const { id } = await sent();
  const flood = Array.from({ length: limits.waitingReports.max + 1 }, (_, number) =>
    toReceived(number, { emailId: newId(), positions: [0] }),
  );
  const outcomes = await insertReports(t.ctx.db, flood);
  expect(outcomes.indexOf('no_room')).toBe(limits.waitingReports.max);
  expect(await insertReports(t.ctx.db, flood.slice(0, 1))).toEqual(['stored']);
  expect(await insertReports(t.ctx.db, [toReceived(0, { emailId: id, positions: [0] })])).toEqual(['stored']);
  inbound = await openTestInbound(t.ctx);
  await t.until(id, 'bounced');
});

test('a flood about the emails of one workspace does not hold up the bounce of another', async () => {
  const { id, returnPath } = await sent();
  await inbound.close();
  const other = newId();
  await t.ctx.db('email_recipients').insert(
    Array.from({ length: 500 }, () => ({
      email_id: newId(),
      workspace_id: other,
      position: 0,
      kind: 'to',
      address: 'x@example.com',
      status: 'sent',
      updated_at: new Date(),
    })),
  );
  const emailIds: string[] = await t.ctx.db('email_recipients').where({ workspace_id: other }).pluck('email_id');
  const raw = Buffer.from(`Subject: x\r\n\r\n${'a\r\n'.repeat(80_000)}`);
  const flood = emailIds.map((emailId, number) => ({ ...toReceived(number, { emailId, positions: [0] }), raw }));
  for (let from = 0; from < flood.length; from += 50) await insertReports(t.ctx.db, flood.slice(from, from + 50));
  inbound = await openTestInbound(t.ctx);
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: returnPath });
  await t.until(id, 'bounced');
  expect((await t.ctx.db('feedback_reports').whereNotNull('due_at').pluck('id')).length).toBeGreaterThan(100);
});

test('a network that sends too many bytes in a minute is deferred before it sends the next message', async () => {
  const returnPath = toReturnPath(newId());
  const huge = 'x'.repeat(998).concat('\r\n').repeat(31_000);
  expect(await send(huge, returnPath)).toBe(250);
  expect(await send(huge.slice(1_000), returnPath)).toBe(250);
  const error = await inbound.send(numbered(1), { to: returnPath }).catch((thrown) => thrown);
  expect([error.responseCode, error.response]).toEqual([450, expect.stringContaining('60,000,000 bytes')]);
});

describe('what is kept', () => {
  const readDays = async () => {
    const rows = await t.ctx.db('feedback_reports').select('result', 'received_at', 'expires_at', 'raw').orderBy('id');
    return rows.map(({ result, received_at, expires_at, raw }) => ({
      result,
      days: Math.round((expires_at - received_at) / 86_400_000),
      bytes: raw?.length ?? 0,
    }));
  };

  test('of a report that changed something is its beginning, for 30 days', async () => {
    const { returnPath } = await sent();
    await send(`${dsn({ address: 'jane@example.com' })}${'returned\r\n'.repeat(10_000)}`, returnPath);
    await untilProcessed();
    expect(await readDays()).toEqual([{ result: 'applied', days: 30, bytes: limits.shownReportBytes.max }]);
  });

  test.each([
    ['an automatic reply', 'Auto-Submitted: auto-replied\r\n\r\nI am away\r\n', 'nothing_new'],
    ['what is no report', 'Subject: Hello\r\n\r\nHello\r\n', 'nothing_new'],
    ['a delay', dsn({ address: 'jane@example.com', action: 'delayed', status: '4.4.1' }), 'applied'],
  ])('of %s is its beginning, for a day', async (_what, raw, result) => {
    const { returnPath } = await sent();
    await send(raw, returnPath);
    await untilProcessed();
    expect(await readDays()).toEqual([{ result, days: 1, bytes: raw.length }]);
  });

  test('of complaints to the general address are those that changed something', async () => {
    const { id, returnPath } = await sent();
    await send(complaint(returnPath), fbl());
    await t.until(id, 'complained');
    for (let number = 0; number < 3; number += 1) await send(`X-Number: ${number}\r\n${complaint(returnPath)}`, fbl());
    await untilProcessed();
    expect(await readDays()).toMatchObject([{ result: 'applied', days: 30 }]);
  });
});
