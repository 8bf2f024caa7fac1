import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { eraseNextBatch, findErasure, requestErasure } from '@posthorn/domain/erasure';
import { readStoredBytes } from '@posthorn/domain/plans';
import { expireCountedMail } from '@posthorn/domain/retention';
import { addSuppression, createSuppressedFinder } from '@posthorn/domain/suppressions';
import { createTestWorkspace, dumpPostgres, until } from '@posthorn/testing';
import { type Erasing, openErasing } from './open-erasing.js';

let t: Erasing;

beforeEach(async () => {
  t = await openErasing();
});

afterEach(() => t.close());

const used = async () => (await t.ctx.db('usage').where({ workspace_id: t.workspaceId }).pluck('used'))[0];

const readAddresses = async (id: string) =>
  (await t.read(id)).recipients.map(({ address, status }) => [address, status]);

const traces = async (text = 'jane@example.com') =>
  (await dumpPostgres(t.ctx)).filter((line) => line.toLowerCase().includes(text));

test('a finished email keeps its status, times and other recipients', async () => {
  const id = await t.accept({
    to: ['Jane <Jane@Example.com>', 'ann@example.com'],
    tags: [{ name: 'who', value: 'jane' }],
  });
  await t.finish(id);
  const before = await t.read(id);
  expect(await t.work(await t.request())).toMatchObject({ status: 'finished', erasedEmails: 1, waitingEmails: 0 });
  const email = await t.read(id);
  expect(email).toMatchObject({
    to: ['erased-1@erased.invalid', 'ann@example.com'],
    subject: '(erased)',
    tags: [],
    status: 'sent',
    createdAt: before.createdAt,
    contentRemoved: true,
    erasedAt: expect.any(Date),
  });
  expect(await readAddresses(id)).toEqual([
    ['erased-1@erased.invalid', 'sent'],
    ['ann@example.com', 'sent'],
  ]);
  expect(await traces('jane')).toEqual([]);
  expect(await used()).toBe(2);
});

test('the content of a large email does not count any more, and its email stays', async () => {
  const text = 'x'.repeat(150_000);
  const id = await t.accept({ content: { kind: 'raw', subject: 'Hi', html: null, text } });
  await t.finish(id);
  const before = await readStoredBytes(t.ctx.db, t.workspaceId);
  await t.work(await t.request());
  await expireCountedMail(t.ctx, new Date(Date.now() + 1_000), () => true);
  expect(await readStoredBytes(t.ctx.db, t.workspaceId)).toBeLessThan(before - 145_000);
  expect(await t.read(id)).toMatchObject({ status: 'sent', contentRemoved: true });
});

test('two recipients of one email can be erased one after the other', async () => {
  const id = await t.accept({ to: ['jane@example.com', 'ann@example.com'], cc: ['bob@example.com'] });
  await t.finish(id);
  await t.work(await t.request());
  expect(await t.work(await t.request('bob@example.com'))).toMatchObject({ status: 'finished', erasedEmails: 1 });
  expect((await readAddresses(id)).map(([address]) => address)).toEqual([
    'erased-1@erased.invalid',
    'ann@example.com',
    'erased-3@erased.invalid',
  ]);
});

test('an address that contains wildcards of SQL matches only itself', async () => {
  const [own, similar] = [await t.accept({ to: ['j_%@example.com'] }), await t.accept({ to: ['joe@example.com'] })];
  for (const id of [own, similar]) await t.finish(id);
  await t.work(await t.request('j_%@example.com'));
  expect((await t.read(own)).to).toEqual(['erased-1@erased.invalid']);
  expect((await t.read(similar)).to).toEqual(['joe@example.com']);
});

test('a suppressed address stays suppressed, but only its hash is kept', async () => {
  const suppression = { address: 'Jane@example.com', topic: null, detail: 'jane@example.com asked for it' };
  await addSuppression(t.ctx, operator, t.workspaceId, suppression);
  await t.work(await t.request());
  expect(await traces('jane')).toEqual([]);
  const query = { workspaceId: t.workspaceId, topic: null, addresses: ['jane@example.com', 'ann@example.com'] };
  const suppressed = await createSuppressedFinder(t.ctx)(query);
  expect([...suppressed]).toEqual([['jane@example.com', { reason: 'manual', isForAllWorkspaces: false }]]);
});

test('an address without email is finished in the same way', async () => {
  expect(await t.request()).toMatchObject({ status: 'pending' });
  expect(await t.work(await t.request())).toMatchObject({ status: 'finished', erasedEmails: 0 });
});

describe('an email that is not finished', () => {
  test('is canceled and refunded if it waits for the erased recipient alone', async () => {
    const ids = [await t.accept(), await t.accept({ scheduledAt: new Date(Date.now() + 3_600_000) })];
    expect(await used()).toBe(2);
    expect(await t.work(await t.request())).toMatchObject({ status: 'finished', erasedEmails: 2 });
    for (const id of ids) {
      expect(await t.read(id)).toMatchObject({ status: 'canceled', contentRemoved: true });
      expect(await readAddresses(id)).toEqual([['erased-1@erased.invalid', 'canceled']]);
      expect((await t.read(id)).events.at(-1)).toMatchObject({ type: 'canceled', recipient: null });
    }
    expect(await used()).toBe(0);
    expect(await t.ctx.db('deliveries')).toEqual([]);
  });

  test('goes on to its other recipients, and is erased after that', async () => {
    const id = await t.accept({ to: ['jane@example.com', 'ann@example.com'] });
    const erasure = await t.work(await t.request());
    expect(erasure).toMatchObject({ status: 'pending', erasedEmails: 0, waitingEmails: 1 });
    expect(await readAddresses(id)).toEqual([
      ['jane@example.com', 'canceled'],
      ['ann@example.com', 'queued'],
    ]);
    expect(await t.read(id)).toMatchObject({ status: 'queued', contentRemoved: false });
    expect(await used()).toBe(1);
    await t.work(erasure);
    expect(await used()).toBe(1);
    await t.finish(id);
    expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 1, waitingEmails: 0 });
    expect(await readAddresses(id)).toEqual([
      ['erased-1@erased.invalid', 'canceled'],
      ['ann@example.com', 'sent'],
    ]);
    const { events } = await t.read(id);
    expect(events.at(-1)).toMatchObject({ type: 'canceled', recipient: 'erased-1@erased.invalid' });
    expect(await traces()).toEqual([]);
  });

  test('is left alone while a worker sends it', async () => {
    const id = await t.accept();
    const lease = { lease_until: new Date(Date.now() + 60_000), claimed_at: new Date(), attempt: 1 };
    await t.ctx.db('deliveries').update(lease);
    const erasure = await t.work(await t.request());
    expect(erasure).toMatchObject({ status: 'pending', waitingEmails: 1 });
    expect(await t.read(id)).toMatchObject({ status: 'sending', contentRemoved: false });
    await t.finish(id);
    expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 1 });
    expect(await readAddresses(id)).toEqual([['erased-1@erased.invalid', 'sent']]);
  });

  test('fails and is not refunded if a mail server may already have it', async () => {
    const id = await t.accept();
    await t.ctx.db('deliveries').update({ ambiguous_attempts: 1, attempt: 1 });
    await t.ctx.db('emails').update({ status: 'deferred' });
    await t.ctx.db('email_recipients').update({ status: 'deferred' });
    expect(await t.work(await t.request())).toMatchObject({ status: 'finished', erasedEmails: 1 });
    expect((await t.read(id)).status).toBe('failed');
    expect(await readAddresses(id)).toEqual([['erased-1@erased.invalid', 'failed']]);
    expect(await used()).toBe(1);
  });

  test('is sent first if the address is only in its Reply-To', async () => {
    const id = await t.accept({ to: ['support@example.com'], replyTo: ['Jane <JANE@example.com>'] });
    const erasure = await t.work(await t.request());
    expect(erasure).toMatchObject({ status: 'pending', waitingEmails: 1 });
    expect(await readAddresses(id)).toEqual([['support@example.com', 'queued']]);
    await t.finish(id);
    expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 1 });
    expect(await t.read(id)).toMatchObject({ contentRemoved: true, to: ['support@example.com'] });
    expect(await traces()).toEqual([]);
  });
});

test('emails that are accepted later are not erased', async () => {
  const erasure = await t.request();
  const { below } = await t.ctx.db('erasures').first();
  const start = Number.parseInt(below.replace('-', '').slice(0, 12), 16);
  await until(() => Date.now() > start);
  const id = await t.accept();
  expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 0 });
  expect(await readAddresses(id)).toEqual([['jane@example.com', 'queued']]);
});

test('nothing is erased while a transaction that began earlier may still store an email', async () => {
  const trx = await t.ctx.db.transaction();
  await trx.raw('select pg_current_xact_id()');
  const erasure = await t.request();
  expect(await eraseNextBatch(t.ctx)).toBeNull();
  await trx.commit();
  expect(await t.work(erasure)).toMatchObject({ status: 'finished' });
});

test('workspaces take turns, however many erasures one of them has requested', async () => {
  const others = [await createTestWorkspace(t.ctx), await createTestWorkspace(t.ctx)].map((each) => each.workspaceId);
  for (let count = 0; count < 20; count += 1) await t.request(`a${count}@example.com`);
  for (const workspaceId of others) await requestErasure(t.ctx, operator, { workspaceId, address: 'jane@example.com' });
  const worked: string[] = [];
  let after: string | null = null;
  do {
    after = await eraseNextBatch(t.ctx, { after, lateResponseSeconds: 0 });
    if (after !== null) worked.push(after);
  } while (after !== null);
  const lastOfOthers = Math.max(...others.map((workspaceId) => worked.lastIndexOf(workspaceId)));
  const batchesOfOne = worked.filter((workspaceId) => workspaceId === others[0]).length;
  expect(batchesOfOne).toBeGreaterThan(1);
  expect(lastOfOthers).toBeLessThanOrEqual(3 * batchesOfOne);
  expect(worked.filter((workspaceId) => workspaceId === t.workspaceId)).toHaveLength(20 * batchesOfOne);
});

test('the same address in another workspace is untouched, and test mail is not', async () => {
  const other = (await createTestWorkspace(t.ctx)).workspaceId;
  await createKey(t.ctx, operator, t.workspaceId, {
    name: 'T',
    scopes: ['emails:send'],
    mode: 'test',
    expiresAt: null,
  });
  const { id: testId } = await t.ctx.db('workspaces').where({ test_of: t.workspaceId }).first();
  const [live, theirs, test] = [await t.accept(), await t.accept(), await t.accept()];
  for (const id of [live, theirs, test]) await t.finish(id);
  for (const [id, workspaceId] of [
    [theirs, other],
    [test, testId],
  ] as const) {
    await t.ctx.db('emails').where({ id }).update({ workspace_id: workspaceId });
    await t.ctx.db('email_recipients').where({ email_id: id }).update({ workspace_id: workspaceId });
  }
  expect(await t.work(await t.request())).toMatchObject({ status: 'finished', erasedEmails: 2 });
  const rows = await t.ctx.db('emails').select('id', 'subject').orderBy('id');
  expect(rows.map(({ id, subject }) => [id, subject])).toEqual([
    [live, '(erased)'],
    [theirs, 'Hello'],
    [test, '(erased)'],
  ]);
});

test('a batch that fails changes nothing, and is repeated without counting an email twice', async () => {
  const ids = [];
  for (let n = 0; n < 250; n += 1) ids.push(await t.accept());
  await t.ctx.db('deliveries').delete();
  const before = await traces();
  await t.ctx.db.raw(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before update on email_recipients for each row
      when (old.email_id = '${ids[180]}') execute function refuse();`);
  const erasure = await t.work(await t.request());
  expect(erasure).toMatchObject({ status: 'pending', erasedEmails: 100 });
  expect((await traces()).length).toBeLessThan(before.length);
  for (const [n, subject] of [
    [99, '(erased)'],
    [100, 'Hello'],
    [249, 'Hello'],
  ] as const)
    expect(await t.ctx.db('emails').where({ id: ids[n] }).pluck('subject')).toEqual([subject]);
  await t.ctx.db.raw('drop trigger refuse on email_recipients');
  expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 250 });
  expect(await traces()).toEqual([]);
  expect(await t.ctx.db('erasure_emails')).toEqual([]);
});

test('two processes share the work without counting an email twice', async () => {
  for (let n = 0; n < 250; n += 1) await t.accept();
  await t.ctx.db('deliveries').delete();
  const erasure = await t.request();
  await Promise.all([t.work(erasure), t.work(erasure)]);
  // One of the two may have found the erasure locked by the other, and stopped.
  const done = await t.work(erasure);
  expect(await traces()).toEqual([]);
  expect(done).toMatchObject({ status: 'finished', erasedEmails: 250 });
});

test('an erasure that cannot be decrypted does not hold up others', async () => {
  const id = await t.accept();
  await t.finish(id);
  const foreign = { ...t.ctx, config: { ...t.ctx.config, secretKey: 'another secret that is only good for tests' } };
  const unreadable = await requestErasure(foreign, operator, { workspaceId: t.workspaceId, address: 'x@example.com' });
  expect(await t.work(await t.request())).toMatchObject({ status: 'finished', erasedEmails: 1 });
  expect(await findErasure(t.ctx.db, t.workspaceId, unreadable.id)).toMatchObject({ status: 'pending' });
});
