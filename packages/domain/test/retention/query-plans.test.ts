import {
  claimEmails,
  markDueEmails,
  recordOutcomes,
  selectDueEmails,
  selectExpiredEmails,
  selectLateEmails,
  setAside,
} from '@posthorn/domain/delivery';
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

async function readPlan(execute: string): Promise<string[]> {
  const { rows } = await db.raw(`explain execute ${execute}`);
  return rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']);
}

async function indexesIn(plan: readonly string[]): Promise<Set<string>> {
  const toIndexName = await partitionedIndexes(ctx.db);
  const names = plan.flatMap((line) => /using (\w+) on|Bitmap Index Scan on (\w+)/.exec(line)?.slice(1) ?? []);
  return new Set(names.filter(Boolean).map(toIndexName));
}

const KEYS = ['emails_pkey', 'email_contents_pkey', 'email_recipients_pkey'];

test('claiming finds all rows of an email by key, even in an empty partition', async () => {
  await claimEmails(db, [id], 60);
  const byIds = await readPlan(`claim_by_ids ('{${id}}', 60)`);
  expect([...(await indexesIn(byIds))]).toEqual(expect.arrayContaining(KEYS));
  await selectDueEmails(db, { limit: 1, holders: [], onlyOthers: false }, 60).claimMany();
  const due = await readPlan("claim_due ('{}', false, '{}', 1, 60)");
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
  const plan = await readPlan("record_outcomes ('[]')");
  const indexes = await indexesIn(plan);
  expect([...indexes]).toEqual(
    expect.arrayContaining(['emails_pkey', 'email_recipients_pkey', 'delivery_attempts_pkey']),
  );
  for (const other of ['emails_by_sender', 'emails_by_status', 'email_recipients_address'])
    expect(indexes).not.toContain(other);
});

type Plan = { readonly [key: string]: unknown; readonly Plans?: readonly Plan[] };

function listNodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

/** Partitions that are chosen by a value of the statement itself, not by one of the client. */
function choosesPartitions(node: Plan): boolean {
  const conditions = (node.Plans ?? []).map((scan) => `${scan['Index Cond'] ?? scan['Recheck Cond'] ?? ''}`);
  return node['Node Type'] === 'Append' && conditions.some((text) => /\w+\.\w+|InitPlan/.test(text));
}

/** Postgres 18 frees what such a part needs when a row is locked that has just been changed (delivery/outcome-store.ts). */
test('no statement that locks rows chooses partitions in a table expression or a subquery', async () => {
  const selections = [
    selectDueEmails(db, { limit: 1, holders: [], onlyOthers: false, isProbe: true }, 60),
    selectExpiredEmails(db, { limit: 1, held: [] }, 60),
    selectLateEmails(db, 'past_send_before', 1, 60),
    selectLateEmails(db, 'never_tried', 1, 60),
  ];
  for (const { claimMany, claimByIds } of selections) {
    await claimMany();
    await claimByIds([id]);
  }
  await markDueEmails(db, 1);
  await setAside(db, id, 1);
  const { rows } = await db.raw(
    "select name, statement from pg_prepared_statements where name ~ '^(claim|find|mark|set_aside)'",
  );
  expect(rows.length).toBeGreaterThanOrEqual(9);
  for (const { statement } of rows) {
    const explained = await db.raw(`explain (generic_plan, format json) ${statement}`);
    const nodes = listNodes(explained.rows[0]['QUERY PLAN'][0].Plan);
    const locks = nodes.some((node) => node['Node Type'] === 'LockRows');
    const parts = nodes.filter((node) => node['Subplan Name'] !== undefined).flatMap(listNodes);
    expect(locks && parts.filter(choosesPartitions)).toEqual(locks && []);
  }
});
