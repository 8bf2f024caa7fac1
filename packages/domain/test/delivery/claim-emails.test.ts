import { acceptEmails, openAcceptContext } from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import {
  claimEmails,
  markDueEmails,
  selectDueEmails,
  selectExpiredEmails,
  selectLateEmails,
} from '@posthorn/domain/delivery';
import { parseAddress } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import type { Db } from '@posthorn/platform/postgres';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

let ctx: Context;
let acceptCtx: ReturnType<typeof openAcceptContext>;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it claims the due emails of all workspaces' });
  acceptCtx = openAcceptContext(ctx);
});

afterEach(async () => {
  await acceptCtx.close();
  await closeTestContext(ctx);
});

describe('selectExpiredEmails', () => {
  test('does not claim emails that the worker already holds', async () => {
    await workspaceWith({ due: 2 });
    const [mine, lost] = await selectDueEmails(ctx.db, { limit: 2, holders: [], onlyOthers: false }, 60).claimMany();
    await ctx.db('deliveries').update({ lease_until: new Date(0) });
    const claimed = await selectExpiredEmails(ctx.db, { limit: 5, held: [mine?.id ?? ''] }, 60).claimMany();
    expect(claimed.map(({ id }) => id)).toEqual([lost?.id]);
  });
});

const HOUR_MS = 3_600_000;
const DUE = { limit: 5, holders: [], onlyOthers: false };
const LEASE_HAS_EXPIRED = { attempt: 1, claimed_at: new Date(0), lease_until: new Date(0) };
const IS_PAST_SEND_BEFORE = { send_before: new Date(0) };
const WAS_NEVER_TRIED = { due_at: new Date(Date.now() - 80 * HOUR_MS) };

describe('an email that needs something that this version does not know is left to a newer worker', () => {
  test.each<[string, object, (id: string) => Promise<readonly unknown[]>]>([
    ['if a job names it', {}, (id) => claimEmails(ctx.db, [id], 60)],
    ['if it is due', {}, () => selectDueEmails(ctx.db, DUE, 60).claimMany()],
    ['if it is due, on its own', {}, (id) => selectDueEmails(ctx.db, DUE, 60).claimByIds([id])],
    ['if it would probe a relay', {}, () => selectDueEmails(ctx.db, { ...DUE, isProbe: true }, 60).claimMany()],
    [
      'if its lease has expired',
      LEASE_HAS_EXPIRED,
      () => selectExpiredEmails(ctx.db, { limit: 5, held: [] }, 60).claimMany(),
    ],
    [
      'if its lease has expired, on its own',
      LEASE_HAS_EXPIRED,
      (id) => selectExpiredEmails(ctx.db, { limit: 5, held: [] }, 60).claimByIds([id]),
    ],
    ['if it is late', IS_PAST_SEND_BEFORE, () => selectLateEmails(ctx.db, 'past_send_before', 5, 60).claimMany()],
    [
      'if it is late, on its own',
      IS_PAST_SEND_BEFORE,
      (id) => selectLateEmails(ctx.db, 'past_send_before', 5, 60).claimByIds([id]),
    ],
    ['if it was never tried', WAS_NEVER_TRIED, () => selectLateEmails(ctx.db, 'never_tried', 5, 60).claimMany()],
    [
      'if it was never tried, on its own',
      WAS_NEVER_TRIED,
      (id) => selectLateEmails(ctx.db, 'past_send_before', 5, 60).claimByIds([id]),
    ],
  ])('%s', async (_, state, claimIt) => {
    await workspaceWith({ due: 1 });
    const [{ email_id: id }] = await ctx
      .db('deliveries')
      .update({ ...state, needs: 0x4000 })
      .returning('email_id');
    expect(await claimIt(id)).toEqual([]);
    await ctx.db('deliveries').update({ needs: 0 });
    expect(await claimIt(id)).toMatchObject([{ id }]);
  });
});

/** Creates a workspace with emails that are due now or tomorrow. @returns the id of the workspace */
async function workspaceWith({ due = 0, tomorrow = 0 }): Promise<string> {
  const { workspaceId, key } = await createTestWorkspace(ctx);
  const caller = await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key);
  if (!caller) throw new Error('The test key was not accepted');
  const accept = (scheduledAt: Date | null) =>
    acceptEmails(acceptCtx, {
      caller: toSendCaller(caller),
      requests: [requestAt(scheduledAt)],
      idempotencyKey: null,
      toResponse: ([{ id }]) => id,
    });
  const inADay = new Date(Date.now() + 86_400_000);
  await Promise.all(Array.from({ length: due + tomorrow }, (_, i) => accept(i < due ? null : inADay)));
  return workspaceId;
}

const requestAt = (scheduledAt: Date | null) => ({
  to: [parseAddress('jane@example.com')],
  cc: [],
  bcc: [],
  replyTo: [],
  from: null,
  domainId: null,
  content: { kind: 'raw' as const, subject: 'Hello', html: null, text: 'Hi' },
  headers: {},
  tags: [],
  scheduledAt,
});

async function claim(limit: number, { holders = [] as string[], onlyOthers = false } = {}): Promise<string[]> {
  const emails = await selectDueEmails(ctx.db, { limit, holders, onlyOthers }, 60).claimMany();
  return emails.map(({ workspaceId }) => workspaceId);
}

/** Adds up the index scans of the queue in this transaction and the entries that they returned. */
async function countReads(trx: Db): Promise<number> {
  const { rows } = await trx.raw(
    `select sum(pg_stat_get_xact_numscans(indexrelid) + pg_stat_get_xact_tuples_returned(indexrelid))::int as reads
     from pg_index where indrelid = 'deliveries'::regclass`,
  );
  return rows[0].reads;
}

const countId = (ids: string[], id: string) => ids.filter((other) => other === id).length;

describe('selectDueEmails', () => {
  test('gives each workspace with due emails an equal share', async () => {
    const [a, b] = [await workspaceWith({ due: 12 }), await workspaceWith({ due: 12 })];
    const claimed = await claim(10);
    expect([countId(claimed, a), countId(claimed, b)]).toEqual([5, 5]);
  });

  test('reserves nothing for workspaces whose emails are due later', async () => {
    const a = await workspaceWith({ due: 12 });
    for (let i = 0; i < 5; i += 1) await workspaceWith({ tomorrow: 2 });
    expect(await claim(10)).toEqual(Array(10).fill(a));
  });

  test('reads no queue entries of workspaces whose emails are due later', async () => {
    const readsWith = async (idleWorkspaces: number) => {
      await ctx.db.raw(
        `insert into deliveries (email_id, workspace_id, due_at, is_due)
         select gen_random_uuid(), gen_random_uuid(), now() + interval '1 day', false from generate_series(1, ?)`,
        [idleWorkspaces],
      );
      return ctx.db.transaction(async (trx) => {
        const before = await countReads(trx);
        expect(await markDueEmails(trx, 100)).toBe(0);
        expect(await selectDueEmails(trx, { limit: 10, holders: [], onlyOthers: false }, 60).claimMany()).toEqual([]);
        return (await countReads(trx)) - before;
      });
    };
    expect(await readsWith(2_000)).toBe(await readsWith(1));
  });

  test('gives priority to workspaces that have no email on this worker', async () => {
    const [a, b, c] = [
      await workspaceWith({ due: 9 }),
      await workspaceWith({ due: 9 }),
      await workspaceWith({ due: 1 }),
    ];
    expect(await claim(1, { holders: [a, b] })).toEqual([c]);
  });

  test('if onlyOthers is set, claims one email per workspace that has none on this worker', async () => {
    const [a, b] = [await workspaceWith({ due: 9 }), await workspaceWith({ due: 9 })];
    expect(await claim(4, { holders: [a], onlyOthers: true })).toEqual([b]);
    expect(await claim(4, { holders: [a, b], onlyOthers: true })).toEqual([]);
  });
});
