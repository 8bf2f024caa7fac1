import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import type { CommitRequest } from '../../src/accepting/commit-request.js';
import { type CommitEmail, openGroupCommit } from '../../src/accepting/group-commit.js';
import { isUnavailable } from '../../src/is-unavailable.js';
import { type AnnouncedEmail, type DeliveryJobs, openDeliveryJobs } from '../../src/queue/delivery-jobs.js';
import { commitRequestOf, openWorkspace, storedFor, withCaps } from './commit-requests.js';

let ctx: Context;
let deliveryJobs: DeliveryJobs;
let write: CommitEmail;

beforeEach(async () => {
  ctx = await openTestContext();
  deliveryJobs = openDeliveryJobs(ctx);
  write = openGroupCommit(ctx, deliveryJobs);
});

afterEach(async () => {
  await deliveryJobs.close();
  await closeTestContext(ctx);
});

type FourRequests = [CommitRequest, CommitRequest, CommitRequest, CommitRequest];

/** What became of entries that were handed in together, each as a word. */
async function commitAll(requests: readonly CommitRequest[]): Promise<string[]> {
  const settled = await Promise.allSettled(requests.map(write));
  return settled.map((result) =>
    result.status === 'fulfilled' ? (result.value.replay ?? 'written') : result.reason.code,
  );
}

/** Counts statements on usage, also those that were rolled back: sequences are not. */
async function countTries(): Promise<() => Promise<number>> {
  await ctx.db.raw(`
    create sequence tries;
    create function count_try() returns trigger language plpgsql as $$
    begin perform nextval('tries'); return null; end $$;
    create trigger count_try before insert on usage for each statement execute function count_try()`);
  return async () =>
    (await ctx.db.raw('select (case when is_called then last_value else 0 end)::int as n from tries')).rows[0].n;
}

describe('the ledger', () => {
  test('writes a group that may be written with one statement', async () => {
    const tries = await countTries();
    const workspace = await openWorkspace(ctx, { daily: 50, monthly: 50 });
    expect(await commitAll(Array.from({ length: 50 }, () => commitRequestOf(workspace)))).toEqual(
      Array(50).fill('written'),
    );
    expect(await tries()).toBe(1);
  });

  test('judges each entry of a group that cannot be written as a whole', async () => {
    const workspace = await openWorkspace(ctx, { daily: 4 });
    const other = await openWorkspace(ctx);
    const known = commitRequestOf(workspace, { key: 'known' });
    await write(known);
    const twice = commitRequestOf(other, { key: 'twice' });
    const results = await commitAll([
      commitRequestOf(workspace, { sends: 2 }),
      commitRequestOf(workspace, { key: 'known' }),
      commitRequestOf(workspace, { key: 'known', request: 'another' }),
      commitRequestOf(workspace, { sends: 2 }),
      commitRequestOf(workspace),
      commitRequestOf(workspace),
      twice,
      commitRequestOf(other, { key: 'twice' }),
    ]);
    expect(results).toEqual([
      'written',
      known.response,
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

  test('holds each entry to the caps that it came with', async () => {
    const workspace = await openWorkspace(ctx, { daily: 3 });
    const lowered = withCaps(workspace, { daily: 1 });
    expect(await commitAll([commitRequestOf(workspace), commitRequestOf(lowered), commitRequestOf(workspace)])).toEqual(
      ['written', 'daily_cap_exhausted', 'written'],
    );
  });

  test('does not go on writing in vain for a workspace whose cap is spent', async () => {
    const workspace = await openWorkspace(ctx, { monthly: 0 });
    const tries = await countTries();
    const writes = 20;
    for (let i = 0; i < writes; i += 1) {
      await expect(write(commitRequestOf(workspace))).rejects.toMatchObject({ code: 'monthly_cap_exceeded' });
    }
    // Each is judged with one statement; only some of them were tried before.
    expect(await tries()).toBeGreaterThan(writes);
    expect(await tries()).toBeLessThan(2 * writes);
  });

  test('of two processes neither passes a cap nor uses a key twice, though each tries and judges', async () => {
    const workspace = await openWorkspace(ctx, { daily: 25 });
    const another = openGroupCommit(ctx, deliveryJobs);
    const requests = Array.from({ length: 60 }, (_, i) => commitRequestOf(workspace, { key: `key ${i % 40}` }));
    const settled = await Promise.allSettled(
      requests.map((request, i) => (i % 2 === 0 ? write(request) : another(request))),
    );
    const isWritten = (result: (typeof settled)[number]) =>
      result.status === 'fulfilled' && result.value.replay === null;
    expect(settled.filter(isWritten)).toHaveLength(25);
    const { used, emails, responses } = await storedFor(ctx, workspace);
    expect({ used, emails }).toEqual({ used: { '2026-11': 25, '2026-11-21': 25 }, emails: 25 });
    expect(responses).toHaveLength(25);
  });

  test('gives an entry that Postgres will not have its own error, and writes its neighbours', async () => {
    const workspace = await openWorkspace(ctx);
    const { email, ...rest } = commitRequestOf(workspace);
    const odd = { ...rest, email: { ...email, subject: 'U+0000: \0' } };
    const [first, second, third] = await Promise.allSettled(
      [commitRequestOf(workspace), odd, commitRequestOf(workspace)].map(write),
    );
    expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await storedFor(ctx, workspace)).toMatchObject({ used: { '2026-11': 2 }, emails: 2 });
  });

  test('of a group that it writes one by one accepts what is stored before Postgres goes away', async () => {
    const workspace = await openWorkspace(ctx);
    const [stored, odd, vanishing, untried] = Array.from({ length: 4 }, () =>
      commitRequestOf(workspace),
    ) as FourRequests;
    await ctx.db.raw(`
      create function vanish() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger vanish before insert on emails for each row when (new.id = '${vanishing.email.id}')
      execute function vanish()`);
    const announced: AnnouncedEmail[] = [];
    const listening = openGroupCommit(ctx, { ...deliveryJobs, announce: (mails) => announced.push(...mails) });
    const requests = [stored, { ...odd, email: { ...odd.email, subject: 'U+0000: \0' } }, vanishing, untried];
    const results = await Promise.allSettled(requests.map(listening));
    expect(results.map((result) => result.status === 'rejected' && isUnavailable(result.reason))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(await ctx.db('emails').pluck('id')).toEqual([stored.email.id]);
    expect(announced).toEqual([[stored.email.id, workspace.id]]);
  });
});
