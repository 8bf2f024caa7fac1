import { type Context, migrateDatabase } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { storeEmail } from '../retention/store-email.js';
import { createSchemaBefore } from './create-schema-before.js';

const WORKSPACE = '0192f0c1-0000-7000-8000-0000000000ff';
const ID = (n: number) => `0192f0c1-0000-7000-8000-00000000000${n}`;
const CREATED = new Date('2026-11-01T00:00:00Z');
const EXPIRES = new Date('2026-11-02T00:00:00Z');

let ctx: Context;

/** Creates the schema as it was before this migration, and a workspace. */
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it replaces the schema with an older one' });
  const { db } = ctx;
  await createSchemaBefore(ctx, '0012');
  await db('workspaces').insert({ id: WORKSPACE, name: 'Test', slug: 'test', plan_id: 'free' });
});

afterEach(() => closeTestContext(ctx));

test('the migration sets send_before for waiting emails that expire or have been tried', async () => {
  const { db } = ctx;
  for (const n of [1, 2, 3]) await storeEmail(ctx, WORKSPACE, ID(n), { waits: true });
  await db('emails').update({ created_at: CREATED });
  await db('emails')
    .where({ id: ID(2) })
    .update({ expires_at: EXPIRES });
  await db('deliveries')
    .where({ email_id: ID(3) })
    .update({ attempt: 2 });
  await migrateDatabase(ctx.config.databaseUrl);
  expect(await db('deliveries').select('email_id', 'send_before').orderBy('email_id')).toEqual([
    { email_id: ID(1), send_before: null },
    { email_id: ID(2), send_before: EXPIRES },
    { email_id: ID(3), send_before: new Date('2026-11-04T00:00:00Z') },
  ]);
});
