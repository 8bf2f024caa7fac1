import { randomBytes } from 'node:crypto';
import { openAcceptContext } from '@posthorn/domain/accepting';
import { sendSystemMail } from '@posthorn/domain/accounts';
import { operator } from '@posthorn/domain/audit-log';
import { createReturnPathMaker, insertReports } from '@posthorn/domain/bounces';
import { eraseNextBatch, requestErasure } from '@posthorn/domain/erasure';
import { listSuppressions } from '@posthorn/domain/suppressions';
import { newId } from '@posthorn/platform/values';
import { until } from '@posthorn/testing';
import { openTestInbound, type TestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { openTestWorker, type TestWorker } from '../../apps/worker/test/open-test-worker.js';
import { complaint, dsn } from '../rig/reports.js';

let t: TestWorker;
let inbound: TestInbound;
/** The recipients that the mail server refuses for now. */
let busy: Set<string>;

beforeEach(async () => {
  busy = new Set();
  const reply = (command: string, address: string) =>
    command === 'RCPT' && busy.has(address) ? { code: 450, text: '4.2.0 Later' } : undefined;
  t = await openTestWorker({ sink: { reply } });
  inbound = await openTestInbound(t.ctx);
});

afterEach(async () => {
  await inbound.close();
  await t.close();
});

/** Sends an email. @returns its id, and the return path that the mail server got */
async function sent(options: Parameters<TestWorker['accept']>[0] = {}): Promise<{ id: string; returnPath: string }> {
  const before = t.sink.messages.length;
  const id = await t.accept(options);
  await t.until(id, 'sent');
  const messages = await t.sink.waitFor(before + 1);
  return { id, returnPath: messages[before]?.envelope.from ?? '' };
}

/** The results of all reports, once they have been processed. */
async function results(): Promise<string[]> {
  await until(async () => (await t.ctx.db('feedback_reports').whereNotNull('due_at')).length === 0);
  return t.ctx.db('feedback_reports').orderBy('id').pluck('result');
}

const suppressed = async () => {
  const { rows } = await listSuppressions(t.ctx.db, t.workspaceId, {}, { limit: 100, after: null, before: null });
  return rows.map(({ address, reason }) => [address, reason]);
};

const readStatuses = async (id: string) => (await t.read(id)).recipients.map(({ status }) => status);

test('a bounce ends the email as bounced, says why, and suppresses the address', async () => {
  const { id, returnPath } = await sent({ to: ['jane@example.com'] });
  expect(await inbound.send(dsn({ address: 'jane@example.com' }), { to: returnPath })).toMatch(/^250/);
  const email = await t.until(id, 'bounced');
  expect(email.recipients).toMatchObject([
    { status: 'bounced', smtpCode: 550, smtpResponse: '5.1.1 No such user here', bounceClass: 'bad_mailbox' },
  ]);
  expect(email.events.map(({ type }) => type)).toEqual(['accepted', 'sent', 'bounced']);
  expect(await suppressed()).toEqual([['jane@example.com', 'hard_bounce']]);
  await t.until(await t.accept({ to: ['jane@example.com'] }), 'suppressed');
});

test('a bounce of forwarded mail is about the recipient that we sent to', async () => {
  const { id, returnPath } = await sent({ to: ['jane@example.com'] });
  await inbound.send(dsn({ address: 'jane.private@other.example' }), { to: returnPath });
  await t.until(id, 'bounced');
  expect(await suppressed()).toEqual([['jane@example.com', 'hard_bounce']]);
});

test('each recipient of one message has its own result', async () => {
  const { id, returnPath } = await sent({ to: ['a@example.com', 'b@example.com'], cc: ['c@example.com'] });
  const report = dsn(
    { address: 'B@Example.com' },
    { address: 'c@example.com', action: 'delivered', status: '2.0.0', diagnostic: '250 2.0.0 OK' },
    { address: 'stranger@example.com' },
  );
  await inbound.send(report, { to: returnPath });
  expect(await results()).toEqual(['applied']);
  expect(await readStatuses(id)).toEqual(['sent', 'bounced', 'delivered']);
  expect(await t.read(id)).toMatchObject({ status: 'delivered' });
  expect(await suppressed()).toEqual([['b@example.com', 'hard_bounce']]);
});

test('a report that does not name one of several recipients changes nothing', async () => {
  const { id, returnPath } = await sent({ to: ['a@example.com', 'b@example.com'] });
  await inbound.send(dsn({ address: 'stranger@example.com' }), { to: returnPath });
  expect(await results()).toEqual(['unknown_recipient']);
  expect(await readStatuses(id)).toEqual(['sent', 'sent']);
});

test('a refusal that is not about the address does not suppress it', async () => {
  const { id, returnPath } = await sent();
  const diagnostic = '550 5.7.1 Message rejected as spam by content filtering';
  await inbound.send(dsn({ address: 'jane@example.com', status: '5.7.1', diagnostic }), { to: returnPath });
  await t.until(id, 'bounced');
  expect(await suppressed()).toEqual([]);
});

test('a bounce that is only text suppresses a dead mailbox at the second report, a day later', async () => {
  const bounce = (to: string) =>
    inbound.send(
      [
        'From: MAILER-DAEMON@mx.example.net',
        `To: ${to}`,
        'Subject: Undelivered mail',
        '',
        'jane@example.com: 550 5.1.1 User unknown',
      ].join('\r\n'),
      { to },
    );
  const first = await sent({ to: ['jane@example.com'] });
  await bounce(first.returnPath);
  await t.until(first.id, 'bounced');
  const second = await sent({ to: ['jane@example.com'] });
  await bounce(second.returnPath);
  await t.until(second.id, 'bounced');
  expect(await suppressed()).toEqual([]);
  await t.ctx.db('soft_bounces').update({ bounced_at: new Date(Date.now() - 25 * 3_600_000) });
  const third = await sent({ to: ['jane@example.com'] });
  await bounce(third.returnPath);
  await t.until(third.id, 'bounced');
  expect(await suppressed()).toEqual([['jane@example.com', 'hard_bounce']]);
});

test('a complaint that names several recipients is about each of them', async () => {
  const { id, returnPath } = await sent({ to: ['a@example.com', 'b@example.com', 'c@example.com'] });
  const named = 'Original-Rcpt-To: a@example.com\r\nOriginal-Rcpt-To: b@example.com';
  const report = complaint(returnPath).replace('User-Agent: Test/1.0', `User-Agent: Test/1.0\r\n${named}`);
  await inbound.send(report, { to: returnPath });
  expect(await results()).toEqual(['applied']);
  expect(await readStatuses(id)).toEqual(['complained', 'complained', 'sent']);
  expect(await suppressed()).toHaveLength(2);
});

test('a delay is an event, and a success makes the email delivered', async () => {
  const { id, returnPath } = await sent();
  const delayed = { action: 'delayed', status: '4.4.1', diagnostic: '421 4.4.1 Connection timed out' } as const;
  await inbound.send(dsn({ address: 'jane@example.com', ...delayed }), { to: returnPath });
  await results();
  const { status, events } = await t.read(id);
  expect([status, events.at(-1)?.type, events.at(-1)?.detail]).toEqual([
    'sent',
    'deferred',
    '4.4.1 Connection timed out',
  ]);
  const delivered = { action: 'delivered', status: '2.0.0', diagnostic: '250 2.0.0 OK' } as const;
  await inbound.send(dsn({ address: 'jane@example.com', ...delivered }), { to: returnPath });
  await t.until(id, 'delivered');
});

test('a later report is never overwritten by an earlier one that arrives late', async () => {
  const { id, returnPath } = await sent();
  await inbound.send(complaint(returnPath), { to: returnPath });
  await t.until(id, 'complained');
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: returnPath });
  await inbound.send(dsn({ address: 'jane@example.com', action: 'delivered', status: '2.0.0' }), { to: returnPath });
  expect(await results()).toEqual(['applied', 'nothing_new', 'nothing_new']);
  expect(await t.read(id)).toMatchObject({ status: 'complained' });
});

test('a report that is sent again is processed once', async () => {
  const { id, returnPath } = await sent();
  const report = dsn({ address: 'jane@example.com' });
  for (let count = 0; count < 3; count += 1) await inbound.send(report, { to: returnPath });
  await t.until(id, 'bounced');
  expect(await results()).toEqual(['applied']);
  expect((await t.read(id)).events.filter(({ type }) => type === 'bounced')).toHaveLength(1);
});

describe('a complaint', () => {
  const fbl = () => `fbl@bounces.${t.ctx.config.platformSenderDomain}`;

  test('is believed if the message that it returns has a return path of ours', async () => {
    const { id, returnPath } = await sent();
    await inbound.send(complaint(returnPath), { to: fbl(), from: 'fbl@provider.example' });
    await t.until(id, 'complained');
    expect(await suppressed()).toEqual([['jane@example.com', 'complaint']]);
  });

  test('about forwarded mail is believed', async () => {
    const { id, returnPath } = await sent();
    await inbound.send(complaint(returnPath, { forwarder: 'SRS0=x=y@forwarder.example' }), { to: fbl() });
    await t.until(id, 'complained');
  });

  test.each([
    ['with a forged return path', (path: string) => complaint(path.replace(/\+./, '+v'))],
    ['with no return path', () => complaint('someone@example.com')],
    ['that says the email is no spam', (path: string) => complaint(path, { type: 'not-spam' })],
  ])('%s changes nothing', async (_title, reportOf) => {
    const { id, returnPath } = await sent();
    await inbound.send(reportOf(returnPath), { to: fbl() });
    expect(await results()).not.toContain('applied');
    expect(await t.read(id)).toMatchObject({ status: 'sent' });
    expect(await suppressed()).toEqual([]);
  });
});

describe('the listener refuses', () => {
  const refusal = (to: string) => inbound.send(dsn({ address: 'x@example.com' }), { to }).catch((error) => error);

  test('every address that we did not create', async () => {
    const { returnPath } = await sent();
    const domain = t.ctx.config.platformSenderDomain;
    const forged = returnPath.replace(/.(?=@)/, (last) => (last === '0' ? '1' : '0'));
    const otherHost = returnPath.replace('@bounces.', '@bounces.other.');
    const mailboxes = [`postmaster@${domain}`, `sales@bounces.${domain}`, 'abuse@bounces.unknown.example'];
    const others = [
      forged,
      otherHost,
      ...mailboxes,
      'fbl@bounces.acme.example',
      'jane@example.com',
      `b+x@bounces.${domain}`,
      `fbl@${domain}`,
    ];
    for (const address of others) {
      const { responseCode, response } = await refusal(address);
      expect([responseCode, response]).toEqual([550, expect.stringContaining('5.1.1 This address does not exist')]);
    }
    expect(await t.ctx.db('feedback_reports')).toEqual([]);
  });

  test('a return path of another SECRET_KEY', async () => {
    const makeReturnPath = createReturnPathMaker({ secretKey: 'another secret that is only good for tests' });
    const { id } = await sent();
    const path = makeReturnPath({ emailId: id, positions: [0], domain: 'posthorn.localhost' });
    expect(await refusal(path)).toMatchObject({ responseCode: 550 });
  });

  test('a message that is too large, but reads it to its end', async () => {
    const { returnPath } = await sent();
    const huge = `${dsn({ address: 'jane@example.com' })}${'x'.repeat(998)}\r\n`.padEnd(36_000_000, 'long line\r\n');
    const error = await inbound.send(huge, { to: returnPath }).catch((thrown) => thrown);
    expect(error).toMatchObject({ responseCode: 552 });
  });
});

test('a return path in upper case is still ours', async () => {
  const { id, returnPath } = await sent();
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: returnPath.toUpperCase() });
  await t.until(id, 'bounced');
});

test('test mail neither bounces into suppressions nor loses its state', async () => {
  const id = await t.acceptTest({ to: ['jane@example.com'] });
  await t.until(id, 'sent');
  const path = createReturnPathMaker(t.ctx.config)({ emailId: id, positions: [0], domain: 'posthorn.localhost' });
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: path });
  await t.until(id, 'bounced');
  expect(await suppressed()).toEqual([]);
});

test('a report about an email that a worker is sending waits for the result', async () => {
  await t.stopAll();
  const id = await t.accept();
  const path = createReturnPathMaker(t.ctx.config)({ emailId: id, positions: [0], domain: 'posthorn.localhost' });
  await t.ctx
    .db('deliveries')
    .update({ lease_until: new Date(Date.now() + 60_000), claimed_at: new Date(), attempt: 1 });
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: path });
  await until(async () => (await t.ctx.db('feedback_reports').where('tries', '>', 1)).length === 1);
  expect(await t.read(id)).toMatchObject({ status: 'sending' });
  await t.ctx.db('deliveries').update({ lease_until: null, claimed_at: null });
  await t.until(id, 'bounced');
  expect(await t.ctx.db('deliveries')).toEqual([]);
  expect(await results()).toEqual(['applied']);
});

test('a complaint to the general address about an email that a worker is sending waits, too', async () => {
  await t.stopAll();
  const id = await t.accept();
  const path = createReturnPathMaker(t.ctx.config)({ emailId: id, positions: [0], domain: 'posthorn.localhost' });
  const lease = { lease_until: new Date(Date.now() + 60_000), claimed_at: new Date(), attempt: 1 };
  await t.ctx.db('deliveries').update(lease);
  await inbound.send(complaint(path), { to: `fbl@bounces.${t.ctx.config.platformSenderDomain}` });
  await until(async () => (await t.ctx.db('feedback_reports').where('tries', '>', 1)).length === 1);
  await t.ctx.db('deliveries').update({ lease_until: null, claimed_at: null });
  await t.until(id, 'complained');
});

test('a flood of mail to the general address does not hold up bounces', async () => {
  const { id, returnPath } = await sent();
  await inbound.close();
  const flood = Array.from({ length: 500 }, (_, number) => ({
    envelope: null,
    mailbox: 'fbl' as const,
    peer: '192.0.2.1',
    raw: Buffer.from(`Subject: ${number}\r\n\r\n${'a\r\n'.repeat(80_000)}`),
    size: 240_000,
    digest: randomBytes(32),
  }));
  await insertReports(t.ctx.db, flood);
  inbound = await openTestInbound(t.ctx);
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: returnPath });
  await t.until(id, 'bounced');
  expect(await t.ctx.db('feedback_reports').whereNotNull('due_at').pluck('id')).not.toEqual([]);
});

test('what a server says may contain any character, and is cut', async () => {
  const { id, returnPath } = await sent();
  const diagnostic = `550 5.1.1 No\0 such user${' and so on'.repeat(20_000)}`;
  await inbound.send(dsn({ address: 'jane@example.com', diagnostic }), { to: returnPath });
  const [recipient] = (await t.until(id, 'bounced')).recipients;
  expect(recipient?.smtpResponse).toMatch(/^5\.1\.1 No\uFFFD such user/);
  expect(recipient?.smtpResponse?.length).toBeLessThan(1_100);
});

test('a report about an email of which nothing is known is not kept', async () => {
  const emailId = newId();
  const path = createReturnPathMaker(t.ctx.config)({ emailId, positions: [0], domain: 'posthorn.localhost' });
  await inbound.send(dsn({ address: 'jane@example.com' }), { to: path });
  expect(await results()).toEqual(['unknown_email']);
  expect(await t.ctx.db('feedback_reports').pluck('raw')).toEqual([null]);
});

test('a report that comes after its recipient was erased does not bring the address back', async () => {
  const { id, returnPath } = await sent({ to: ['jane@example.com'] });
  await requestErasure(t.ctx, operator, { workspaceId: t.workspaceId, address: 'jane@example.com' });
  await until(async () => {
    await t.ctx
      .db('erasures')
      .update({ due_at: new Date(0) })
      .whereNotNull('due_at');
    await eraseNextBatch(t.ctx, { lateResponseSeconds: 0 });
    return (await t.read(id)).recipients.every(({ address }) => address !== 'jane@example.com');
  });
  const diagnostic = '550 5.1.1 <jane@example.com> unknown';
  await inbound.send(dsn({ address: 'jane@example.com', diagnostic }), { to: returnPath });
  const email = await t.until(id, 'bounced');
  await results();
  expect(JSON.stringify(email)).not.toContain('jane@');
  expect(await t.ctx.db('feedback_reports').pluck('raw')).toEqual([null]);
});

test('a bounce of one recipient while another waits', async () => {
  await t.stopAll();
  t.start({ retryScheduleSeconds: [3_600] });
  busy.add('b@example.com');
  const id = await t.accept({ to: ['a@example.com', 'b@example.com'] });
  await t.until(id, 'deferred');
  const [message] = t.sink.messages;
  await inbound.send(dsn({ address: 'a@example.com' }), { to: message?.envelope.from ?? '' });
  expect(await results()).toEqual(['applied']);
  expect(await readStatuses(id)).toEqual(['bounced', 'deferred']);
  expect(await t.read(id)).toMatchObject({ status: 'deferred' });
  busy.clear();
  await t.ctx.db('deliveries').update({ due_at: new Date(), is_due: true });
  await t.until(id, 'sent');
  expect(await readStatuses(id)).toEqual(['bounced', 'sent']);
});

test('a complaint that hides which recipient complained is an event of the email', async () => {
  const { id, returnPath } = await sent({ to: ['a@example.com', 'b@example.com'] });
  await inbound.send(complaint(returnPath), { to: returnPath });
  expect(await results()).toEqual(['applied']);
  const { status, events } = await t.read(id);
  expect([status, events.at(-1)]).toMatchObject(['sent', { type: 'complained', recipient: null }]);
  expect(await suppressed()).toEqual([]);
});

test("a complaint about the service's own mail does not suppress the mail that resets a password", async () => {
  const mail = { to: 'owner@example.com', subject: 'Reset your password', text: 'x', html: 'x' };
  const accepting = openAcceptContext(t.ctx);
  await sendSystemMail(accepting, mail);
  const [message] = await t.sink.waitFor(1);
  await until(async () => (await t.ctx.db('deliveries')).length === 0);
  const returnPath = message?.envelope.from ?? '';
  await inbound.send(complaint(returnPath), { to: returnPath });
  expect(await results()).toEqual(['applied']);
  await sendSystemMail(accepting, mail);
  await t.sink.waitFor(2);
  await accepting.close();
});
