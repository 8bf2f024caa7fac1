import { migrations } from '@posthorn/domain/schema';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { parseOutput, posthornProcessFor } from './posthorn.js';

describe('posthorn db migrate', () => {
  let ctx: Context;
  beforeEach(async () => {
    ctx = await openTestContext({ ownDatabase: 'it changes the schema' });
  });
  afterEach(() => closeTestContext(ctx));

  test('says that it waits for a lock, and goes on when it is free', async () => {
    await ctx.db.raw('drop schema public cascade; create schema public');
    const trx = await ctx.db.transaction();
    await trx.raw('set local idle_in_transaction_session_timeout = 0; select pg_advisory_xact_lock(7673784)');
    const running = posthornProcessFor(ctx)('db', 'migrate', '--json');
    const lockWaits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%7673784%'";
    const isWaiting = async () => (await ctx.db.raw(lockWaits)).rows.length > 0;
    // A command that fails ends the wait.
    await Promise.race([running, until(isWaiting).then(() => until(async () => !(await isWaiting())))]);
    await trx.rollback();
    const result = await running;
    expect(parseOutput(result)).toEqual({ applied: migrations.map(({ name }) => name) });
    expect(result.stderr).toMatch(
      /^(posthorn: Another transaction holds a lock that the table of migrations needs\. Trying again in 1 s\.\n)/,
    );
  });

  test('of a version that is too old for the database says so on one line', async () => {
    await ctx.db('migrations').insert({ name: '9999-drop', requires: '9998-unused' });
    expect(await posthornProcessFor(ctx)('db', 'migrate')).toMatchObject({
      code: 1,
      stderr:
        'posthorn: This version of Posthorn is too old for the database: migration 9999-drop has removed something that this version uses. Start a version that knows migration 9998-unused.\n',
    });
  });
});
