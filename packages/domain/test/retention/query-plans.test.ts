import { claimEmails, recordOutcomes, selectDueEmails } from '@posthorn/domain/delivery';
import { maintainPartitions } from '@posthorn/domain/retention';
import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { partitionedIndexes } from '../partitioned-indexes.js';
import { daysAhead } from './store-email.js';

let ctx: Context;
let db: Db;

/** The partitions are empty and were never analyzed, like the one in which the next email is stored. */
beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'query plans depend on what all workspaces have stored' });
  await maintainPartitions(ctx, daysAhead(200));
  db = connectDatabase(ctx.config.databaseUrl, { poolSize: 1 });
  await db.raw('set plan_cache_mode = force_generic_plan');
});

afterAll(async () => {
  await db.destroy();
  await closeTestContext(ctx);
});

const id = newId();

async function planOf(execute: string): Promise<string[]> {
  const { rows } = await db.raw(`explain execute ${execute}`);
  return rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']);
}

async function indexesIn(plan: readonly string[]): Promise<Set<string>> {
  const nameOf = await partitionedIndexes(ctx.db);
  const names = plan.flatMap((line) => /using (\w+) on|Bitmap Index Scan on (\w+)/.exec(line)?.slice(1) ?? []);
  return new Set(names.filter(Boolean).map(nameOf));
}

const KEYS = ['emails_pkey', 'email_contents_pkey', 'email_recipients_pkey'];

test('claiming finds all rows of an email by key, even in an empty partition', async () => {
  await claimEmails(db, [id], 60);
  const byIds = await planOf(`claim_by_ids ('{${id}}', 60)`);
  expect([...(await indexesIn(byIds))]).toEqual(expect.arrayContaining(KEYS));
  await selectDueEmails(db, { limit: 1, holders: [], onlyOthers: false }, 60).claimMany();
  const due = await planOf("claim_due ('{}', false, '{}', 1, 60)");
  for (const plan of [byIds, due])
    for (const other of ['emails_by_sender', 'emails_by_status', 'email_recipients_address'])
      expect(await indexesIn(plan)).not.toContain(other);
});

test('recording an outcome finds all rows of an email by key, even in an empty partition', async () => {
  await recordOutcomes(db, [
    {
      id,
      attempt: 1,
      status: 'sent',
      retryInSeconds: null,
      charged: true,
      recipientResults: [],
      outcome: 'sent',
      phase: 'reply',
      route: null,
      conversation: [],
      event: null,
    },
  ]);
  const plan = await planOf("record_outcomes ('[]')");
  const indexes = await indexesIn(plan);
  expect([...indexes]).toEqual(
    expect.arrayContaining(['emails_pkey', 'email_recipients_pkey', 'delivery_attempts_pkey']),
  );
  for (const other of ['emails_by_sender', 'emails_by_status', 'email_recipients_address'])
    expect(indexes).not.toContain(other);
});
