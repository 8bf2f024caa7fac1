import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { parseOutput, posthornProcessFor } from './posthorn.js';

describe('posthorn db migrate', () => {
  let ctx: Context;
  beforeEach(async () => {
    ctx = await openTestContext({ ownDatabase: 'it changes the schema' });
  });
  afterEach(() => closeTestContext(ctx));

  test('says that it waits for a lock, and goes on when it is free', async () => {
    await ctx.db('migrations').where({ name: '0030-due-reports' }).delete();
    await ctx.db.raw('create index feedback_reports_due on feedback_reports (due_at)');
    await ctx.db.raw('drop index feedback_reports_due_by_address');
    const trx = await ctx.db.transaction();
    await trx.raw('set local idle_in_transaction_session_timeout = 0; select * from feedback_reports');
    const running = posthornProcessFor(ctx)('db', 'migrate', '--json');
    const lockWaits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%feedback_reports%'";
    const isWaiting = async () => (await ctx.db.raw(lockWaits)).rows.length > 0;
    // A command that fails ends the wait.
    await Promise.race([running, until(isWaiting).then(() => until(async () => !(await isWaiting())))]);
    await trx.rollback();
    const result = await running;
    expect(parseOutput(result)).toEqual({ applied: ['0030-due-reports'] });
    expect(result.stderr).toMatch(
      /^(posthorn: Another transaction holds a lock that 0030-due-reports needs\. Trying again in 1 s\.\n)/,
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
