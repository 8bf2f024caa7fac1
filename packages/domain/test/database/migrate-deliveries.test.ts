import {
  type Context,
  claimEmails,
  claimExpiredEmails,
  type Db,
  markDueEmails,
  migrateDatabase,
} from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { createSchemaBefore } from './create-schema-before.js';

let ctx: Context;
let db: Db;

/** Creates the schema as it was before this migration. */
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it replaces the schema with an older one' });
  db = ctx.db;
  await createSchemaBefore(ctx, '0010');
});

afterEach(() => closeTestContext(ctx));

const ID = (n: number) => `0192f0c1-0000-7000-8000-00000000000${n}`;
const WORKSPACE = '0192f0c1-0000-7000-8000-0000000000ff';

async function store(n: number, email: { status: string; attempt?: number; due_at?: Date; lease_until?: Date }) {
  const from = 'us@example.com';
  await db('emails').insert({
    id: ID(n),
    workspace_id: WORKSPACE,
    from_: from,
    from_address: from,
    subject: 'Hello',
    to: ['jane@example.com'],
    recipient_count: 1,
    created_at: new Date(),
    usage_day: '2026-11-22',
    ...email,
  });
  await db('email_contents').insert({ email_id: ID(n), workspace_id: WORKSPACE, text: 'Hello' });
}

async function storeAttempt(n: number, attempt: number, outcome: string | null) {
  const started_at = new Date('2026-11-22T12:00:00Z');
  await db('delivery_attempts').insert({ email_id: ID(n), workspace_id: WORKSPACE, attempt, outcome, started_at });
}

const [PAST, FUTURE] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];

test('the migration moves unfinished emails to the queue, where workers find them', async () => {
  await store(1, { status: 'queued', due_at: PAST });
  await store(2, { status: 'scheduled', due_at: FUTURE });
  await store(3, { status: 'deferred', due_at: FUTURE, attempt: 2 });
  await storeAttempt(3, 1, 'ambiguous');
  await storeAttempt(3, 2, 'deferred');
  await store(4, { status: 'sending', due_at: PAST, attempt: 1, lease_until: PAST });
  await storeAttempt(4, 1, null);
  await store(5, { status: 'sent', due_at: PAST, attempt: 1 });
  await storeAttempt(5, 1, 'sent');
  await migrateDatabase(ctx.config.databaseUrl);

  const columns = ['email_id', 'attempt', 'ambiguous_attempts', 'is_due'];
  expect(await db('deliveries').select(columns).orderBy('email_id')).toEqual([
    { email_id: ID(1), attempt: 0, ambiguous_attempts: 0, is_due: true },
    { email_id: ID(2), attempt: 0, ambiguous_attempts: 0, is_due: false },
    { email_id: ID(3), attempt: 2, ambiguous_attempts: 1, is_due: false },
    { email_id: ID(4), attempt: 1, ambiguous_attempts: 0, is_due: true },
  ]);
  expect(await db('emails').orderBy('id').pluck('status')).toEqual([
    'queued',
    'scheduled',
    'deferred',
    'queued',
    'sent',
  ]);

  expect(await claimEmails(db, [1, 2, 3, 4, 5].map(ID), 60)).toMatchObject([{ id: ID(1), attempt: 1 }]);
  const [lost] = await claimExpiredEmails(db, { limit: 5, held: [] }, 60);
  expect(lost).toMatchObject({ id: ID(4), attempt: 2, ambiguousAttempts: 1, reclaimed: 'ambiguous' });
  const ended = db('delivery_attempts')
    .select('attempt', 'outcome', 'started_at')
    .where({ email_id: ID(4) });
  const started_at = new Date('2026-11-22T12:00:00Z');
  expect(await ended).toEqual([{ attempt: 1, outcome: 'ambiguous', started_at }]);

  await db('deliveries').update({ due_at: PAST });
  expect(await markDueEmails(db, 10)).toBe(2);
});
