import {
  acceptEmails,
  type Context,
  claimDueEmails,
  claimExpiredEmails,
  type Db,
  keyAuthenticator,
  markDueEmails,
  openAcceptContext,
  parseAddress,
  sendCallerOf,
} from '@posthorn/domain';
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

describe('claimExpiredEmails', () => {
  test('does not claim emails that the worker already holds', async () => {
    await workspaceWith({ due: 2 });
    const [mine, lost] = await claimDueEmails(ctx.db, { limit: 2, holders: [], onlyOthers: false }, 60);
    await ctx.db('deliveries').update({ lease_until: new Date(0) });
    const claimed = await claimExpiredEmails(ctx.db, { limit: 5, held: [mine?.id ?? ''] }, 60);
    expect(claimed.map(({ id }) => id)).toEqual([lost?.id]);
  });
});

/** Creates a workspace with emails that are due now or tomorrow. @returns the id of the workspace */
async function workspaceWith({ due = 0, tomorrow = 0 }): Promise<string> {
  const { workspaceId, key } = await createTestWorkspace(ctx);
  const caller = await keyAuthenticator(ctx)(key);
  if (!caller) throw new Error('The test key was not accepted');
  const accept = (scheduledAt: Date | null) =>
    acceptEmails(acceptCtx, {
      caller: sendCallerOf(caller),
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
  const emails = await claimDueEmails(ctx.db, { limit, holders, onlyOthers }, 60);
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

const countOf = (ids: string[], id: string) => ids.filter((other) => other === id).length;

describe('claimDueEmails', () => {
  test('gives each workspace with due emails an equal share', async () => {
    const [a, b] = [await workspaceWith({ due: 12 }), await workspaceWith({ due: 12 })];
    const claimed = await claim(10);
    expect([countOf(claimed, a), countOf(claimed, b)]).toEqual([5, 5]);
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
        expect(await claimDueEmails(trx, { limit: 10, holders: [], onlyOthers: false }, 60)).toEqual([]);
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
