import { claimEmails, type Outcome, recordOutcomes } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, untilWaiting } from '@posthorn/testing';
import { storeEmail } from '../retention/store-email.js';

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext();
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

const sent = (id: string): Outcome => ({
  id,
  attempt: 1,
  status: 'sent',
  retryInSeconds: null,
  charged: true,
  recipientResults: [{ position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse: 'Ok' }],
  outcome: 'sent',
  phase: 'reply',
  route: null,
  conversation: [],
  event: null,
});

test('an outcome is recorded even if the queue entry changes while the statement waits to lock it', async () => {
  // After a few executions, Postgres keeps one plan for a prepared statement.
  for (let n = 0; n < 8; n += 1) {
    const id = await storeEmail(ctx, workspaceId, undefined, { waits: true });
    await ctx.db('delivery_attempts').where({ email_id: id }).delete();
    await claimEmails(ctx.db, [id], 60);
    const other = await ctx.db.transaction();
    await other.raw("update deliveries set lease_until = now() + interval '2 minutes' where email_id = ?", [id]);
    const recorded = recordOutcomes(ctx.db, [sent(id)]);
    await untilWaiting(ctx.db, 'Lock');
    await other.commit();
    expect(await recorded).toEqual(new Set([id]));
  }
});

/** Postgres 18 can crash in such a statement, depending on the plan, which depends on the statistics. */
test('outcomes of many emails are recorded while the lease of one of them is extended', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const id = await storeEmail(ctx, workspaceId, undefined, { waits: true });
    await ctx.db('delivery_attempts').where({ email_id: id }).delete();
    ids.push(id);
  }
  await ctx.db.raw('analyze emails, email_recipients, delivery_attempts, deliveries');
  await claimEmails(ctx.db, ids, 60);
  for (const outcomes of [ids.slice(0, 10), ids.slice(10)].map((group) => group.map(sent))) {
    const other = await ctx.db.transaction();
    const extended = outcomes[4]?.id ?? '';
    await other.raw("update deliveries set lease_until = now() + interval '2 minutes' where email_id = ?", [extended]);
    const recorded = recordOutcomes(ctx.db, outcomes);
    await untilWaiting(ctx.db, 'Lock');
    await other.commit();
    expect([...(await recorded)].sort()).toEqual(outcomes.map(({ id }) => id).sort());
  }
});
