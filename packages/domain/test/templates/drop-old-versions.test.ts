import { Refusal } from '@posthorn/domain/errors';
import { createTemplate, updateTemplate } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { MINUTE_MS, toFirstId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

const fields = { name: 'Welcome', subject: 'Hi {{name}}', htmlBody: '<p>{{name}}</p>', textBody: '{{name}}' };
const START_MS = Date.parse('2026-01-01T00:00:00Z');

let ctx: Context;
let workspaceId: string;
let id: string;
let now: Date;

beforeEach(async () => {
  now = new Date(START_MS);
  ctx = await openTestContext({ ownDatabase: 'query plans depend on what all workspaces have stored', now: () => now });
  ({ workspaceId } = await createTestWorkspace(ctx));
  ({ id } = await createTemplate(ctx, operator, workspaceId, fields));
});

afterEach(() => closeTestContext(ctx));

/** Updates the template up to this version. Version n is created n - 1 minutes after the first. */
async function updateTo(version: number): Promise<void> {
  const [row] = await ctx.db('templates').select('version').where({ id });
  for (let next = row.version + 1; next <= version; next += 1) {
    now = new Date(START_MS + (next - 1) * MINUTE_MS);
    await updateTemplate(ctx, operator, { workspaceId, id }, { textBody: `Version ${next}` });
  }
}

const versions = (): Promise<number[]> =>
  ctx.db('template_versions').where({ template_id: id }).orderBy('version').pluck('version');

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Stores an email that was accepted `minutesLater` minutes after its version was created. */
async function storeEmail(version: number, minutesLater = 0, suffix = 1): Promise<void> {
  const atMs = START_MS + (version - 1 + minutesLater) * MINUTE_MS;
  await ctx.db('emails').insert({
    id: toFirstId(atMs).slice(0, -4) + String(suffix).padStart(4, '0'),
    workspace_id: workspaceId,
    status: 'sent',
    from_: 'us@example.com',
    from_address: 'us@example.com',
    subject: 'Hello',
    to: ['jane@example.com'],
    template_id: id,
    template_version: version,
    recipient_count: 1,
    created_at: new Date(atMs),
    usage_day: '2026-01-01',
  });
}

describe('the versions of a template', () => {
  test('are limited to 100: an update drops the oldest ones', async () => {
    await updateTo(100);
    expect(await versions()).toEqual(from(1, 100));
    await updateTo(103);
    expect(await versions()).toEqual(from(4, 103));
  });

  test('stay while an email uses them, and are dropped after the email is gone', async () => {
    await updateTo(20);
    await storeEmail(3);
    // This email uses version 7, but was stored a few minutes after version 8 replaced it.
    await storeEmail(7, 9, 2);
    await updateTo(115);
    expect(await versions()).toEqual([3, 7, ...from(16, 115)]);
    await ctx.db('emails').where({ template_version: 3 }).delete();
    await updateTo(116);
    expect(await versions()).toEqual([7, ...from(17, 116)]);
  });

  test('are dropped a few per update if the template had too many before there was a limit', async () => {
    await updateTo(5);
    const [stored] = await ctx.db('template_versions').where({ template_id: id, version: 5 });
    const more = from(6, 300).map((version) => ({
      ...stored,
      declared: JSON.stringify(stored.declared),
      version,
      created_at: new Date(START_MS + (version - 1) * MINUTE_MS),
    }));
    await ctx.db.batchInsert('template_versions', more);
    await ctx.db('templates').where({ id }).update({ version: 300 });
    await updateTo(301);
    expect(await versions()).toEqual([...from(51, 200), ...from(202, 301)]);
    await updateTo(304);
    expect(await versions()).toEqual(from(205, 304));
  });

  test('are kept until emails that use them are stored, so too many updates in a row are refused', async () => {
    for (let version = 2; version <= 100; version += 1)
      await updateTemplate(ctx, operator, { workspaceId, id }, { textBody: `Version ${version}` });
    const refused = updateTemplate(ctx, operator, { workspaceId, id }, { textBody: 'One more' });
    await expect(refused).rejects.toBeInstanceOf(Refusal);
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('100 updates of one template in 10 minutes'),
      extras: { retryAfterSeconds: 600 },
    });
    expect(await versions()).toEqual(from(1, 100));
    now = new Date(START_MS + 10 * MINUTE_MS);
    expect(await updateTemplate(ctx, operator, { workspaceId, id }, { textBody: 'One more' })).toMatchObject({
      version: 101,
    });
    expect(await versions()).toEqual(from(2, 101));
  });

  test('are dropped without reading emails that use other versions', async () => {
    await updateTo(100);
    await ctx.db.raw(
      `insert into emails (
         id, workspace_id, status, from_, from_address, subject, "to", template_id, template_version, recipient_count,
         created_at, usage_day
       )
       select (lpad(to_hex(:since::bigint + n * 1000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
         :workspaceId::uuid, 'sent', 'us@example.com', 'us@example.com', 'Hello', array['jane@example.com'], :id::uuid,
         100, 1, now(), '2026-01-01'
       from generate_series(1, 20000) as n`,
      { workspaceId, id, since: START_MS + 99 * MINUTE_MS },
    );
    await ctx.db.raw('analyze emails');
    const statements: Array<{ sql: string; bindings: string[] }> = [];
    ctx.db.on('query', (statement) => statements.push(statement));
    await updateTo(101);
    const { sql = '', bindings = [] } =
      statements.find((statement) => statement.sql.includes('delete from template_versions')) ?? {};
    expect(await versions()).toEqual(from(2, 101));
    const { rows } = await ctx.db.raw(`explain (analyze, format json) ${sql.replace(/\$\d+/g, '?')}`, bindings);
    expect(emailsRead(rows[0]['QUERY PLAN'][0].Plan)).toBe(0);
  });
});

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** How many emails the steps of a query plan read in total. */
function emailsRead({
  'Relation Name': table,
  'Actual Rows': rows,
  'Rows Removed by Filter': removed = 0,
  Plans = [],
}: Plan): number {
  const own = table === 'emails' ? rows + removed : 0;
  return own + Plans.map(emailsRead).reduce((sum, count) => sum + count, 0);
}
