import { reportStats } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { DAY_MS, newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { partitionedIndexes } from '../partitioned-indexes.js';

const MINUTE_MS = 60_000;
const BATCH = 10_000;

describe('reportStats', () => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'query plans depend on what all workspaces have stored' });
  });
  afterAll(() => closeTestContext(ctx));

  test('never rounds the rates down to 0 or up to 1 if there is just one bounce', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    await fill(workspaceId, { count: 9_999, everyMs: 1, status: 'sent' });
    await fill(workspaceId, { count: 1, everyMs: 1, status: 'bounced' });
    expect(await reportStats(ctx, workspaceId, 1)).toMatchObject({
      emails: 10_000,
      truncated: false,
      deliveryRate: 0.9999,
      bounceRate: 0.0001,
    });
  });

  describe('with 60,000 emails', () => {
    let busy: string;
    let quiet: string;
    let small: string;

    beforeAll(async () => {
      busy = (await createTestWorkspace(ctx)).workspaceId;
      quiet = (await createTestWorkspace(ctx)).workspaceId;
      small = (await createTestWorkspace(ctx)).workspaceId;
      for (let startMs = 0; startMs < 3 * BATCH * MINUTE_MS; startMs += BATCH * MINUTE_MS) {
        const sizes = { count: BATCH, everyMs: MINUTE_MS };
        await fill(busy, { ...sizes, startMs, status: startMs === 0 ? 'sent' : 'bounced' });
        await fill(quiet, { ...sizes, startMs: startMs + 40 * DAY_MS, status: 'failed' });
      }
      await fill(small, { count: 20, everyMs: MINUTE_MS, status: 'sent' });
      await ctx.db.raw('analyze emails');
    });

    test('counts only the newest emails, and reports that there are more and when the count starts', async () => {
      const stats = await reportStats(ctx, busy, 31);
      expect(stats).toMatchObject({ emails: limits.statsEmails.max, truncated: true, deliveryRate: 1, bounceRate: 0 });
      expect(stats.statuses.sent).toBe(limits.statsEmails.max);
      const since = await ctx.db('emails').where({ workspace_id: busy }).where('created_at', '>=', stats.since);
      expect(since).toHaveLength(limits.statsEmails.max);
    });

    test('scans the index and reads at most one email more than it counts', async () => {
      const cases = [
        { workspaceId: busy, rows: limits.statsEmails.max + 1 },
        { workspaceId: quiet, rows: 0 },
        { workspaceId: small, rows: 20 },
      ];
      const toIndexName = await partitionedIndexes(ctx.db);
      const partitions = await ctx.db('pg_inherits').where({ inhparent: ctx.db.raw("'emails'::regclass") });
      for (const { workspaceId, rows } of cases) {
        const nodes = await readPlan(() => reportStats(ctx, workspaceId, 31));
        const types = nodes.map((node) => node['Node Type']);
        // The plan nodes that feed the Limit node read at most one row more than the stats count.
        const limit = types.indexOf('Limit');
        expect(types.slice(limit, limit + 3)).toEqual(['Limit', 'WindowAgg', 'Merge Append']);
        expect(nodes[limit + 2]).toMatchObject({ 'Actual Rows': rows });
        const scans = nodes.filter((node) => node['Index Name'] && toIndexName(node['Index Name']) === 'emails_pkey');
        expect(scans).toHaveLength(partitions.length);
        for (const scan of scans) expect(scan).toMatchObject({ 'Scan Direction': 'Backward' });
        for (const scan of scans) expect(scan).not.toHaveProperty('Filter');
      }
    });
  });

  /** Stores past emails. The newest one is `startMs` old. */
  async function fill(
    workspaceId: string,
    { count, everyMs, startMs = 1_000, status }: { count: number; everyMs: number; startMs?: number; status: string },
  ): Promise<void> {
    const salt = newId().slice(-12);
    await ctx.db.raw(
      `insert into emails
         (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day)
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || :salt)::uuid,
         :workspaceId, :status, 'a@example.com', 'a@example.com', 'Hi', '{b@example.com}', 1, at, at::date
       from (
         select date_trunc('milliseconds', now() - (:startMs::bigint + number * :everyMs::bigint) * interval '1 millisecond') as at
         from generate_series(:count, 1, -1) as number
       ) as times`,
      { workspaceId, count, everyMs, startMs, status, salt },
    );
  }

  type PlanNode = { 'Node Type': string; 'Index Name'?: string; Plans?: PlanNode[] };

  /** Explains the query that `work` runs after a SET in a transaction. @returns the nodes of its plan, root first */
  async function readPlan(work: () => Promise<unknown>): Promise<PlanNode[]> {
    const queries: Array<{ sql: string; bindings: string[] }> = [];
    const record = (query: { sql: string; bindings: string[] }) => queries.push(query);
    ctx.db.on('query', record);
    await work();
    ctx.db.removeListener('query', record);
    const [, setting, query] = queries;
    const explained = query?.sql.replaceAll(/\$\d+/g, '?');
    const trx = await ctx.db.transaction();
    await trx.raw(setting?.sql ?? '');
    const { rows } = await trx.raw(`explain (analyze, format json) ${explained}`, query?.bindings ?? []);
    await trx.rollback();
    return flatten(rows[0]['QUERY PLAN'][0].Plan);
  }

  function flatten(node: PlanNode): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap(flatten)];
  }
});
