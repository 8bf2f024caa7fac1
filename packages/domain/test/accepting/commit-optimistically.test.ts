import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { inPipeline, isUnavailable } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext, untilWaiting } from '@posthorn/testing';
import { commitOptimistically, isCommitted } from '../../src/accepting/commit-transaction.js';
import { encodeRows, insertWithinCaps } from '../../src/accepting/insert-emails-store.js';
import { buildCommitRequest, openWorkspace, storedFor, withCaps } from './commit-requests.js';

let ctx: Context;

afterEach(() => closeTestContext(ctx));

/** Expects a write to be refused if it gets its lock only after its deadline. */
async function expectRefusedWhenLate(
  workspace: Awaited<ReturnType<typeof openWorkspace>>,
  locking: { rollback(): PromiseLike<unknown> },
): Promise<void> {
  const lockBy = new Date(Date.now() + 1_000);
  const rows = await encodeRows([buildCommitRequest(workspace)], { withCaps: true });
  const writing = inPipeline(ctx.db, (send) => insertWithinCaps(send, rows, { lockBy, lockTimeoutMs: 10_000 }));
  const refused = expect(writing).rejects.toMatchObject({ code: '23502', table: 'usage' });
  await untilWaiting(ctx.db, 'Lock');
  while (Date.now() <= lockBy.getTime()) await sleep(5);
  await locking.rollback();
  await refused;
}

const withTriggers = () => openTestContext({ ownDatabase: 'it adds triggers' });

const nothing = { used: {}, emails: 0, responses: [] };

describe('commitOptimistically', () => {
  beforeEach(async () => {
    ctx = await openTestContext();
  });

  test('stores and counts requests from several workspaces and months together', async () => {
    const [ours, theirs] = [await openWorkspace(ctx), await openWorkspace(ctx, { monthly: 5, daily: 5 })];
    const before = new Date('2026-11-30T23:59:59.999Z');
    const after = new Date('2026-12-01T00:00:00.000Z');
    const requests = [
      buildCommitRequest(ours, { at: before, sends: 2 }),
      buildCommitRequest(theirs, { at: before, sends: 4 }),
      buildCommitRequest(ours, { at: after }),
      buildCommitRequest(theirs, { at: after, sends: 5 }),
      buildCommitRequest(ours, { at: before }),
    ];
    expect(await commitOptimistically(ctx.db, requests)).toBe(true);
    expect(await storedFor(ctx, ours)).toMatchObject({
      used: { '2026-11': 3, '2026-11-30': 3, '2026-12': 1, '2026-12-01': 1 },
      emails: 3,
    });
    expect(await storedFor(ctx, theirs)).toMatchObject({
      used: { '2026-11': 4, '2026-11-30': 4, '2026-12': 5, '2026-12-01': 5 },
      emails: 2,
    });
  });

  test('stores nothing if Postgres locks the usage rows after the deadline', async () => {
    const workspace = await openWorkspace(ctx);
    const late = async (at: number) => {
      const rows = await encodeRows([buildCommitRequest(workspace)], { withCaps: true });
      return inPipeline(ctx.db, (send) =>
        insertWithinCaps(send, rows, { lockBy: new Date(at), lockTimeoutMs: 10_000 }),
      );
    };
    await expect(late(Date.now() - 60_000)).rejects.toMatchObject({ code: '23502', table: 'usage' });
    expect(await storedFor(ctx, workspace)).toEqual(nothing);
    await late(Date.now() + 60_000);
    await expect(late(Date.now() - 60_000)).rejects.toMatchObject({ code: '23502', table: 'usage' });
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 1 });
  });

  test('stores nothing if it waits too long for a table lock', async () => {
    const workspace = await openWorkspace(ctx);
    const locking = await ctx.db.transaction();
    await locking.raw('lock table email_contents in share mode');
    await expectRefusedWhenLate(workspace, locking);
    expect(await storedFor(ctx, workspace)).toEqual(nothing);
  });

  test('stores nothing if it waits too long for usage rows that another transaction has locked', async () => {
    const workspace = await openWorkspace(ctx);
    await commitOptimistically(ctx.db, [buildCommitRequest(workspace)]);
    const locking = await ctx.db.transaction();
    await locking('usage').where({ workspace_id: workspace.id }).forUpdate();
    await expectRefusedWhenLate(workspace, locking);
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 1, used: { '2026-11': 1 } });
  });

  test.each([{ monthly: 3 }, { daily: 3 }])('stores sends up to the cap and no more: %j', async (caps) => {
    const workspace = await openWorkspace(ctx, caps);
    expect(
      await commitOptimistically(ctx.db, [
        buildCommitRequest(workspace, { sends: 2 }),
        buildCommitRequest(workspace, { sends: 2 }),
      ]),
    ).toBe(false);
    expect(await storedFor(ctx, workspace)).toEqual(nothing);
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace), buildCommitRequest(workspace)])).toBe(
      true,
    );
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace, { sends: 2 })])).toBe(false);
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace)])).toBe(true);
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace)])).toBe(false);
    expect(await storedFor(ctx, workspace)).toMatchObject({ used: { '2026-11': 3, '2026-11-21': 3 }, emails: 3 });
  });

  test('writes nothing for any workspace if one of them is over its cap', async () => {
    const [full, free] = [await openWorkspace(ctx, { daily: 0 }), await openWorkspace(ctx)];
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(free, { key: 'a' }), buildCommitRequest(full)])).toBe(
      false,
    );
    expect(await storedFor(ctx, free)).toEqual(nothing);
  });

  test('applies the lowest cap if the caps of a workspace changed between requests', async () => {
    const workspace = await openWorkspace(ctx);
    const changed = withCaps(workspace, { daily: 1 });
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace), buildCommitRequest(changed)])).toBe(
      false,
    );
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(changed), buildCommitRequest(workspace)])).toBe(
      false,
    );
    expect(await storedFor(ctx, workspace)).toEqual(nothing);
  });

  test('uses an idempotency key only if it is unused or expired', async () => {
    const workspace = await openWorkspace(ctx);
    const [first, second] = [buildCommitRequest(workspace, { key: 'a' }), buildCommitRequest(workspace, { key: 'a' })];
    expect(await commitOptimistically(ctx.db, [first])).toBe(true);
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace, { key: 'b' }), second])).toBe(false);
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 1, responses: [first.response] });
    await ctx
      .db('idempotency_keys')
      .where({ workspace_id: workspace.id })
      .update({ expires_at: ctx.db.raw("now() - interval '1 second'") });
    expect(await commitOptimistically(ctx.db, [second])).toBe(true);
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 2, responses: [second.response] });
  });

  test('refuses a group that contains the same key twice, unless the keys belong to different workspaces', async () => {
    const [ours, theirs] = [await openWorkspace(ctx), await openWorkspace(ctx)];
    expect(
      await commitOptimistically(ctx.db, [
        buildCommitRequest(ours, { key: 'a' }),
        buildCommitRequest(ours, { key: 'a' }),
      ]),
    ).toBe(false);
    expect(await storedFor(ctx, ours)).toEqual(nothing);
    expect(
      await commitOptimistically(ctx.db, [
        buildCommitRequest(ours, { key: 'a' }),
        buildCommitRequest(theirs, { key: 'a' }),
      ]),
    ).toBe(true);
  });

  test('never exceeds a cap under concurrency, and stores exactly what it reports as stored', async () => {
    const workspace = await openWorkspace(ctx, { daily: 20 });
    const groups = Array.from({ length: 30 }, () => [buildCommitRequest(workspace), buildCommitRequest(workspace)]);
    const stored = await Promise.all(groups.map((group) => commitOptimistically(ctx.db, group)));
    expect(stored.filter(Boolean)).toHaveLength(10);
    expect(await storedFor(ctx, workspace)).toMatchObject({ used: { '2026-11': 20, '2026-11-21': 20 }, emails: 20 });
  });

  test('lets only one of many concurrent requests use a key', async () => {
    const workspace = await openWorkspace(ctx);
    const groups = Array.from({ length: 20 }, () => [buildCommitRequest(workspace, { key: 'a' })]);
    const stored = await Promise.all(groups.map((group) => commitOptimistically(ctx.db, group)));
    const winner = groups[stored.indexOf(true)]?.[0];
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 1, responses: [winner?.response] });
  });

  test('cannot deadlock, whatever the order of the workspaces in a group', async () => {
    const workspaces = await Promise.all(Array.from({ length: 4 }, () => openWorkspace(ctx)));
    const groups = Array.from({ length: 40 }, (_, i) => {
      const requests = workspaces.map((workspace) => buildCommitRequest(workspace));
      return i % 2 === 0 ? requests : requests.reverse();
    });
    const stored = await Promise.all(groups.map((group) => commitOptimistically(ctx.db, group)));
    expect(stored).toEqual(groups.map(() => true));
    for (const workspace of workspaces) {
      expect(await storedFor(ctx, workspace)).toMatchObject({ used: { '2026-11': 40 }, emails: 40 });
    }
  });
});

describe('commitOptimistically', () => {
  beforeEach(async () => {
    ctx = await withTriggers();
  });

  test('reports Postgres as unavailable if the connection breaks before the commit, and stores nothing', async () => {
    const workspace = await openWorkspace(ctx);
    await ctx.db.raw(`
      create function vanish() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger vanish before insert on email_recipients for each row execute function vanish()`);
    const error = await commitOptimistically(ctx.db, [buildCommitRequest(workspace)]).catch((thrown) => thrown);
    expect(isUnavailable(error)).toBe(true);
    expect(await storedFor(ctx, workspace)).toEqual(nothing);
  });
});

describe('isCommitted', () => {
  beforeEach(async () => {
    ctx = await withTriggers();
  });

  test('distinguishes stored requests from those that were not stored', async () => {
    const workspace = await openWorkspace(ctx);
    const [stored, absent] = [[buildCommitRequest(workspace)], [buildCommitRequest(workspace)]];
    await commitOptimistically(ctx.db, stored);
    expect(await isCommitted(ctx.db, stored)).toBe(true);
    expect(await isCommitted(ctx.db, absent)).toBe(false);
  });

  test('waits for a backend that has counted the sends but not yet committed', async () => {
    const workspace = await openWorkspace(ctx);
    const requests = [buildCommitRequest(workspace)];
    await ctx.db.raw(`
      create function slow_down() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); perform pg_sleep(0.5); return new; end $$;
      create trigger slow_down before insert on emails for each row execute function slow_down()`);
    const writing = commitOptimistically(ctx.db, requests);
    await untilWaiting(ctx.db, 'PgSleep');
    expect(await isCommitted(ctx.db, requests)).toBe(true);
    expect(await writing).toBe(true);
  });
});
