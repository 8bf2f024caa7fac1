import { type EmailFilters, searchEmails } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import type { ListPage, Pagination } from '@posthorn/platform/postgres';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { partitionedIndexes } from '../partitioned-indexes.js';

let ctx: Context;
let workspaceId: string;
let others: string;

/** More emails than a page reads if its time is up after the first step. */
const STORED = 2_000;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'query plans depend on what all workspaces have stored' });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
  others = (await createTestWorkspace(ctx)).workspaceId;
  for (const id of [workspaceId, others])
    await ctx.db.raw(FILL, { workspaceId: id, stored: STORED, since: '2026-01-01', mark: id === others ? 'x' : 'y' });
  await ctx.db.raw('analyze emails, email_recipients, email_tags');
});

afterAll(() => closeTestContext(ctx));

/** One email per minute. As in a UUIDv7, the ids start with the time. Every tenth email has a Bcc. */
const FILL = `
  with entry as materialized (
    select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || (case :mark when 'x' then '70008' else '70009' end) || lpad(to_hex(n), 15, '0'))::uuid as id
    from generate_series(1, :stored::int) as n,
      lateral (select :since::timestamptz + n * interval '1 minute' as at) as clock
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, tags
    )
    select id, :workspaceId::uuid, 'sent', 'us@example.com', 'us@example.com', 'Bestellung Übersicht 100% #' || n,
      array['Jane ' || n || ' <jane' || n || '@Example.com>'], case when n % 10 = 0 then 2 else 1 end, at, at::date, '{}'
    from entry
  )
  insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
  select id, :workspaceId::uuid, 0, 'to', 'jane' || n || '@Example.com', 'sent', at from entry
  union all
  select id, :workspaceId::uuid, 1, 'bcc', 'hidden' || n || '@example.com', 'sent', at from entry where n % 10 = 0`;

type Options = Partial<Pagination> & { filters?: EmailFilters; inSubjects?: boolean; budgetMs?: number };

function search(text: string, options: Options = {}): Promise<ListPage<{ subject: string; id: string }>> {
  const { filters = {}, inSubjects = true, budgetMs = 60_000, ...pagination } = options;
  const query = { filters, search: { text, inSubjects }, budgetMs };
  return searchEmails(ctx.db, workspaceId, query, { limit: 20, after: null, before: null, ...pagination });
}

const listNumbers = ({ rows }: ListPage<{ subject: string }>) =>
  rows.map(({ subject }) => Number(subject.split('#')[1]));

/** Follows `nextCursor` with pages that end after their first step. */
async function followInSteps(text: string, direction: 'after' | 'before', start: string | null) {
  const pages: number[][] = [];
  let cursor = start;
  do {
    const page = await search(text, { limit: 3, budgetMs: 0, [direction]: cursor });
    pages.push(listNumbers(page));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

describe('searchEmails', () => {
  test.each<[string, string, number[]]>([
    ['a part of the subject', 'sicht 100% #1999', [1999]],
    ['a subject in another case, beyond ASCII', 'üBERSICHT 100% #1998', [1998]],
    ['a part of an address in To, in another case', 'ANE1997@EXAMPLE', [1997]],
    ['a part of a name in To', 'ane 1996 <', [1996]],
    ['a part of an address in Bcc', 'DDEN1990@', [1990]],
    ['the oldest email', 'jane1@', [1]],
    ['a percent sign, which is not a wildcard', '1%0', []],
    ['an underscore, which is not a wildcard', 'jane_', []],
    ['a backslash', 'a\\b', []],
  ])('finds %s', async (_what, text, expected) => {
    const page = await search(text);
    expect(listNumbers(page)).toEqual(expected);
    expect(page.nextCursor).toBeNull();
  });

  test('leaves subjects out if the caller may not read them', async () => {
    expect(listNumbers(await search('Bestellung', { inSubjects: false }))).toEqual([]);
    expect(listNumbers(await search('jane1999@', { inSubjects: false }))).toEqual([1999]);
    expect(listNumbers(await search('hidden1990@', { inSubjects: false }))).toEqual([1990]);
  });

  test('finds nothing across the boundary between the subject and an address', async () => {
    expect(listNumbers(await search('#1999jane'))).toEqual([]);
  });

  test('pages in both directions without a gap', async () => {
    const first = await search('Bestellung', { limit: 3 });
    expect(listNumbers(first)).toEqual([2000, 1999, 1998]);
    expect(first.nextCursor).toBe(first.rows[2]?.id);
    const second = await search('Bestellung', { limit: 3, after: first.nextCursor });
    expect(listNumbers(second)).toEqual([1997, 1996, 1995]);
    const newer = await search('Bestellung', { limit: 3, before: second.rows[2]?.id ?? null });
    expect(listNumbers(newer)).toEqual([1998, 1997, 1996]);
    const newest = await search('Bestellung', { limit: 3, before: newer.nextCursor });
    expect(listNumbers(newest)).toEqual([2000, 1999]);
    expect(newest.nextCursor).toBeNull();
  });

  test('ends a page when the time is up, and finds every match exactly once on the following pages', async () => {
    const text = '00@example';
    const all = Array.from({ length: STORED / 100 }, (_, index) => STORED - 100 * index);
    const older = await followInSteps(text, 'after', null);
    expect(older.flat()).toEqual(all);
    const oldest = (await search('jane1@')).rows[0]?.id ?? null;
    const newer = await followInSteps(text, 'before', oldest);
    expect(newer.toReversed().flat()).toEqual(all);
  });

  test('returns an empty page with a cursor if the time is up before the first match', async () => {
    const page = await search('jane1@', { budgetMs: 0 });
    expect(page.rows).toEqual([]);
    expect(page.nextCursor).not.toBeNull();
    const pages = await followInSteps('jane1@', 'after', null);
    expect(pages).toEqual([[], [], [], [1], []]);
  });

  test('combines with every filter', async () => {
    const createdAfter = new Date('2026-01-01T00:30:00Z');
    const createdBefore = new Date('2026-01-01T01:00:00Z');
    const period = await search('Bestellung', { filters: { createdAfter, createdBefore }, limit: 100 });
    expect(listNumbers(period)).toEqual(Array.from({ length: 29 }, (_, index) => 59 - index));
    const filters = { status: 'sent', from: 'us@example.com', to: 'JANE5@example.com' } as const;
    expect(listNumbers(await search('Bestellung', { filters }))).toEqual([5]);
    expect(listNumbers(await search('Bestellung', { filters: { status: 'failed' } }))).toEqual([]);
    const { rows } = await search('jane7@');
    const ids = rows.map(({ id }) => id);
    expect(listNumbers(await search('Bestellung', { filters: { ids } }))).toEqual([7]);
    expect(listNumbers(await search('jane8@', { filters: { ids } }))).toEqual([]);
  });

  test('compares known ids with the text in the first step, however many emails are newer', async () => {
    const ids = (await search('00@example', { limit: 100 })).rows.map(({ id }) => id).slice(-3);
    const page = await search('Bestellung', { filters: { ids, to: 'JANE200@example.com' }, budgetMs: 0 });
    expect(listNumbers(page)).toEqual([200]);
    expect(page.nextCursor).toBeNull();
    const none = await search('jane8@', { filters: { ids }, budgetMs: 0 });
    expect(none).toEqual({ rows: [], nextCursor: null });
    const first = await search('Bestellung', { filters: { ids }, limit: 2, budgetMs: 0 });
    expect(listNumbers(first)).toEqual([300, 200]);
    const last = await search('Bestellung', { filters: { ids }, limit: 2, budgetMs: 0, after: first.nextCursor });
    expect(listNumbers(last)).toEqual([100]);
    expect(last.nextCursor).toBeNull();
  });

  test.each<[string, EmailFilters, string[]]>([
    ['no filter', {}, ['emails_pkey', 'email_recipients_pkey']],
    ['a tag', { tag: 'a:b' }, ['email_tags_pkey', 'emails_pkey', 'email_recipients_pkey']],
    ['to and a tag', { to: 'jane5@example.com', tag: 'a:b' }, ['email_recipients_address', 'email_tags_pkey']],
    ['a status', { status: 'sent' }, ['emails_by_status', 'deliveries_pkey']],
  ])('with %s, looks up everything in indexes', async (_what, filters, indexes) => {
    const { names, scans } = await readPlan(filters);
    expect(names).toEqual(expect.arrayContaining(indexes));
    expect(scans).toEqual([]);
  });
});

type Plan = { 'Node Type': string; 'Index Name'?: string; 'Relation Name'?: string; Plans?: Plan[] };

/** @returns the indexes that a step of a search uses, and the tables that it reads from end to end */
async function readPlan(filters: EmailFilters): Promise<{ names: string[]; scans: string[] }> {
  const statements: Array<{ sql: string; bindings: unknown[] }> = [];
  const record = (statement: { sql: string; bindings: unknown[] }) => statements.push(statement);
  ctx.db.on('query', record);
  await search('jane1@', { budgetMs: 0, filters });
  ctx.db.removeListener('query', record);
  const settings = statements.filter(({ sql }) => sql.startsWith('set local'));
  const step = statements.find(({ sql }) => sql.startsWith('with'));
  const trx = await ctx.db.transaction();
  for (const { sql } of settings) await trx.raw(sql);
  const explained = step?.sql.replace(/\$\d+/g, '?');
  const { rows } = await trx.raw(`explain (format json) ${explained}`, step?.bindings as string[]);
  await trx.rollback();
  const toIndexName = await partitionedIndexes(ctx.db);
  const names = new Set<string>();
  const scans: string[] = [];
  const visit = (plan: Plan) => {
    if (plan['Index Name']) names.add(toIndexName(plan['Index Name']));
    if (plan['Node Type'] === 'Seq Scan') scans.push(plan['Relation Name'] ?? '');
    plan.Plans?.forEach(visit);
  };
  visit(rows[0]['QUERY PLAN'][0].Plan);
  return { names: [...names], scans };
}
