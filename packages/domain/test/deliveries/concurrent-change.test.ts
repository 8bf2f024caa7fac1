import { type Context, claimEmails, type Outcome, recordOutcomes } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
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

async function untilOneWaits(): Promise<void> {
  const count = async () => {
    const { rows } = await ctx.db.raw('select count(*) as waiting from pg_locks where not granted');
    return rows[0].waiting;
  };
  while ((await count()) === 0) await ctx.db.raw('select pg_sleep(0.01)');
}

/** Changes rows in a transaction, and ends it when `work` waits for one of them. Postgres then reads that row again. */
async function whileChanging<Result>(change: string, id: string, work: () => Promise<Result>): Promise<Result> {
  const other = await ctx.db.transaction();
  await other.raw(change, [id]);
  const working = work();
  await untilOneWaits();
  await other.commit();
  return working;
}

test('an outcome is recorded although its queue entry changes while the statement waits for it', async () => {
  for (let n = 0; n < 8; n += 1) {
    const id = await storeEmail(ctx, workspaceId, undefined, { waits: true });
    await ctx.db('delivery_attempts').where({ email_id: id }).delete();
    await claimEmails(ctx.db, [id], 60);
    const extend = "update deliveries set lease_until = now() + interval '2 minutes' where email_id = ?";
    expect(await whileChanging(extend, id, () => recordOutcomes(ctx.db, [sent(id)]))).toEqual(new Set([id]));
  }
});

test('an email is deleted although a recipient changes while the statement waits for it', async () => {
  for (let n = 0; n < 8; n += 1) {
    const id = await storeEmail(ctx, workspaceId);
    const change = "update email_recipients set smtp_response = 'Ok' where email_id = ?";
    await whileChanging(change, id, () => ctx.db('emails').where({ workspace_id: workspaceId, id }).delete());
    expect(await ctx.db('email_recipients').where({ email_id: id })).toEqual([]);
  }
});
