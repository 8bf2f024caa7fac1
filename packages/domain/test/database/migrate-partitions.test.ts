import { type Context, type Db, findEmail, listEmails, maintainPartitions, migrateDatabase } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { daysAhead, idAt, idsInEach, inAllTables, storeEmail } from '../retention/store-email.js';
import { createSchemaBefore } from './create-schema-before.js';

let ctx: Context;
let db: Db;

const WORKSPACE = '0192f0c1-0000-7000-8000-0000000000ff';

/** Creates the schema as it was before this migration, and a workspace. */
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it replaces the schema with an older one' });
  db = ctx.db;
  await createSchemaBefore(ctx, '0011');
  await db('workspaces').insert({ id: WORKSPACE, name: 'Test', slug: 'test', plan_id: 'free' });
});

afterEach(() => closeTestContext(ctx));

const constraints = async () =>
  (
    await db.raw(
      `select conrelid::regclass::text as on, contype as type, pg_get_constraintdef(oid) as definition from pg_constraint
       where conrelid in ('emails'::regclass, 'email_recipients'::regclass) and contype <> 'n' order by 1, 2, 3`,
    )
  ).rows;

test('the migration keeps the stored emails, and workers can drop them later', async () => {
  const ids = [];
  for (const days of [-500, -40, -1, 3]) ids.push(await storeEmail(ctx, WORKSPACE, idAt(daysAhead(days))));
  const before = await constraints();
  await migrateDatabase(ctx.config.databaseUrl);

  expect(await idsInEach(ctx)).toEqual(inAllTables(ids));
  // A later migration drops the foreign keys of emails.
  expect(await constraints()).toEqual(before.filter(({ type }: { type: string }) => type !== 'f'));
  const page = await listEmails(db, WORKSPACE, {}, { limit: 10, after: null, before: null });
  expect(page.rows.map(({ id }) => id)).toEqual([...ids].reverse());
  const email = await findEmail(db, WORKSPACE, ids[0] as string, { withContent: true });
  expect(email).toMatchObject({ content: { text: 'Hello' }, recipients: [{ address: 'jane@example.com' }] });

  await maintainPartitions(ctx, daysAhead(3));
  expect(await idsInEach(ctx)).toEqual(inAllTables(ids));
  await maintainPartitions(ctx, daysAhead(410));
  expect(await idsInEach(ctx)).toEqual(inAllTables([]));
});

test('after the migration, deleting an email or a workspace still deletes all of its data', async () => {
  const first = await storeEmail(ctx, WORKSPACE, idAt(daysAhead(-40)), { waits: true });
  await migrateDatabase(ctx.config.databaseUrl);
  const second = await storeEmail(ctx, WORKSPACE, idAt(daysAhead(40)), { waits: true });
  const third = await storeEmail(ctx, WORKSPACE, idAt(daysAhead(41)));
  await db('emails').where({ workspace_id: WORKSPACE, id: first }).delete();
  expect(await idsInEach(ctx)).toEqual(inAllTables([second, third]));
  await db('workspaces').where({ id: WORKSPACE }).delete();
  expect(await idsInEach(ctx)).toEqual(inAllTables([]));
  expect(await db('deliveries')).toEqual([]);
});

test('the migration accepts ids from a clock that was ahead', async () => {
  const id = await storeEmail(ctx, WORKSPACE, idAt(daysAhead(365)));
  await migrateDatabase(ctx.config.databaseUrl);
  expect(await idsInEach(ctx)).toEqual(inAllTables([id]));
});
