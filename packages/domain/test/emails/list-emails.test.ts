import { type EmailFilters, listEmails } from '@posthorn/domain/emails';
import { createTemplate } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import type { Pagination } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { partitionedIndexes } from '../partitioned-indexes.js';

let ctx: Context;
let workspaceId: string;
let templateId: string;

/** Enough emails to make a wrong index cost more than the right one. */
const STORED = 20_000;
/** The filters match one out of this many emails. */
const RARE = 1_000;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'query plans depend on what all workspaces have stored' });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
  const template = { name: 'Rare', subject: 'Hello', htmlBody: '<p>Hello</p>', textBody: 'Hello' };
  templateId = (await createTemplate(ctx, operator, workspaceId, template)).id;
  const others = (await createTestWorkspace(ctx)).workspaceId;
  await ctx.db.raw(FILL, { workspaceId, others, templateId, stored: STORED, rare: RARE, since: '2026-01-01' });
  await ctx.db.raw('analyze emails, email_recipients, email_tags');
});

afterAll(() => closeTestContext(ctx));

/** One email per minute. One in fifty belongs to our workspace. As in a UUIDv7, the ids start with the time. */
const FILL = `
  with entry as materialized (
    select n, at, n % :rare::int = 0 as is_rare,
      case when n % 50 = 0 then :workspaceId::uuid else :others end as workspace_id,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as id
    from generate_series(1, :stored::int) as n,
      lateral (select :since::timestamptz + n * interval '1 minute' as at) as clock
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, tags,
      template_id, template_version
    )
    select id, workspace_id, case when is_rare then 'bounced' else 'sent' end, 'us@example.com',
      case when is_rare then 'rare@example.com' else 'us@example.com' end, 'Hello', array['jane@example.com'], 1, at,
      at::date, case when is_rare then array['is-rare'] else array['is-common'] end,
      case when is_rare then :templateId::uuid end, case when is_rare then 1 end
    from entry
  ),
  new_tags as (
    insert into email_tags (workspace_id, tag, email_id)
    select workspace_id, case when is_rare then 'is-rare' else 'is-common' end, id from entry
  )
  insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
  select id, workspace_id, 0, 'to', case when is_rare then 'Jane@example.com' else 'john@example.com' end, 'sent', at
  from entry`;

const MIDDLE = new Date('2026-01-08T00:00:00Z');

type Plan = { 'Node Type': string; 'Index Name'?: string; 'Index Cond'?: string; Plans?: Plan[] };

/**
 * Reads the query plan of a list.
 * @returns the conditions by index, for all partitions together, and the types of all steps
 */
async function readPlan(
  filters: EmailFilters,
  pagination: Partial<Pagination> = {},
): Promise<{ indexes: Map<string, string>; steps: string[] }> {
  const statements: Array<{ sql: string; bindings: unknown[] }> = [];
  const record = (statement: { sql: string; bindings: unknown[] }) => statements.push(statement);
  ctx.db.on('query', record);
  await listEmails(ctx.db, workspaceId, filters, { limit: 20, after: null, before: null, ...pagination });
  ctx.db.removeListener('query', record);
  const [setting, list] = statements.filter(({ sql }) => /^(set|select)/.test(sql));
  const explained = list?.sql.replace(/\$\d+/g, '?');
  const trx = await ctx.db.transaction();
  await trx.raw(setting?.sql ?? '');
  const { rows } = await trx.raw(`explain (format json) ${explained}`, list?.bindings as string[]);
  await trx.rollback();
  const indexes = new Map<string, string>();
  const toIndexName = await partitionedIndexes(ctx.db);
  const steps: string[] = [];
  const visit = (plan: Plan) => {
    const { 'Node Type': step, 'Index Name': name, 'Index Cond': condition = '', Plans = [] } = plan;
    steps.push(step);
    if (name) indexes.set(toIndexName(name), condition);
    for (const inner of Plans) visit(inner);
  };
  visit(rows[0]['QUERY PLAN'][0].Plan);
  return { indexes, steps };
}

describe('listEmails', () => {
  const cursor = newId();

  test.each<[string, () => EmailFilters, string, RegExp]>([
    ['nothing', () => ({}), 'emails_pkey', /ROW\(workspace_id, id\) < ROW/],
    ['status', () => ({ status: 'bounced' }), 'emails_by_status', /ROW\(workspace_id, status, id\) < ROW/],
    ['from_', () => ({ from: 'rare@example.com' }), 'emails_by_sender', /ROW\(workspace_id, from_address, id\) < ROW/],
    ['template_id', () => ({ templateId }), 'emails_by_template', /ROW\(workspace_id, template_id, id\) < ROW/],
    ['tag', () => ({ tag: 'is-rare' }), 'email_tags_pkey', /ROW\(workspace_id, tag, email_id\) < ROW/],
    [
      'to',
      () => ({ to: 'jane@example.com' }),
      'email_recipients_address',
      /ROW\(workspace_id, lower\(address\), email_id\) < ROW/,
    ],
    [
      'created_before',
      () => ({ createdBefore: MIDDLE }),
      'emails_pkey',
      /ROW\(workspace_id, id\) < ROW\(.*'019b9ae7-5/,
    ],
    ['created_after', () => ({ createdAfter: MIDDLE }), 'emails_pkey', /ROW\(workspace_id, id\) > ROW\(.*'019b9ae7-0/],
  ])('filtered by %s, applies the filter and the cursor in an index', async (_name, filters, index, condition) => {
    const { indexes } = await readPlan(filters(), { after: cursor });
    expect([...indexes.keys()]).toContain(index);
    expect(indexes.get(index)).toMatch(condition);
  });

  test.each<[string, () => EmailFilters]>([
    ['nothing', () => ({})],
    ['status', () => ({ status: 'sent' })],
    ['from_', () => ({ from: 'us@example.com' })],
    ['template_id', () => ({ templateId })],
    ['tag', () => ({ tag: 'is-common' })],
    ['to', () => ({ to: 'john@example.com' })],
  ])('filtered by %s, reads emails in index order without sorting', async (_name, filters) => {
    for (const pagination of [{}, { after: cursor }, { before: cursor }]) {
      const { steps } = await readPlan(filters(), pagination);
      // Only the steps below Limit matter: above it, the rows of the page are sorted to add up their sizes.
      expect(steps.slice(steps.indexOf('Limit')).join()).toMatch(/^Limit,.*Index/);
      expect(steps.slice(steps.indexOf('Limit')).join()).not.toMatch(/Sort/);
    }
  });

  test('looks up known ids, even if another filter matches many emails', async () => {
    const { rows } = await listEmails(ctx.db, workspaceId, {}, { limit: 2, after: null, before: null });
    const ids = rows.map(({ id }) => id);
    for (const filters of [{}, { to: 'john@example.com' }, { tag: 'is-common', status: 'sent' }] as const) {
      const { indexes } = await readPlan({ ...filters, ids });
      expect(indexes.get('emails_pkey')).toMatch(/id = ANY/);
      indexes.delete('emails_pkey');
      expect([...indexes.values()].join()).not.toContain('ROW');
    }
  });

  test('reads emails in index order, whatever Postgres knows about the tables', async () => {
    await ctx.db.raw(`
      insert into deliveries (email_id, workspace_id, due_at, is_due)
      select gen_random_uuid(), '${workspaceId}', now() + interval '1 day', false from generate_series(1, 5000)`);
    await ctx.db.raw('analyze emails, deliveries');
    for (const filters of [{}, { status: 'sent' }, { from: 'us@example.com' }] as const) {
      const { steps } = await readPlan(filters);
      expect(steps.slice(steps.indexOf('Limit')).join()).not.toMatch(/Sort/);
    }
  });

  test('finds the emails that match all filters', async () => {
    const pagination = { limit: 100, after: null, before: null };
    const all = {
      status: 'bounced',
      from: 'rare@example.com',
      tag: 'is-rare',
      templateId,
      to: 'jane@EXAMPLE.com',
    } as const;
    const { rows } = await listEmails(ctx.db, workspaceId, all, pagination);
    expect(rows).toHaveLength(STORED / RARE);
    const older = await listEmails(ctx.db, workspaceId, { ...all, createdBefore: MIDDLE }, pagination);
    const newer = await listEmails(ctx.db, workspaceId, { ...all, createdAfter: MIDDLE }, pagination);
    expect(older.rows.every(({ createdAt }) => createdAt < MIDDLE)).toBe(true);
    expect([...newer.rows, ...older.rows]).toEqual(rows);
    expect(older.rows).toHaveLength(10);
  });
});
