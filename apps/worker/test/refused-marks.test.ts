import { setTimeout as sleep } from 'node:timers/promises';
import { markDueOrSetAside } from '../src/claiming/claim-emails.js';
import { copyEmail } from './copy-email.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';
import { allowChanges, refuseChanges } from './refuse-changes.js';
import { warningLog } from './warning-log.js';

let t: TestWorker;
let log: ReturnType<typeof warningLog>;

beforeEach(async () => {
  log = warningLog();
  t = await openTestWorker({ started: false, log });
});

afterEach(() => t.close());

const soon = () => ({ scheduledAt: new Date(Date.now() + 1_000) });

/** Makes Postgres refuse to mark this email as due. */
async function refuseMark(id: string): Promise<void> {
  await refuseChanges(t.ctx.db, 'update on deliveries', {
    condition: `new.email_id = '${id}' and new.is_due and not old.is_due`,
  });
}

describe('a scheduled email that Postgres refuses to mark as due', () => {
  test('is set aside with a log line, and the emails of all workspaces are sent', async () => {
    const refused = await t.accept(soon());
    const other = await t.otherWorkspace();
    const ids = [await t.accept(soon()), await other.accept(soon())];
    await refuseMark(refused);
    t.start();
    while (t.sink.messages.length < ids.length) await sleep(20);
    expect(log.warnings.find(({ event }) => event === 'email_not_marked_due')).toMatchObject({ emailId: refused });
    const row = await t.ctx.db('deliveries').where({ email_id: refused }).first();
    expect(row).toMatchObject({ is_due: false, attempt: 0 });
    expect(row.due_at.getTime()).toBeGreaterThan(Date.now());
    await allowChanges(t.ctx.db);
    await t.ctx
      .db('deliveries')
      .where({ email_id: refused })
      .update({ due_at: new Date(0) });
    await t.until(refused, 'sent');
  });

  test('is found by halving the batch, so that marking many others takes few statements', async () => {
    const refused = await t.accept({ scheduledAt: new Date(Date.now() + 60_000) });
    await copyEmail(t.ctx, refused, 255);
    await t.ctx.db('deliveries').update({ due_at: new Date(0) });
    await refuseMark(refused);
    await t.ctx.db.raw('create table marks (id serial)');
    await t.ctx.db.raw(`
      create function count_marks() returns trigger language plpgsql as $$
      begin insert into marks default values; return null; end $$;
      create trigger count_marks after update on deliveries for each statement execute function count_marks()`);
    expect(await markDueOrSetAside({ db: t.ctx.db, log }, 1_000)).toBe(256);
    // Each time the batch is split in half, one statement marks the half without the refused email. The last statement
    // sets that email aside.
    expect((await t.ctx.db('marks')).length).toBe(Math.log2(256) + 1);
    expect(await t.ctx.db('deliveries').where({ is_due: false })).toMatchObject([{ email_id: refused }]);
  });
});
