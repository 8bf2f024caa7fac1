import { warnOrPauseWorkspaces } from '@posthorn/domain/deliverability';
import { listSuppressions } from '@posthorn/domain/suppressions';
import { findWorkspace } from '@posthorn/domain/workspaces';
import { type DnsServer, startDnsServer, until } from '@posthorn/testing';
import { openTestInbound, type TestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { openTestWorker, type TestWorker } from '../../apps/worker/test/open-test-worker.js';
import { countAll } from '../../packages/domain/test/deliverability/reputation-fixtures.js';
import { complaint } from '../rig/reports.js';
import { createReportSigner, signReport } from '../rig/sign-report.js';

const YAHOO = 'arf.mail.yahoo.com';
const FROM = `feedback@${YAHOO}`;
const yahoo = createReportSigner(YAHOO);

let dns: DnsServer;
let t: TestWorker;
let inbound: TestInbound;

beforeEach(async () => {
  dns = await startDnsServer();
  dns.txt(yahoo.keyName, yahoo.keyRecord);
  t = await openTestWorker({ config: { dnsServers: [dns.address] } });
  inbound = await openTestInbound(t.ctx);
});

afterEach(async () => {
  await inbound.close();
  await t.close();
  await dns.close();
});

/** Sends an email. @returns its id, and the return path that the mail server got */
async function sent(...to: string[]): Promise<{ id: string; returnPath: string }> {
  const before = t.sink.messages.length;
  const id = await t.accept({ to });
  await t.until(id, 'sent');
  const messages = await t.sink.waitFor(before + 1);
  return { id, returnPath: messages[before]?.envelope.from ?? '' };
}

/** A complaint of Yahoo about the email with this return path, as Yahoo signs it. */
const signed = (returnPath: string, options: Parameters<typeof signReport>[2] = {}) =>
  signReport(complaint(returnPath, { from: FROM }), yahoo, options);

/** What was counted, once all reports have been processed. */
async function counted(): Promise<{ complained: number; unauthenticated: number }> {
  await until(async () => (await t.ctx.db('feedback_reports').whereNotNull('due_at')).length === 0);
  await t.stopAll();
  await countAll(t.ctx);
  const [row] = await t.ctx
    .db('sending_stats')
    .select(
      t.ctx.db.raw('sum(complained)::int as complained, sum(unauthenticated_complaints)::int as unauthenticated'),
    );
  return row;
}

const suppressed = async () => {
  const { rows } = await listSuppressions(t.ctx.db, t.workspaceId, {}, { limit: 100, after: null, before: null });
  return rows.map(({ address, reason }) => [address, reason]);
};

/** What the events of complaints say about whether they are authenticated. */
async function listComplaints(id: string): Promise<unknown[]> {
  const events = await t.ctx.db('events').where({ stream_id: id, type: 'email.complained' }).orderBy('sequence');
  return events.map(({ data }) => data.authenticated);
}

const SIGNED = { complained: 1, unauthenticated: 0 };
const NOT_SIGNED = { complained: 0, unauthenticated: 1 };

test('two forged complaints suppress their addresses, and neither warn nor pause the workspace', async () => {
  await t.stopAll();
  const bulk = Array.from({ length: 152 }, (_, n) => `reader-${n}@example.com`);
  for (let at = 0; at < bulk.length; at += 38) await t.accept({ to: bulk.slice(at, at + 38) });
  const ids = [await t.accept({ to: ['a@evil.example'] }), await t.accept({ to: ['b@evil.example'] })];
  t.start();
  const messages = await t.sink.waitFor(6);
  for (const id of ids) await t.until(id, 'sent');
  for (const { envelope } of messages)
    if (envelope.to.some((to) => to.endsWith('@evil.example')))
      await inbound.send(complaint(envelope.from), { to: envelope.from });
  for (const id of ids) await t.until(id, 'complained');
  expect(await counted()).toEqual({ complained: 0, unauthenticated: 2 });
  await warnOrPauseWorkspaces(t.ctx);
  expect((await findWorkspace(t.ctx.db, t.workspaceId, 60))?.pause).toBeNull();
  expect(await t.ctx.db('reputations').where({ workspace_id: t.workspaceId, is_warned: true })).toEqual([]);
  expect(await suppressed()).toEqual(
    expect.arrayContaining([
      ['a@evil.example', 'complaint'],
      ['b@evil.example', 'complaint'],
    ]),
  );
});

test('a forged complaint about a co-recipient suppresses the address, and does not count', async () => {
  const { returnPath } = await sent('a@evil.example', 'jane@example.com');
  const report = complaint(returnPath).replace('User-Agent: Test/1.0', 'Original-Rcpt-To: jane@example.com');
  await inbound.send(report, { to: returnPath });
  expect(await counted()).toEqual(NOT_SIGNED);
  expect(await suppressed()).toEqual([['jane@example.com', 'complaint']]);
});

test('complaints that a feedback loop has signed count, and pause the workspace', async () => {
  const bulk = Array.from({ length: 98 }, (_, n) => `reader-${n}@example.com`);
  for (const address of ['a@yahoo.com', 'b@yahoo.com']) {
    const { id, returnPath } = await sent(address);
    await inbound.send(signed(returnPath), { to: returnPath, from: FROM });
    await t.until(id, 'complained');
    expect(await listComplaints(id)).toEqual([true]);
  }
  await sent(...bulk.slice(0, 49));
  await sent(...bulk.slice(49));
  expect(await counted()).toEqual({ complained: 2, unauthenticated: 0 });
  await warnOrPauseWorkspaces(t.ctx);
  expect((await findWorkspace(t.ctx.db, t.workspaceId, 60))?.pause?.reason).toContain('2 of 100 recipients');
});

test.each([
  ['relaxed/relaxed', { canonicalization: 'relaxed/relaxed' }],
  ['simple/simple', { canonicalization: 'simple/simple' }],
  ['without Content-Type', { fields: ['from', 'subject'] }],
] as const)('a complaint to the address for complaints counts if it is signed %s', async (_, options) => {
  const { id, returnPath } = await sent('jane@yahoo.com');
  await inbound.send(signed(returnPath, options), { to: `fbl@bounces.${t.ctx.config.platformSenderDomain}` });
  await t.until(id, 'complained');
  expect(await counted()).toEqual(SIGNED);
});

test.each([
  ['with a changed body', (report: string) => report.replace('Feedback-Type: abuse', 'Feedback-Type: fraud')],
  ['with another From', (report: string) => report.replace('Mail Delivery System', 'Somebody')],
  ['with a second From', (report: string) => report.replace('Subject: Report', `From: <${FROM}>\r\nSubject: Report`)],
])('a signed complaint does not count %s', async (_, change) => {
  const { id, returnPath } = await sent('jane@yahoo.com');
  await inbound.send(change(signed(returnPath)), { to: returnPath });
  await t.until(id, 'complained');
  expect(await counted()).toEqual(NOT_SIGNED);
});

test.each([
  ['by a domain that is no feedback loop', { signer: createReportSigner('evil.example'), from: 'fbl@evil.example' }],
  ['by a domain that From does not belong to', { signer: yahoo, from: 'jane@example.com' }],
  ['with a key that is not the published one', { signer: createReportSigner(YAHOO), from: FROM }],
  ['by somebody with a mailbox at the provider', { signer: createReportSigner('hotmail.com'), from: 'me@hotmail.com' }],
])('a complaint does not count if it is signed %s', async (_, { signer, from }) => {
  if (signer.domain !== YAHOO) dns.txt(signer.keyName, signer.keyRecord);
  const { id, returnPath } = await sent('jane@yahoo.com');
  await inbound.send(signReport(complaint(returnPath, { from }), signer), { to: returnPath });
  await t.until(id, 'complained');
  expect(await counted()).toEqual(NOT_SIGNED);
});

test('a signed complaint about one email does not count for another one that it is sent to', async () => {
  const own = await sent('attacker@yahoo.com');
  const other = await sent('jane@example.com');
  const report = signed(own.returnPath);
  await inbound.send(report, { to: other.returnPath });
  await t.until(other.id, 'complained');
  expect(await listComplaints(other.id)).toEqual([false]);
  await inbound.send(signed('someone@example.com'), { to: own.returnPath });
  await t.until(own.id, 'complained');
  expect(await counted()).toEqual({ complained: 0, unauthenticated: 2 });
});

test('a report that another boundary turns into a complaint about a co-recipient does not count', async () => {
  const { returnPath } = await sent('attacker@yahoo.com', 'jane@example.com');
  // The provider returns the text of a message that the attacker wrote.
  const hidden = complaint(returnPath).replace('User-Agent: Test/1.0', 'Original-Rcpt-To: jane@example.com');
  const inner = hidden.replaceAll('=_b', '=_c');
  const report = complaint('someone@example.com', { from: FROM }).replace('\r\n\r\nHi', `\r\n\r\n${inner}`);
  const changed = signReport(report, yahoo, { fields: ['from', 'subject'] }).replace(
    'boundary="=_b"',
    'boundary="=_c"',
  );
  await inbound.send(changed, { to: returnPath });
  expect(await counted()).toEqual(NOT_SIGNED);
});

test('a signed complaint counts even after a forged one about the same person, once', async () => {
  const first = await sent('jane@yahoo.com');
  const second = await sent('jane@yahoo.com');
  await inbound.send(complaint(first.returnPath), { to: first.returnPath });
  await t.until(first.id, 'complained');
  await inbound.send(signed(second.returnPath), { to: second.returnPath });
  await t.until(second.id, 'complained');
  await inbound.send(signed(first.returnPath), { to: first.returnPath });
  expect((await counted()).complained).toBe(1);
  expect(await listComplaints(first.id)).toEqual([false, true]);
});

test('a signed complaint counts even if the sender has erased the person', async () => {
  const { id, returnPath } = await sent('jane@yahoo.com');
  await t.ctx.db('email_recipients').where({ email_id: id }).update({ address: 'erased-1@erased.invalid' });
  await t.ctx
    .db('events')
    .where({ stream_id: id })
    .whereNotNull('recipient')
    .update({ recipient: 'erased-1@erased.invalid' });
  await inbound.send(signed(returnPath), { to: returnPath });
  await t.until(id, 'complained');
  expect(await counted()).toEqual(SIGNED);
});

test('while DNS does not answer, a signed complaint waits, and counts afterwards', async () => {
  const { id, returnPath } = await sent('jane@yahoo.com');
  dns.fail(yahoo.keyName, 'SERVFAIL');
  await inbound.send(signed(returnPath), { to: returnPath });
  const due = t.ctx.db('feedback_reports').where('due_at', '>', new Date(Date.now() + 40_000));
  await until(async () => (await due.clone()).length === 1);
  dns.heal();
  await t.ctx.db('feedback_reports').update({ due_at: new Date() });
  await t.until(id, 'complained');
  expect(await counted()).toEqual(SIGNED);
});

test('if DNS never answers, a signed complaint suppresses its address after the third try, and does not count', async () => {
  const { id, returnPath } = await sent('jane@yahoo.com');
  dns.fail(yahoo.keyName, 'SERVFAIL');
  await inbound.send(signed(returnPath), { to: returnPath });
  await until(async () => {
    await t.ctx.db('feedback_reports').whereNotNull('due_at').where('tries', '<', 3).update({ due_at: new Date() });
    return (await t.read(id)).status === 'complained';
  });
  expect(await t.ctx.db('feedback_reports').pluck('tries')).toEqual([3]);
  expect(await suppressed()).toEqual([['jane@yahoo.com', 'complaint']]);
  expect(await counted()).toEqual(NOT_SIGNED);
});
