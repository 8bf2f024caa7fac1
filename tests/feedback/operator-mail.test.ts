import { randomBytes } from 'node:crypto';
import { operator } from '@posthorn/domain/audit-log';
import { insertReports, listOperatorMail } from '@posthorn/domain/bounces';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext, until } from '@posthorn/testing';
import { parseOutput, posthornFor } from '../../apps/cli/test/posthorn.js';
import { openTestInbound, type TestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { complaint } from '../rig/reports.js';

let ctx: Context;
let inbound: TestInbound;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'the listener processes the reports about all workspaces' });
  inbound = await openTestInbound(ctx);
});

afterEach(async () => {
  await inbound.close();
  await closeTestContext(ctx);
});

const host = () => `bounces.${ctx.config.platformSenderDomain}`;

const ENROLMENT = [
  'From: Feedback Loop <fbl@provider.example>',
  'Subject: =?utf-8?q?Best=C3=A4tigen?=',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Confirm here:',
  'https://provider.example/confirm?code=3D123=',
  '456',
  '',
].join('\r\n');

async function listed(count: number) {
  const read = async () => parseOutput(await posthornFor(ctx)('inbound', 'list', '--json'));
  await until(async () => (await read()).length === count);
  return read();
}

test('the operator reads the mail that enrols the service with a feedback loop', async () => {
  for (const mailbox of ['fbl', 'Postmaster', 'ABUSE'])
    expect(await inbound.send(ENROLMENT, { to: `${mailbox}@${host()}`, from: 'fbl@provider.example' })).toMatch(/^250/);
  const mails = await listed(3);
  expect(mails.map(({ mailbox }: { mailbox: string }) => mailbox).toSorted()).toEqual(['abuse', 'fbl', 'postmaster']);
  const [first] = mails;
  expect(first).toEqual({
    id: first.id,
    mailbox: first.mailbox,
    received_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
    peer: '127.0.0.1',
    size: ENROLMENT.length,
    from: 'fbl@provider.example',
    subject: 'Bestätigen',
  });
  expect(Math.round((Date.parse(first.expires_at) - Date.parse(first.received_at)) / 86_400_000)).toBe(7);
  const shown = parseOutput(await posthornFor(ctx)('inbound', 'show', first.id, '--json'));
  expect(shown).toEqual({
    ...first,
    truncated: false,
    text: 'Confirm here:\nhttps://provider.example/confirm?code=123456',
    source: ENROLMENT,
  });
  const { stdout } = await posthornFor(ctx)('inbound', 'show', first.id);
  expect(stdout).toContain('\ntext\nConfirm here:\nhttps://provider.example/confirm?code=123456\n');
  expect(stdout).toContain('from         fbl@provider.example\n');
  expect((await posthornFor(ctx)('inbound', 'show', newId())).stderr).toContain('No mail has the ID ');
});

test('a complaint that names no email of ours is kept for the operator, and one that does is not', async () => {
  await inbound.send(complaint('someone@example.com'), { to: `fbl@${host()}` });
  expect(await listed(1)).toMatchObject([{ mailbox: 'fbl', subject: 'Report' }]);
});

test('long mail is cut', async () => {
  const long = `${ENROLMENT}${'more\r\n'.repeat(20_000)}`;
  await inbound.send(long, { to: `abuse@${host()}` });
  const [mail] = await listed(1);
  expect(mail.size).toBe(long.length);
  const shown = parseOutput(await posthornFor(ctx)('inbound', 'show', mail.id, '--json'));
  expect([shown.source.length, shown.truncated]).toEqual([limits.operatorMailBytes.max, true]);
});

test('postmaster and abuse exist at the bounce host of a verified domain, and only there', async () => {
  const { workspaceId } = await createTestWorkspace(ctx);
  const { id } = await createDomain(ctx, operator, workspaceId, 'acme.example');
  const send = (to: string) =>
    inbound.send(ENROLMENT, { to }).then(
      () => 250,
      (error) => error.responseCode,
    );
  expect(await send('postmaster@bounces.acme.example')).toBe(550);
  await markDomainVerified(ctx, id);
  expect(await send('postmaster@bounces.acme.example')).toBe(250);
  expect(await send('abuse@Bounces.Acme.Example')).toBe(250);
  for (const address of ['fbl@bounces.acme.example', 'sales@bounces.acme.example', 'postmaster@acme.example'])
    expect(await send(address)).toBe(550);
  await listed(2);
});

test('a flood from one network does not push out the mail of others', async () => {
  const toMail = (peer: string) => {
    const raw = Buffer.from(`From: ${peer.replace(/\W/g, '.')}@example.com\r\n\r\nHello`);
    return { envelope: null, mailbox: 'abuse' as const, peer, raw, size: raw.length, digest: randomBytes(32) };
  };
  const { max } = limits.operatorMails;
  const processed = () => until(async () => (await ctx.db('feedback_reports').whereNotNull('due_at')).length === 0);
  await insertReports(ctx.db, [toMail('192.0.2.1'), toMail('2001:db8:1:2::/64')]);
  await processed();
  // One customer of a provider has this many /64 networks.
  const flood = Array.from({ length: max }, (_, number) => toMail(`2001:db8:ffff:${number.toString(16)}::/64`));
  for (let sent = 0; sent < 2; sent += 1) {
    await insertReports(
      ctx.db,
      flood.map((mail) => ({ ...mail, digest: randomBytes(32) })),
    );
    await processed();
  }
  await insertReports(ctx.db, [toMail('198.51.100.7')]);
  await processed();
  expect(await ctx.db('feedback_reports').pluck('id')).toHaveLength(max);
  const { rows } = await listOperatorMail(ctx.db, { limit: max, after: null, before: null });
  const others = rows.filter(({ peer }) => !peer?.startsWith('2001:db8:ffff'));
  expect(others.map(({ peer }) => peer)).toEqual(['198.51.100.7', '2001:db8:1:2::/64', '192.0.2.1']);
});
