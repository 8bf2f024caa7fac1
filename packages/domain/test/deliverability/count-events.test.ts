import { listBounces } from '@posthorn/domain/bounces';
import { countEvents } from '@posthorn/domain/deliverability';
import type { Context } from '@posthorn/platform';
import { connectDatabase } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { SYSTEM_WORKSPACE_ID } from '../../src/workspaces/workspace.js';
import { ensureTestWorkspace } from '../../src/workspaces/workspace-store.js';
import { countAll, storeEmailWith } from './reputation-fixtures.js';

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it counts the events of all workspaces' });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

const stats = () =>
  ctx
    .db('sending_stats')
    .select('workspace_id', 'domain_id', 'hour', 'sent', 'bounced', 'hard_bounced', 'counted_bounces', 'complained')
    .select('unauthenticated_complaints')
    .orderBy(['hour', 'domain_id']);

test('a recipient counts as sent once, whether it bounces at once, later, or complains', async () => {
  await storeEmailWith(ctx, workspaceId, [
    { address: 'sent@example.com', events: ['sent'] },
    { address: 'gone@example.com', events: ['bounced'], bounceClass: 'bad_mailbox' },
    { address: 'full@example.com', events: ['deferred', 'sent', 'bounced'], bounceClass: 'mailbox_full' },
    { address: 'angry@example.com', events: ['sent', 'delivered', 'complained'] },
    { address: 'failed@example.com', events: ['deferred', 'failed'] },
  ]);
  await countAll(ctx);
  expect(await stats()).toMatchObject([
    { workspace_id: workspaceId, domain_id: null, sent: 4, bounced: 2, hard_bounced: 1, complained: 1 },
  ]);
});

test('a person who complains about several emails counts once, and a complaint that hides the person counts too', async () => {
  for (let email = 0; email < 3; email += 1)
    await storeEmailWith(ctx, workspaceId, [{ address: 'angry@example.com', events: ['sent', 'complained'] }]);
  const hidden = await storeEmailWith(ctx, workspaceId, [{ address: 'a@example.com', events: ['sent', 'complained'] }]);
  await ctx.db('events').where({ stream_id: hidden, type: 'email.complained' }).update({ recipient: null });
  await countAll(ctx);
  expect(await stats()).toMatchObject([{ sent: 4, complained: 2 }]);
});

test('complaints that nobody has signed are counted apart, and make no workspace due', async () => {
  const forged = { events: ['sent', 'complained'], data: { authenticated: false } };
  await storeEmailWith(ctx, workspaceId, [{ address: 'jane@example.com', ...forged }]);
  const hidden = await storeEmailWith(ctx, workspaceId, [{ address: 'joe@example.com', ...forged }]);
  await ctx.db('events').where({ stream_id: hidden, type: 'email.complained' }).update({ recipient: null });
  await countAll(ctx);
  expect(await stats()).toMatchObject([{ sent: 2, complained: 0, unauthenticated_complaints: 2 }]);
  expect(await ctx.db('reputations')).toEqual([]);
});

test('only bounces that say something about the recipient are compared with the limits', async () => {
  const about = { bad_mailbox: 1, inactive: 1, bad_domain: 1, mailbox_full: 1 };
  const notAbout = { rate: 0, reputation: 0, authentication: 0, content: 0, protocol: 0, unknown: 0 };
  for (const bounceClass of Object.keys({ ...about, ...notAbout }))
    await storeEmailWith(ctx, workspaceId, [
      { address: `${bounceClass}@example.com`, events: ['bounced'], bounceClass },
    ]);
  await countAll(ctx);
  expect(await stats()).toMatchObject([{ sent: 10, bounced: 10, hard_bounced: 2, counted_bounces: 4 }]);
});

test('bounces about the message or the sender make no workspace due', async () => {
  const bounced = { events: ['bounced'], bounceClass: 'reputation' };
  await storeEmailWith(ctx, workspaceId, [{ address: 'jane@example.com', ...bounced }]);
  await countAll(ctx);
  expect(await stats()).toMatchObject([{ bounced: 1, counted_bounces: 0 }]);
  expect(await ctx.db('reputations')).toEqual([]);
});

test('counts are kept per sending domain and UTC hour', async () => {
  const domainId = newId();
  const recipients = [{ address: 'jane@example.com', events: ['sent'] }];
  await storeEmailWith(ctx, workspaceId, recipients, { domainId, at: new Date('2026-03-01T10:59:59.999Z') });
  await storeEmailWith(ctx, workspaceId, recipients, { domainId, at: new Date('2026-03-01T11:00:00Z') });
  await storeEmailWith(ctx, workspaceId, recipients, { at: new Date('2026-03-01T11:59:00Z') });
  await storeEmailWith(ctx, workspaceId, recipients, { at: new Date('2026-03-01T11:00:00Z') });
  await countAll(ctx);
  expect(await stats()).toMatchObject([
    { domain_id: domainId, hour: new Date('2026-03-01T10:00:00Z'), sent: 1 },
    { domain_id: domainId, hour: new Date('2026-03-01T11:00:00Z'), sent: 1 },
    { domain_id: null, hour: new Date('2026-03-01T11:00:00Z'), sent: 2 },
  ]);
});

test("test mail, the service's own mail and the simulator are not counted", async () => {
  const testId = newId();
  await ctx.db.transaction((trx) => ensureTestWorkspace(trx, workspaceId, testId));
  const bounced = { events: ['bounced'], bounceClass: 'bad_mailbox' };
  await storeEmailWith(ctx, testId, [{ address: 'jane@example.com', ...bounced }]);
  await storeEmailWith(ctx, SYSTEM_WORKSPACE_ID, [{ address: 'jane@example.com', ...bounced }]);
  await storeEmailWith(ctx, workspaceId, [
    { address: 'erased-1@erased.invalid', ...bounced, data: { simulated: true } },
  ]);
  await countAll(ctx);
  expect(await stats()).toEqual([]);
  expect(await ctx.db('bounces')).toEqual([]);
  expect(await ctx.db('reputations')).toEqual([]);
});

test('processes that count at the same time, while emails are sent, count each recipient exactly once', async () => {
  const other = connectDatabase(ctx.config.databaseUrl);
  let isWriting = true;
  const count = async (db: Context['db']) => {
    while (isWriting) await countEvents(db, { limit: 7 });
  };
  const write = async (writer: number) => {
    for (let n = 0; n < 40; n += 1)
      await storeEmailWith(ctx, workspaceId, [
        { address: `${writer}-${n}@example.com`, events: ['sent'] },
        { address: `${writer}-${n}@example.org`, events: ['sent', 'bounced'], bounceClass: 'inactive' },
      ]);
  };
  const counting = [count(ctx.db), count(other), count(ctx.db)];
  await Promise.all([write(1), write(2), write(3)]);
  isWriting = false;
  await Promise.all(counting);
  await countAll(ctx);
  await other.destroy();
  const counted = await stats();
  const sum = (name: string) => counted.reduce((total, row) => total + row[name], 0);
  expect([sum('sent'), sum('bounced'), sum('complained')]).toEqual([240, 120, 0]);
  expect(await ctx.db('bounces').pluck('id')).toHaveLength(120);
});

test('bounces are listed newest first, with the class and the reply', async () => {
  const emailId = await storeEmailWith(ctx, workspaceId, [
    { address: 'gone@example.com', events: ['bounced'], bounceClass: 'bad_mailbox' },
    { address: 'odd@example.com', events: ['sent', 'bounced'] },
  ]);
  const { workspaceId: otherId } = await createTestWorkspace(ctx);
  await storeEmailWith(ctx, otherId, [{ address: 'other@example.com', events: ['bounced'] }]);
  await countAll(ctx);
  const page = { limit: 1, after: null, before: null };
  const first = await listBounces(ctx.db, workspaceId, null, page);
  expect(first.rows).toMatchObject([
    { emailId, recipient: 'odd@example.com', bounceClass: 'unknown', reply: '550 refused' },
  ]);
  const second = await listBounces(ctx.db, workspaceId, null, { ...page, after: first.nextCursor });
  expect(second).toMatchObject({ rows: [{ recipient: 'gone@example.com' }], nextCursor: null });
  expect((await listBounces(ctx.db, workspaceId, 'unknown', page)).rows).toEqual(first.rows);
});
