import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext, type TestContextOptions, untilWaiting } from '@posthorn/testing';
import type { CommitRequest } from '../../src/accepting/commit-request.js';
import { type CommitEmails, createGroupCommit } from '../../src/accepting/group-commit.js';
import { type AnnouncedEmail, type DeliveryJobs, openDeliveryJobs } from '../../src/delivery/delivery-jobs.js';
import { buildCommitRequest, openWorkspace, storedFor, withCaps } from './commit-requests.js';

let ctx: Context;
let deliveryJobs: DeliveryJobs;
let write: CommitEmails;

async function open(options: TestContextOptions = {}): Promise<void> {
  ctx = await openTestContext(options);
  deliveryJobs = openDeliveryJobs(ctx);
  write = createGroupCommit(ctx, deliveryJobs);
}

afterEach(async () => {
  await deliveryJobs.close();
  await closeTestContext(ctx);
});

type FourRequests = [CommitRequest, CommitRequest, CommitRequest, CommitRequest];

/** Commits requests together. @returns 'written', the stored response or the error code of each request */
async function commitAll(requests: readonly CommitRequest[]): Promise<string[]> {
  const settled = await Promise.allSettled(requests.map(write));
  return settled.map((result) =>
    result.status === 'fulfilled' ? (result.value.storedResponse ?? 'written') : result.reason.code,
  );
}

/** Counts inserts into usage with a sequence, which also counts those that are rolled back. */
async function countTries(): Promise<() => Promise<number>> {
  await ctx.db.raw(`
    create sequence tries;
    create function count_try() returns trigger language plpgsql as $$
    begin perform nextval('tries'); return null; end $$;
    create trigger count_try before insert on usage for each statement execute function count_try()`);
  return async () =>
    (await ctx.db.raw('select (case when is_called then last_value else 0 end)::int as n from tries')).rows[0].n;
}

function withSubject(request: CommitRequest, subject: string): CommitRequest {
  return { ...request, emails: [{ ...request.emails[0], subject }] };
}

describe('the group commit', () => {
  beforeEach(() => open());

  test('does not make a small email wait for a large one from another workspace', async () => {
    const [slow, other] = [await openWorkspace(ctx), await openWorkspace(ctx)];
    await write(buildCommitRequest(slow));
    const locking = await ctx.db.transaction();
    await locking('usage').where({ workspace_id: slow.id }).forUpdate();
    const small = buildCommitRequest(slow);
    const [email] = small.emails;
    const content = { kind: 'raw', subject: 'Large', html: null, text: 'x'.repeat(300_000) } as const;
    let isLargeDone = false;
    const large = write({ ...small, emails: [{ ...email, request: { ...email.request, content } }] }).finally(() => {
      isLargeDone = true;
    });
    await untilWaiting(ctx.db, 'Lock');
    await write(buildCommitRequest(other));
    expect(isLargeDone).toBe(false);
    await locking.rollback();
    await large;
  });

  test('decides on each request separately if the group cannot be written as a whole', async () => {
    const workspace = await openWorkspace(ctx, { daily: 4 });
    const other = await openWorkspace(ctx);
    const earlier = buildCommitRequest(workspace, { key: 'used' });
    await write(earlier);
    const twice = buildCommitRequest(other, { key: 'twice' });
    const results = await commitAll([
      buildCommitRequest(workspace, { sends: 2 }),
      buildCommitRequest(workspace, { key: 'used' }),
      buildCommitRequest(workspace, { key: 'used', request: 'another' }),
      buildCommitRequest(workspace, { sends: 2 }),
      buildCommitRequest(workspace),
      buildCommitRequest(workspace),
      twice,
      buildCommitRequest(other, { key: 'twice' }),
    ]);
    expect(results).toEqual([
      'written',
      earlier.response,
      'idempotency_key_reused',
      'daily_cap_exhausted',
      'written',
      'daily_cap_exhausted',
      'written',
      twice.response,
    ]);
    expect(await storedFor(ctx, workspace)).toMatchObject({ used: { '2026-11': 4, '2026-11-21': 4 }, emails: 3 });
    expect(await storedFor(ctx, other)).toMatchObject({ used: { '2026-11': 1 }, emails: 1 });
  });

  test('checks each request against the caps it came with', async () => {
    const workspace = await openWorkspace(ctx, { daily: 3 });
    const lowered = withCaps(workspace, { daily: 1 });
    expect(
      await commitAll([buildCommitRequest(workspace), buildCommitRequest(lowered), buildCommitRequest(workspace)]),
    ).toEqual(['written', 'daily_cap_exhausted', 'written']);
  });

  test('writes the emails of other workspaces while the usage rows of one are locked', async () => {
    const [locked, other] = [await openWorkspace(ctx), await openWorkspace(ctx)];
    await commitAll([buildCommitRequest(locked), buildCommitRequest(other)]);
    const locking = await ctx.db.transaction();
    await locking('usage').where({ workspace_id: locked.id }).forUpdate();
    expect(await commitAll([buildCommitRequest(locked), buildCommitRequest(other)])).toEqual(['55P03', 'written']);

    const order: string[] = [];
    const noteWhenDone = (workspace: typeof locked, name: string) =>
      commitAll([buildCommitRequest(workspace)]).then(([result]) => order.push(`${name} ${result}`));
    await Promise.all([noteWhenDone(locked, 'locked'), noteWhenDone(other, 'other')]);
    expect(order).toEqual(['other written', 'locked 55P03']);

    await locking.rollback();
    expect(await commitAll([buildCommitRequest(locked), buildCommitRequest(other)])).toEqual(['written', 'written']);
    expect(await storedFor(ctx, locked)).toMatchObject({ emails: 2, used: { '2026-11': 2 } });
    expect(await storedFor(ctx, other)).toMatchObject({ emails: 4, used: { '2026-11': 4 } });
  });

  test('writes the emails of other workspaces even if another process is waiting for the same locked rows', async () => {
    const [other, locked] = [await openWorkspace(ctx), await openWorkspace(ctx)];
    await commitAll([buildCommitRequest(other), buildCommitRequest(locked)]);
    const locking = await ctx.db.transaction();
    await locking('usage').where({ workspace_id: locked.id }).forUpdate();
    const writeInAnotherProcess = createGroupCommit(ctx, deliveryJobs);
    const here = Promise.allSettled([write(buildCommitRequest(other)), write(buildCommitRequest(locked))]);
    // Each group locks the rows of `other` first, because that workspace has the lower id.
    await untilWaiting(ctx.db, 'Lock');
    const there = Promise.allSettled([
      writeInAnotherProcess(buildCommitRequest(other)),
      writeInAnotherProcess(buildCommitRequest(locked)),
    ]);
    const results = [...(await here), ...(await there)];
    await locking.rollback();
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  });

  test('still accepts emails if the workspaces with locked usage rows outnumber the pool connections', async () => {
    const locked = await Promise.all(Array.from({ length: 20 }, () => openWorkspace(ctx)));
    const other = await openWorkspace(ctx);
    await commitAll([...locked, other].map((workspace) => buildCommitRequest(workspace)));
    const locking = await ctx.db.transaction();
    await locking('usage')
      .whereIn(
        'workspace_id',
        locked.map(({ id }) => id),
      )
      .forUpdate();
    const results = await commitAll([...locked, other].map((workspace) => buildCommitRequest(workspace)));
    await locking.rollback();
    expect(results).toEqual([...locked.map(() => '55P03'), 'written']);
  });

  test('never exceeds a cap or uses a key twice, even when two processes commit at the same time', async () => {
    const workspace = await openWorkspace(ctx, { daily: 25 });
    const another = createGroupCommit(ctx, deliveryJobs);
    const requests = Array.from({ length: 60 }, (_, i) => buildCommitRequest(workspace, { key: `key ${i % 40}` }));
    const settled = await Promise.allSettled(
      requests.map((request, i) => (i % 2 === 0 ? write(request) : another(request))),
    );
    const isWritten = (result: (typeof settled)[number]) =>
      result.status === 'fulfilled' && result.value.storedResponse === null;
    expect(settled.filter(isWritten)).toHaveLength(25);
    const { used, emails, responses } = await storedFor(ctx, workspace);
    expect({ used, emails }).toEqual({ used: { '2026-11': 25, '2026-11-21': 25 }, emails: 25 });
    expect(responses).toHaveLength(25);
  });

  test('rejects only the request that Postgres refuses, and writes the rest of the group', async () => {
    const workspace = await openWorkspace(ctx);
    const invalid = withSubject(buildCommitRequest(workspace), 'U+0000: \0');
    const [first, second, third] = await Promise.allSettled(
      [buildCommitRequest(workspace), invalid, buildCommitRequest(workspace)].map(write),
    );
    expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await storedFor(ctx, workspace)).toMatchObject({ used: { '2026-11': 2 }, emails: 2 });
  });
});

describe('the group commit', () => {
  beforeEach(() => open({ ownDatabase: 'it adds triggers' }));

  test('writes a group that stays within its caps in a single statement', async () => {
    const tries = await countTries();
    const workspace = await openWorkspace(ctx, { daily: 50, monthly: 50 });
    expect(await commitAll(Array.from({ length: 50 }, () => buildCommitRequest(workspace)))).toEqual(
      Array(50).fill('written'),
    );
    expect(await tries()).toBe(1);
  });

  test('does not attempt every write twice for a workspace that is over its cap', async () => {
    const workspace = await openWorkspace(ctx, { monthly: 0 });
    const tries = await countTries();
    const writes = 20;
    for (let i = 0; i < writes; i += 1) {
      await expect(write(buildCommitRequest(workspace))).rejects.toMatchObject({ code: 'monthly_cap_exceeded' });
    }
    // Every write takes one statement with the usage rows locked. Only some were first tried optimistically, which
    // takes another statement.
    expect(await tries()).toBeGreaterThan(writes);
    expect(await tries()).toBeLessThan(2 * writes);
  });

  test('accepts the requests that it wrote one by one before Postgres became unavailable', async () => {
    const workspace = await openWorkspace(ctx);
    const [stored, invalid, vanishing, untried] = Array.from({ length: 4 }, () =>
      buildCommitRequest(workspace),
    ) as FourRequests;
    await ctx.db.raw(`
      create function vanish() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger vanish before insert on emails for each row when (new.id = '${vanishing.emails[0].id}')
      execute function vanish()`);
    const announced: AnnouncedEmail[] = [];
    const commit = createGroupCommit(ctx, { ...deliveryJobs, announce: (emails) => announced.push(...emails) });
    const requests = [stored, withSubject(invalid, 'U+0000: \0'), vanishing, untried];
    const results = await Promise.allSettled(requests.map(commit));
    expect(results.map((result) => result.status === 'rejected' && isUnavailable(result.reason))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(await ctx.db('emails').pluck('id')).toEqual([stored.emails[0].id]);
    expect(announced).toEqual([[stored.emails[0].id, workspace.id]]);
  });
});
