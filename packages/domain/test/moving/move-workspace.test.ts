import { type Context, cancelMove, claimDueEmails, type MoveStep, moveWorkspace, readBacklog } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext, type TestWorkspace } from '@posthorn/testing';

let source: Context;
let target: Context;
let tenant: TestWorkspace;

beforeEach(async () => {
  const ownDatabase = 'a workspace moves from one database to another';
  [source, target] = [await openTestContext({ ownDatabase }), await openTestContext({ ownDatabase })];
  tenant = await createTestWorkspace(source);
});

afterEach(async () => {
  await closeTestContext(source);
  await closeTestContext(target);
});

const move = (options: { drainMs?: number; stopAfter?: MoveStep; to?: Context } = {}) =>
  moveWorkspace(
    { source: source.db, target: (options.to ?? target).db },
    {
      id: tenant.workspaceId,
      movedTo: 'https://two.example',
      graceMs: 0,
      drainMs: options.drainMs ?? 5_000,
      onStep(step) {
        if (step === options.stopAfter) throw new Error('killed');
      },
    },
  );

const stateIn = async ({ db }: Context) =>
  (await db('workspaces').where({ id: tenant.workspaceId }).first('move_state'))?.move_state;

async function insertWaitingEmail(leaseUntil: Date | null): Promise<string> {
  const id = '01980000-0000-7000-8000-000000000001';
  const workspace = { workspace_id: tenant.workspaceId };
  await source.db('emails').insert({
    ...workspace,
    ...{ id, status: 'queued', from_: 'a@example.com', from_address: 'a@example.com', subject: 'Hi' },
    ...{ to: ['b@example.com'], recipient_count: 1, created_at: new Date(), usage_day: '2026-11-27' },
  });
  const lease = leaseUntil && { lease_until: leaseUntil, claimed_at: new Date(), attempt: 1 };
  await source.db('deliveries').insert({ ...workspace, ...lease, email_id: id, due_at: new Date(), is_due: true });
  return id;
}

const claim = (ctx: Context) => claimDueEmails(ctx.db, { limit: 10, holders: [], onlyOthers: false }, 60);

test('only the target claims an email after the move, and neither database does in between', async () => {
  const id = await insertWaitingEmail(null);
  for (const stopAfter of ['held back', 'verified', 'switched'] as const) {
    await expect(move({ stopAfter })).rejects.toThrow('killed');
    expect([await claim(source), await claim(target)]).toEqual([[], []]);
  }
  await move();
  expect([await stateIn(source), await stateIn(target)]).toEqual(['moved', null]);
  expect(await readBacklog(source.db)).toMatchObject({ oldestDueSeconds: 0, emails: { queued: 0 } });
  expect(await claim(source)).toEqual([]);
  expect((await claim(target)).map((email) => email.id)).toEqual([id]);
  await move();
  expect((await target.db('deliveries').first('attempt')).attempt).toBe(1);
});

test('if a worker does not finish in time, the workspace stays', async () => {
  const id = await insertWaitingEmail(new Date(Date.now() + 60_000));
  await expect(move({ drainMs: 300 })).rejects.toThrow(/1 emails and 0 webhooks in hand.*The workspace continues here/);
  expect(await stateIn(source)).toBeNull();
  await source.db('deliveries').update({ lease_until: null, claimed_at: null, attempt: 0 });
  expect((await claim(source)).map((email) => email.id)).toEqual([id]);
});

test('if the workspace cannot be held back, it stays', async () => {
  const id = await insertWaitingEmail(null);
  await source.db.raw(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'The disk is full'; end $$;
    create trigger refuse before update on deliveries for each row when (new.needs > old.needs) execute function refuse()`);
  await expect(move()).rejects.toThrow('The disk is full');
  expect(await stateIn(source)).toBeNull();
  expect((await claim(source)).map((email) => email.id)).toEqual([id]);
});

test('a move that was interrupted can be canceled, and started again later', async () => {
  const id = await insertWaitingEmail(null);
  await expect(move({ stopAfter: 'verified' })).rejects.toThrow('killed');
  await cancelMove(source.db, tenant.workspaceId);
  await expect(cancelMove(source.db, tenant.workspaceId)).rejects.toThrow('This workspace is not being moved.');
  const [email] = await claim(source);
  expect(email?.id).toBe(id);
  await source.db('deliveries').update({ lease_until: null, claimed_at: null });
  await source.db('emails').update({ subject: 'Changed' });
  await source.db('memberships').delete();
  await move();
  expect((await target.db('emails').first('subject')).subject).toBe('Changed');
  expect(await target.db('memberships').where({ workspace_id: tenant.workspaceId })).toEqual([]);
});

test('a name that is taken in the target, or the same database, is refused before anything is copied', async () => {
  const other = await createTestWorkspace(target);
  await target.db('workspaces').where({ id: other.workspaceId }).update({ slug: tenant.slug });
  await expect(move()).rejects.toThrow(`The target already has the slug ${tenant.slug}.`);
  await expect(move({ to: source })).rejects.toThrow('Source and target are the same database.');
  expect(await stateIn(target)).toBeUndefined();
  expect(await stateIn(source)).toBeNull();
});
