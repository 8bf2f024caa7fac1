import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { writeAtOnce } from '../../src/accepting/commit-optimistically.js';
import { insertWithinCaps } from '../../src/accepting/insert-emails-store.js';
import { isCommitted } from '../../src/accepting/is-committed.js';
import { inPipeline } from '../../src/database/pipeline.js';
import { isUnavailable } from '../../src/is-unavailable.js';
import { entryOf, ledgerOf, openWorkspace, withCaps } from './commit-requests.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

/** A write that waits for what is locked until its time is past: it stores nothing when it gets its turn. */
async function expectRefusedWhenLate(
  workspace: Awaited<ReturnType<typeof openWorkspace>>,
  locking: { rollback(): PromiseLike<unknown> },
  locktype: 'relation' | 'transactionid',
): Promise<void> {
  const lockBy = new Date(Date.now() + 1_000);
  const writing = inPipeline(ctx.db, (send) => insertWithinCaps(send, [entryOf(workspace)], lockBy));
  const refused = expect(writing).rejects.toMatchObject({ code: '23502', table: 'usage' });
  const waiting = () => ctx.db('pg_locks').where({ locktype, granted: false });
  while ((await waiting()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  while (Date.now() <= lockBy.getTime()) await new Promise((resolve) => setTimeout(resolve, 5));
  await locking.rollback();
  await refused;
}

const nothing = { used: {}, emails: 0, answers: [] };

describe('writeAtOnce', () => {
  test('stores and counts the entries of several workspaces and months together', async () => {
    const [ours, theirs] = [await openWorkspace(ctx), await openWorkspace(ctx, { monthly: 5, daily: 5 })];
    const before = new Date('2026-11-30T23:59:59.999Z');
    const after = new Date('2026-12-01T00:00:00.000Z');
    const entries = [
      entryOf(ours, { at: before, sends: 2 }),
      entryOf(theirs, { at: before, sends: 4 }),
      entryOf(ours, { at: after }),
      entryOf(theirs, { at: after, sends: 5 }),
      entryOf(ours, { at: before }),
    ];
    expect(await writeAtOnce(ctx.db, entries)).toBe(true);
    expect(await ledgerOf(ctx, ours)).toMatchObject({
      used: { '2026-11': 3, '2026-11-30': 3, '2026-12': 1, '2026-12-01': 1 },
      emails: 3,
    });
    expect(await ledgerOf(ctx, theirs)).toMatchObject({
      used: { '2026-11': 4, '2026-11-30': 4, '2026-12': 5, '2026-12-01': 5 },
      emails: 2,
    });
  });

  test('stores nothing that Postgres locks after everybody has given up on it', async () => {
    const workspace = await openWorkspace(ctx);
    const late = (at: number) =>
      inPipeline(ctx.db, (send) => insertWithinCaps(send, [entryOf(workspace)], new Date(at)));
    await expect(late(Date.now() - 60_000)).rejects.toMatchObject({ code: '23502', table: 'usage' });
    expect(await ledgerOf(ctx, workspace)).toEqual(nothing);
    await late(Date.now() + 60_000);
    await expect(late(Date.now() - 60_000)).rejects.toMatchObject({ code: '23502', table: 'usage' });
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ emails: 1 });
  });

  test('stores nothing once it has waited so long for a table that everybody has given up on it', async () => {
    const workspace = await openWorkspace(ctx);
    const locking = await ctx.db.transaction();
    await locking.raw('lock table email_contents in share mode');
    await expectRefusedWhenLate(workspace, locking, 'relation');
    expect(await ledgerOf(ctx, workspace)).toEqual(nothing);
  });

  test('stores nothing where it waited so long behind the counters of another', async () => {
    const workspace = await openWorkspace(ctx);
    await writeAtOnce(ctx.db, [entryOf(workspace)]);
    const locking = await ctx.db.transaction();
    await locking('usage').where({ workspace_id: workspace.id }).forUpdate();
    await expectRefusedWhenLate(workspace, locking, 'transactionid');
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ emails: 1, used: { '2026-11': 1 } });
  });

  test.each([{ monthly: 3 }, { daily: 3 }])('fills a cap to the last send and no further: %j', async (caps) => {
    const workspace = await openWorkspace(ctx, caps);
    expect(await writeAtOnce(ctx.db, [entryOf(workspace, { sends: 2 }), entryOf(workspace, { sends: 2 })])).toBe(false);
    expect(await ledgerOf(ctx, workspace)).toEqual(nothing);
    expect(await writeAtOnce(ctx.db, [entryOf(workspace), entryOf(workspace)])).toBe(true);
    expect(await writeAtOnce(ctx.db, [entryOf(workspace, { sends: 2 })])).toBe(false);
    expect(await writeAtOnce(ctx.db, [entryOf(workspace)])).toBe(true);
    expect(await writeAtOnce(ctx.db, [entryOf(workspace)])).toBe(false);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ used: { '2026-11': 3, '2026-11-21': 3 }, emails: 3 });
  });

  test('writes nothing for anybody where one workspace has no room', async () => {
    const [full, free] = [await openWorkspace(ctx, { daily: 0 }), await openWorkspace(ctx)];
    expect(await writeAtOnce(ctx.db, [entryOf(free, { key: 'a' }), entryOf(full)])).toBe(false);
    expect(await ledgerOf(ctx, free)).toEqual(nothing);
  });

  test('holds to the smallest of the caps that a workspace had while its entries came in', async () => {
    const workspace = await openWorkspace(ctx);
    const changed = withCaps(workspace, { daily: 1 });
    expect(await writeAtOnce(ctx.db, [entryOf(workspace), entryOf(changed)])).toBe(false);
    expect(await writeAtOnce(ctx.db, [entryOf(changed), entryOf(workspace)])).toBe(false);
    expect(await ledgerOf(ctx, workspace)).toEqual(nothing);
  });

  test('takes a key that is free or past its time, and no other', async () => {
    const workspace = await openWorkspace(ctx);
    const [first, second] = [entryOf(workspace, { key: 'a' }), entryOf(workspace, { key: 'a' })];
    expect(await writeAtOnce(ctx.db, [first])).toBe(true);
    expect(await writeAtOnce(ctx.db, [entryOf(workspace, { key: 'b' }), second])).toBe(false);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ emails: 1, answers: [first.answer] });
    await ctx.db('idempotency_keys').update({ expires_at: ctx.db.raw("now() - interval '1 second'") });
    expect(await writeAtOnce(ctx.db, [second])).toBe(true);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ emails: 2, answers: [second.answer] });
  });

  test('leaves a key that two entries bear to whoever can judge; of two workspaces it is two keys', async () => {
    const [ours, theirs] = [await openWorkspace(ctx), await openWorkspace(ctx)];
    expect(await writeAtOnce(ctx.db, [entryOf(ours, { key: 'a' }), entryOf(ours, { key: 'a' })])).toBe(false);
    expect(await ledgerOf(ctx, ours)).toEqual(nothing);
    expect(await writeAtOnce(ctx.db, [entryOf(ours, { key: 'a' }), entryOf(theirs, { key: 'a' })])).toBe(true);
  });

  test('passes no cap however many race, and stores whatever it said it stored', async () => {
    const workspace = await openWorkspace(ctx, { daily: 20 });
    const groups = Array.from({ length: 30 }, () => [entryOf(workspace), entryOf(workspace)]);
    const stored = await Promise.all(groups.map((group) => writeAtOnce(ctx.db, group)));
    expect(stored.filter(Boolean)).toHaveLength(10);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ used: { '2026-11': 20, '2026-11-21': 20 }, emails: 20 });
  });

  test('lets one of many that race for a key have it', async () => {
    const workspace = await openWorkspace(ctx);
    const groups = Array.from({ length: 20 }, () => [entryOf(workspace, { key: 'a' })]);
    const stored = await Promise.all(groups.map((group) => writeAtOnce(ctx.db, group)));
    const winner = groups[stored.indexOf(true)]?.[0];
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ emails: 1, answers: [winner?.answer] });
  });

  test('cannot deadlock, in whatever order groups name their workspaces', async () => {
    const workspaces = await Promise.all(Array.from({ length: 4 }, () => openWorkspace(ctx)));
    const groups = Array.from({ length: 40 }, (_, i) => {
      const entries = workspaces.map((workspace) => entryOf(workspace));
      return i % 2 === 0 ? entries : entries.reverse();
    });
    const stored = await Promise.all(groups.map((group) => writeAtOnce(ctx.db, group)));
    expect(stored).toEqual(groups.map(() => true));
    for (const workspace of workspaces) {
      expect(await ledgerOf(ctx, workspace)).toMatchObject({ used: { '2026-11': 40 }, emails: 40 });
    }
  });

  test('says that Postgres is away when its connection breaks before the commit, and stores nothing', async () => {
    const workspace = await openWorkspace(ctx);
    await ctx.db.raw(`
      create function vanish() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger vanish before insert on email_recipients for each row execute function vanish()`);
    const error = await writeAtOnce(ctx.db, [entryOf(workspace)]).catch((thrown) => thrown);
    expect(isUnavailable(error)).toBe(true);
    expect(await ledgerOf(ctx, workspace)).toEqual(nothing);
  });
});

describe('isCommitted', () => {
  test('tells what is stored from what is not', async () => {
    const workspace = await openWorkspace(ctx);
    const [stored, absent] = [[entryOf(workspace)], [entryOf(workspace)]];
    await writeAtOnce(ctx.db, stored);
    expect(await isCommitted(ctx.db, stored)).toBe(true);
    expect(await isCommitted(ctx.db, absent)).toBe(false);
  });

  test('waits for a backend that has counted and not committed yet', async () => {
    const workspace = await openWorkspace(ctx);
    const entries = [entryOf(workspace)];
    await ctx.db.raw(`
      create function dawdle() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); perform pg_sleep(0.5); return new; end $$;
      create trigger dawdle before insert on emails for each row execute function dawdle()`);
    const writing = writeAtOnce(ctx.db, entries);
    const dawdling = () => ctx.db('pg_locks').where({ locktype: 'advisory', granted: true });
    while ((await dawdling()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await isCommitted(ctx.db, entries)).toBe(true);
    expect(await writing).toBe(true);
  });
});
