import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import type { Entry } from '../../src/accepting/commit-request.js';
import { openLedger, type WriteLedger } from '../../src/accepting/group-commit.js';
import { isUnavailable } from '../../src/is-unavailable.js';
import { type Announced, type Bell, openBell } from '../../src/queue/delivery-jobs.js';
import { entryOf, ledgerOf, openWorkspace, withCaps } from './commit-requests.js';

let ctx: Context;
let bell: Bell;
let write: WriteLedger;

beforeEach(async () => {
  ctx = await openTestContext();
  bell = openBell(ctx);
  write = openLedger(ctx, bell);
});

afterEach(async () => {
  await bell.close();
  await closeTestContext(ctx);
});

type FourEntries = [Entry, Entry, Entry, Entry];

/** What became of entries that were handed in together, each as a word. */
async function writeAll(entries: readonly Entry[]): Promise<string[]> {
  const settled = await Promise.allSettled(entries.map(write));
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
    expect(await writeAll(Array.from({ length: 50 }, () => entryOf(workspace)))).toEqual(Array(50).fill('written'));
    expect(await tries()).toBe(1);
  });

  test('judges each entry of a group that cannot be written as a whole', async () => {
    const workspace = await openWorkspace(ctx, { daily: 4 });
    const other = await openWorkspace(ctx);
    const known = entryOf(workspace, { key: 'known' });
    await write(known);
    const twice = entryOf(other, { key: 'twice' });
    const fates = await writeAll([
      entryOf(workspace, { sends: 2 }),
      entryOf(workspace, { key: 'known' }),
      entryOf(workspace, { key: 'known', request: 'another' }),
      entryOf(workspace, { sends: 2 }),
      entryOf(workspace),
      entryOf(workspace),
      twice,
      entryOf(other, { key: 'twice' }),
    ]);
    expect(fates).toEqual([
      'written',
      known.answer,
      'idempotency_key_reused',
      'daily_cap_exhausted',
      'written',
      'daily_cap_exhausted',
      'written',
      twice.answer,
    ]);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ used: { '2026-11': 4, '2026-11-21': 4 }, emails: 3 });
    expect(await ledgerOf(ctx, other)).toMatchObject({ used: { '2026-11': 1 }, emails: 1 });
  });

  test('holds each entry to the caps that it came with', async () => {
    const workspace = await openWorkspace(ctx, { daily: 3 });
    const lowered = withCaps(workspace, { daily: 1 });
    expect(await writeAll([entryOf(workspace), entryOf(lowered), entryOf(workspace)])).toEqual([
      'written',
      'daily_cap_exhausted',
      'written',
    ]);
  });

  test('does not go on writing in vain for a workspace whose cap is spent', async () => {
    const workspace = await openWorkspace(ctx, { monthly: 0 });
    const tries = await countTries();
    const writes = 20;
    for (let i = 0; i < writes; i += 1) {
      await expect(write(entryOf(workspace))).rejects.toMatchObject({ code: 'monthly_cap_exceeded' });
    }
    // Each is judged with one statement; only some of them were tried before.
    expect(await tries()).toBeGreaterThan(writes);
    expect(await tries()).toBeLessThan(2 * writes);
  });

  test('of two processes neither passes a cap nor uses a key twice, though each tries and judges', async () => {
    const workspace = await openWorkspace(ctx, { daily: 25 });
    const another = openLedger(ctx, bell);
    const entries = Array.from({ length: 60 }, (_, i) => entryOf(workspace, { key: `key ${i % 40}` }));
    const settled = await Promise.allSettled(entries.map((entry, i) => (i % 2 === 0 ? write(entry) : another(entry))));
    const isWritten = (result: (typeof settled)[number]) =>
      result.status === 'fulfilled' && result.value.replay === null;
    expect(settled.filter(isWritten)).toHaveLength(25);
    const { used, emails, answers } = await ledgerOf(ctx, workspace);
    expect({ used, emails }).toEqual({ used: { '2026-11': 25, '2026-11-21': 25 }, emails: 25 });
    expect(answers).toHaveLength(25);
  });

  test('gives an entry that Postgres will not have its own error, and writes its neighbours', async () => {
    const workspace = await openWorkspace(ctx);
    const { email, ...rest } = entryOf(workspace);
    const odd = { ...rest, email: { ...email, subject: 'U+0000: \0' } };
    const [first, second, third] = await Promise.allSettled([entryOf(workspace), odd, entryOf(workspace)].map(write));
    expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledgerOf(ctx, workspace)).toMatchObject({ used: { '2026-11': 2 }, emails: 2 });
  });

  test('of a group that it writes one by one accepts what is stored before Postgres goes away', async () => {
    const workspace = await openWorkspace(ctx);
    const [stored, odd, vanishing, untried] = Array.from({ length: 4 }, () => entryOf(workspace)) as FourEntries;
    await ctx.db.raw(`
      create function vanish() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger vanish before insert on emails for each row when (new.id = '${vanishing.email.id}')
      execute function vanish()`);
    const rung: Announced[] = [];
    const listening = openLedger(ctx, { ...bell, ring: (mails) => rung.push(...mails) });
    const entries = [stored, { ...odd, email: { ...odd.email, subject: 'U+0000: \0' } }, vanishing, untried];
    const fates = await Promise.allSettled(entries.map(listening));
    expect(fates.map((fate) => fate.status === 'rejected' && isUnavailable(fate.reason))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(await ctx.db('emails').pluck('id')).toEqual([stored.email.id]);
    expect(rung).toEqual([[stored.email.id, workspace.id]]);
  });
});
