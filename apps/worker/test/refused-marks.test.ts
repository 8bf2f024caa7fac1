import type { Log } from '@posthorn/domain';
import { markOrSplit } from '../src/mark-or-split.js';
import { copyEmail } from './copy-email.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let logged: Array<{ event: string; emailId?: string }>;
let log: Log;

beforeEach(async () => {
  logged = [];
  const ignore = () => {};
  const record = (fields: object, event: string) => void logged.push({ ...fields, event });
  log = { debug: ignore, info: ignore, warn: record, error: record };
  t = await openTestWorker({ started: false, log });
});

afterEach(() => t.close());

const soon = () => ({ scheduledAt: new Date(Date.now() + 1_000) });

/** Makes Postgres refuse to mark this email as due. */
async function refuseMark(id: string): Promise<void> {
  await t.ctx.db.raw(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception using errcode = '22003'; end $$;
    create trigger refuse before update on deliveries
      for each row when (new.email_id = '${id}' and new.is_due and not old.is_due) execute function refuse()`);
}

describe('a scheduled email that Postgres refuses to mark as due', () => {
  test('is set aside with a log line, and the emails of all workspaces are sent', async () => {
    const refused = await t.accept(soon());
    const other = await t.otherWorkspace();
    const ids = [await t.accept(soon()), await other.accept(soon())];
    await refuseMark(refused);
    t.start();
    while (t.sink.messages.length < ids.length) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(logged.find(({ event }) => event === 'email_not_marked_due')).toMatchObject({ emailId: refused });
    const row = await t.ctx.db('deliveries').where({ email_id: refused }).first();
    expect(row).toMatchObject({ is_due: false, attempt: 0 });
    expect(row.due_at.getTime()).toBeGreaterThan(Date.now());
    await t.ctx.db.raw('drop function refuse cascade');
    await t.ctx
      .db('deliveries')
      .where({ email_id: refused })
      .update({ due_at: new Date(0) });
    await t.until(refused, 'sent');
  });

  test('is found by halving, so that many others need few statements', async () => {
    const refused = await t.accept({ scheduledAt: new Date(Date.now() + 60_000) });
    await copyEmail(t.ctx, refused, 255);
    await t.ctx.db('deliveries').update({ due_at: new Date(0) });
    await refuseMark(refused);
    await t.ctx.db.raw('create table marks (id serial)');
    await t.ctx.db.raw(`
      create function count_marks() returns trigger language plpgsql as $$
      begin insert into marks default values; return null; end $$;
      create trigger count_marks after update on deliveries for each statement execute function count_marks()`);
    expect(await markOrSplit({ db: t.ctx.db, log }, 1_000)).toBe(256);
    // Each halving leaves one half that is marked, and the statement that sets the email aside comes last.
    expect((await t.ctx.db('marks')).length).toBe(Math.log2(256) + 1);
    expect(await t.ctx.db('deliveries').where({ is_due: false })).toMatchObject([{ email_id: refused }]);
  });
});
