import { createKey } from '@posthorn/domain/api-keys';
import { deleteUnusedAttachments } from '@posthorn/domain/attachments';
import { operator } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import { readStoredBytes } from '@posthorn/domain/plans';
import { deleteOldRows, expireCountedMail } from '@posthorn/domain/retention';
import { eraseSuppressedAddress, insertSuppressions } from '@posthorn/domain/suppressions';
import { purgeDeletedTemplates } from '@posthorn/domain/templates';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { DAY_MS, HOUR_MS } from '@posthorn/platform/values';
import { signUp, verify } from '../accounts/sign-up-client.js';
import { setLimits } from '../emails/usage.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let testKey: { Authorization: string };

beforeEach(async () => {
  t = await openTestApi();
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { rate: 10_000 });
  const fields = { name: 'Test', scopes: ['emails:send' as const], mode: 'test' as const, expiresAt: null };
  testKey = { Authorization: `Bearer ${(await createKey(t.ctx, operator, t.workspace.id, fields)).text}` };
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const base64 = (byte: number, size: number) => Buffer.alloc(size, byte).toString('base64');

const send = (body: object, auth: Record<string, string> = t.auth) => t.api.post('/api/v1/emails').set(auth).send(body);
const withFile = (byte: number, size: number) => ({
  ...email,
  attachments: [{ filename: 'a.bin', content: base64(byte, size) }],
});
const withText = (size: number) => ({ ...email, text: 'x'.repeat(size) });
const template = (size: number) => ({ name: 'T', subject: 'S', html_body: 'x'.repeat(size), text_body: 'x' });
const createTemplate = (size: number) => t.api.post('/api/v1/templates').set(t.auth).send(template(size));
const upload = (addresses: readonly string[]) =>
  t.api
    .post('/api/v1/suppressions/import')
    .set(t.auth)
    .set('Content-Type', 'text/csv')
    .send(['address', ...addresses].join('\n'));
const addresses = (count: number, name = 'a') =>
  Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);

const stored = () => readStoredBytes(t.ctx.db, t.workspace.id);

/** What the counter should say, from the rows themselves. */
async function recount(): Promise<number> {
  const { rows } = await t.ctx.db.raw(
    `with own as (select id from workspaces where id = :id or test_of = :id)
     select (
       coalesce((select sum(1000 + ceil(size * 1.37)) from blobs where workspace_id in (select id from own)), 0)
       + coalesce((
         select sum(1000 + octet_length(subject || html_body || text_body) + octet_length(declared::text))
         from template_versions where workspace_id in (select id from own)
       ), 0)
       + (select 1000 * count(*) from suppressions where workspace_id in (select id from own))
       + coalesce((select sum(bytes) from counted_mail where workspace_id in (select id from own)), 0)
       + coalesce((
         select sum(1000 + octet_length(changes::text)) from audit_log where workspace_id in (select id from own)
       ), 0)
     )::bigint as bytes`,
    { id: t.workspace.id },
  );
  return rows[0].bytes;
}

/** How much the workspace may keep from now on, beyond what it already keeps. */
const leaveRoom = async (bytes: number) => setLimits(t, { storage: (await stored()) + bytes, rate: 10_000 });

const refused = { status: 422, body: { code: 'storage_limit_exceeded' } };

/** Pseudorandom numbers, so that a failure can be repeated. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const runTogether = async (work: ReadonlyArray<() => PromiseLike<unknown>>) => {
  await Promise.all(work.map((each) => each()));
};

describe('the storage of a workspace', () => {
  test('is in its usage, with the limit of its plan', async () => {
    const read = async () => (await t.api.get('/billing/usage').set(await t.login())).body;
    const { storage: before, test_sends: none } = await read();
    expect(before).toEqual({ bytes: expect.any(Number), limit_bytes: 1_000_000_000 });
    expect(none).toEqual({ used: 0, limit: 1_000 });
    await createTemplate(5_000).expect(201);
    await send({ ...email, to: ['a@example.com', 'b@example.com'] }, testKey).expect(202);
    const { storage, test_sends: tests } = await read();
    expect(storage.bytes - before.bytes).toBeGreaterThan(10_000);
    expect(storage.bytes).toBe(await recount());
    expect(tests).toEqual({ used: 2, limit: 1_000 });
  });

  test.each([1, 2, 3])(
    'is what its rows add up to after a random series of operations (%i)',
    async (seed) => {
      const random = createRandom(seed);
      const templates: string[] = [];
      const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item;
      const later = () => new Date(Date.now() + random(5) * DAY_MS + HOUR_MS);
      const { db } = t.ctx;
      const abort = async (work: (trx: Parameters<Parameters<typeof db.transaction>[0]>[0]) => Promise<unknown>) => {
        const failed = db.transaction(async (trx) => {
          await work(trx);
          throw new Error('abort');
        });
        await expect(failed).rejects.toThrow('abort');
      };
      const row = (address: string) => ({
        workspaceId: t.workspace.id,
        address,
        topic: null,
        reason: 'hard_bounce' as const,
        emailId: null,
        detail: null,
      });
      const operations: Array<() => PromiseLike<unknown>> = [
        async () => templates.push((await createTemplate(random(20_000) + 1)).body.id),
        () =>
          t.api
            .patch(`/api/v1/templates/${pick(templates)}`)
            .set(t.auth)
            .send({ text_body: `${random(1e9)}` }),
        () => t.api.delete(`/api/v1/templates/${pick(templates)}`).set(t.auth),
        () => upload(addresses(random(50) + 1)),
        () =>
          t.api
            .post('/api/v1/suppressions')
            .set(t.auth)
            .send({ address: pick(addresses(100)) }),
        () => insertSuppressions(db, [row(pick(addresses(100)))]),
        () => abort((trx) => insertSuppressions(trx, addresses(10, 'never').map(row))),
        async () => {
          const { body } = await t.api.get('/api/v1/suppressions').set(t.auth);
          if (body.data.length > 0)
            await t.api.delete(`/api/v1/suppressions/${pick<{ id: string }>(body.data).id}`).set(t.auth);
        },
        () =>
          eraseSuppressedAddress(db, {
            workspaceId: t.workspace.id,
            address: pick(addresses(100)),
            hash: Buffer.alloc(32, random(255)),
          }),
        () => send(withFile(random(3), 1_000 + random(5_000))),
        () => send(withFile(random(3), 4_000), testKey),
        () => send({ ...email, text: 'x'.repeat(random(5_000) + 1) }, testKey),
        () => t.api.post('/api/v1/emails/batch').set(testKey).send([email, email, email]),
        () => send(withText(90_000 + random(20_000))),
        () =>
          t.api
            .post('/api/v1/emails/batch')
            .set(t.auth)
            .send([withText(101_000), email, withText(120_000)]),
        () => deleteOldRows(t.ctx, later(), () => true),
        () =>
          db.raw('delete from emails where id = any(array(select id from emails where workspace_id = ? limit 2))', [
            t.workspace.id,
          ]),
        () =>
          db('workspaces')
            .where({ id: t.workspace.id })
            .update({ content_retention_days: random(5) + 1 }),
        () => expireCountedMail(t.ctx, later(), () => true),
        () => purgeDeletedTemplates(t.ctx, later(), 10),
        () => abort((trx) => trx('counted_mail').delete()),
        async () => {
          await db('blobs')
            .update({ kept_until: new Date(0) })
            .where({ workspace_id: t.workspace.id });
          await deleteUnusedAttachments(t.ctx, 100);
        },
        async () =>
          db('audit_log')
            .whereIn('id', db('audit_log').select('id').where({ workspace_id: t.workspace.id }).orderBy('id').limit(1))
            .delete(),
        async () =>
          db('deliveries')
            .whereIn('workspace_id', [
              t.workspace.id,
              ...(await db('workspaces').where({ test_of: t.workspace.id }).pluck('id')),
            ])
            .delete(),
      ];
      await createTemplate(10).then(({ body }) => templates.push(body.id));
      for (let round = 0; round < 25; round += 1) {
        await runTogether(Array.from({ length: 1 + random(4) }, () => pick(operations)));
      }
      expect(await stored()).toBe(await recount());
      expect(await stored()).toBeGreaterThan(0);
    },
    120_000,
  );

  test('ends with the workspace', async () => {
    const other = await t.otherTenant();
    await t.ctx.db('workspaces').where({ id: other.workspace.id }).delete();
    expect(await readStoredBytes(t.ctx.db, other.workspace.id)).toBe(0);
  });
});

describe('a workspace that is full', () => {
  beforeEach(() => leaveRoom(10_000));

  test('is told what it keeps, what the limit is and how to make room', async () => {
    const { status, body } = await createTemplate(20_000);
    expect({ status, body }).toMatchObject(refused);
    expect(body.detail).toMatch(
      /^Your workspace may keep [\d.]+ kB of files, templates, suppressions, test mail, large emails and audit log\. It keeps [\d.]+ kB, and this request adds 21 kB\. Delete templates or suppressions/,
    );
    expect(body.detail).toContain('upgrade your plan');
  });

  test('gets no template and no version', async () => {
    const { body } = await createTemplate(100).expect(201);
    const path = `/api/v1/templates/${body.id}`;
    expect(
      await t.api
        .patch(path)
        .set(t.auth)
        .send({ html_body: 'y'.repeat(20_000) }),
    ).toMatchObject(refused);
    expect((await t.api.get(path).set(t.auth)).body.version).toBe(1);
  });

  test('gets no suppressions of its own, but those of bounces and complaints', async () => {
    expect(await upload(addresses(20))).toMatchObject(refused);
    expect((await upload(addresses(5))).body).toMatchObject({ added: 5 });
    expect((await upload(addresses(5))).body).toMatchObject({ added: 0 });
    await leaveRoom(0);
    expect(await t.api.post('/api/v1/suppressions').set(t.auth).send({ address: 'new@example.com' })).toMatchObject(
      refused,
    );
    const bounced = { workspaceId: t.workspace.id, topic: null, emailId: null, detail: null };
    expect(
      await insertSuppressions(t.ctx.db, [{ ...bounced, address: 'gone@example.com', reason: 'hard_bounce' }]),
    ).toBe(1);
    expect(await stored()).toBe(await recount());
  });

  test('accepts emails without attachments, and with those that it has already', async () => {
    await send(withFile(1, 2_000)).expect(202);
    await leaveRoom(1_000);
    expect(await send(withFile(2, 2_000))).toMatchObject(refused);
    await send(withFile(1, 2_000)).expect(202);
    await send(email).expect(202);
    expect(await stored()).toBe(await recount());
  });

  test('gets no test mail', async () => {
    await send(email, testKey).expect(202);
    expect(await send({ ...email, html: 'x'.repeat(20_000) }, testKey)).toMatchObject(refused);
    expect(await t.api.post('/api/v1/emails/batch').set(testKey).send([email, email, email])).toMatchObject(refused);
    await leaveRoom(0);
    expect(await send(email, testKey)).toMatchObject(refused);
    const used = (await t.api.get('/billing/usage').set(await t.login())).body.test_sends.used;
    expect(used).toBe(1);
  });

  test('still repeats the response to a key that it has accepted', async () => {
    const once = () => send(email, { ...testKey, 'Idempotency-Key': 'order-1' });
    const { body } = await once().expect(202);
    await leaveRoom(0);
    expect((await once().expect(202)).body).toEqual(body);
  });

  test('can change settings, revoke keys and delete, and has room again', async () => {
    const { body: created } = await createTemplate(5_000).expect(201);
    await leaveRoom(0);
    const session = await t.login();
    await t.api.patch('/api/v1/workspace').set(session).send({ content_retention_days: 5 }).expect(200);
    await t.api.delete(`/api/v1/api-keys/${t.keyId}`).set(session).expect(200);
    await t.api.delete(`/api/v1/templates/${created.id}`).set(session).expect(200);
    const refusedWith = () => t.api.post('/api/v1/templates').set(session).send(template(1_000));
    expect(await refusedWith()).toMatchObject(refused);
    await purgeDeletedTemplates(t.ctx, new Date(Date.now() + HOUR_MS), 10);
    await refusedWith().expect(201);
  });

  test('cannot fill the disk with changes of its settings', async () => {
    const session = await t.login();
    const statuses: number[] = [];
    for (let change = 0; change < 12; change += 1)
      statuses.push(
        (
          await t.api
            .patch('/api/v1/workspace')
            .set(session)
            .send({ name: `Name ${change}` })
        ).status,
      );
    expect(statuses).toContain(200);
    expect(statuses.at(-1)).toBe(422);
  });

  test('stays within its limit when requests race', async () => {
    await leaveRoom(50_000);
    const limit = (await stored()) + 50_000;
    const results = await Promise.all([
      ...Array.from({ length: 5 }, () => createTemplate(9_000)),
      ...Array.from({ length: 5 }, (_, index) => upload(addresses(9, `race${index}-`))),
      ...Array.from({ length: 5 }, (_, index) => send(withFile(index, 7_000))),
    ]);
    const statuses = results.map(({ status }) => status);
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThanOrEqual(2);
    expect(statuses).toContain(422);
    // What was accepted left entries in the audit log, which may use a tenth more.
    expect(await stored()).toBeLessThanOrEqual(limit * 1.1);
    expect(await stored()).toBe(await recount());
  });
});

describe('the content of a live email', () => {
  const added = async (work: () => PromiseLike<unknown>) => {
    const before = await stored();
    await work();
    return (await stored()) - before;
  };
  const finishAll = () => t.ctx.db('deliveries').where({ workspace_id: t.workspace.id }).delete();
  const setContentDays = (days: number) =>
    t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ content_retention_days: days });
  /** What workers do in their rounds. */
  const cleanUp = async (days: number) => {
    const now = new Date(Date.now() + days * DAY_MS);
    await deleteOldRows(t.ctx, now, () => true);
    await expireCountedMail(t.ctx, now, () => true);
  };

  test('counts if it is larger than 100 kB, and otherwise leaves no trace', async () => {
    expect(await added(() => send(withText(99_000)).expect(202))).toBe(0);
    expect(await t.ctx.db('counted_mail').where({ workspace_id: t.workspace.id })).toEqual([]);
    const large = await added(() => send(withText(101_000)).expect(202));
    expect(large).toBeGreaterThan(101_000);
    expect(large).toBeLessThan(101_200);
    expect(await added(() => send({ ...email, html: '€'.repeat(34_000) }).expect(202))).toBeGreaterThan(102_000);
    expect(await stored()).toBe(await recount());
  });

  test('includes html and text together, headers, and the variables of a template', async () => {
    const html = 'x'.repeat(60_000);
    expect(await added(() => send({ ...email, html, text: html }).expect(202))).toBeGreaterThan(120_000);
    const headers = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`X-Data-${n}`, 'x'.repeat(7_000)]));
    expect(await added(() => send({ ...email, headers }).expect(202))).toBeGreaterThan(105_000);
    const content = { name: 'T', subject: 'S', html_body: '<p>{{name}}</p>', text_body: '{{name}}' };
    const { body } = await t.api.post('/api/v1/templates').set(t.auth).send(content).expect(201);
    const template = { to: email.to, template_id: body.id, template_vars: { name: 'x'.repeat(60_000) } };
    expect(await added(() => send(template).expect(202))).toBe(0);
    const both = { ...template, headers: Object.fromEntries(Object.entries(headers).slice(0, 7)) };
    expect(await added(() => send(both).expect(202))).toBeGreaterThan(109_000);
  });

  test('counts for each email of a batch on its own', async () => {
    const batch = [withText(99_000), withText(150_000), email, withText(99_000)];
    const bytes = await added(() => t.api.post('/api/v1/emails/batch').set(t.auth).send(batch).expect(202));
    expect(bytes).toBeGreaterThan(150_000);
    expect(bytes).toBeLessThan(151_000);
  });

  test('that is large is refused by a full workspace, and small mail is not', async () => {
    await leaveRoom(200_000);
    await send(withText(150_000)).expect(202);
    expect(await send(withText(101_000))).toMatchObject(refused);
    const batch = (emails: object[]) => t.api.post('/api/v1/emails/batch').set(t.auth).send(emails);
    expect(await batch([email, withText(101_000)])).toMatchObject(refused);
    await leaveRoom(0);
    await send(withText(99_000)).expect(202);
    await batch([email, withText(99_000)]).expect(202);
    expect(await t.ctx.db('emails').where({ workspace_id: t.workspace.id })).toHaveLength(4);
  });

  test('still gets the response to its key when the workspace is full', async () => {
    const once = () => send(withText(150_000), { ...t.auth, 'Idempotency-Key': 'order-1' });
    const { body } = await once().expect(202);
    await leaveRoom(0);
    expect((await once().expect(202)).body).toEqual(body);
  });

  test('exceeds the limit at most by what an API process handles at the same time', async () => {
    await leaveRoom(2_000_000);
    const limit = (await stored()) + 2_000_000;
    const results = await Promise.all(Array.from({ length: 20 }, () => send(withText(1_500_000))));
    expect(results.map(({ status }) => status)).toContain(202);
    expect(await stored()).toBeLessThanOrEqual(limit + limits.bodiesOfWorkspace.max);
    await send(withText(1_500_000)).expect(422);
    expect(await stored()).toBe(await recount());
  }, 60_000);

  test('does not count any more once it is deleted, but its email stays', async () => {
    const bytes = await added(() => send(withText(150_000)).expect(202));
    await finishAll();
    await setContentDays(7);
    expect(await added(() => cleanUp(6))).toBe(0);
    expect(await added(() => cleanUp(8))).toBe(-bytes);
    expect(await t.ctx.db('emails').where({ workspace_id: t.workspace.id })).toHaveLength(1);
  });

  test('keeps counting while the email waits', async () => {
    await send(withText(150_000)).expect(202);
    await setContentDays(7);
    expect(await added(() => cleanUp(8))).toBe(0);
  });

  test('does not count any more once the email is deleted', async () => {
    const bytes = await added(() => send(withText(150_000)).expect(202));
    expect(await added(() => t.ctx.db('emails').where({ workspace_id: t.workspace.id }).delete())).toBe(-bytes);
  });
});

describe('test sends', () => {
  const fillUp = async (left: number) => {
    const [{ id }] = await t.ctx.db('workspaces').select('id').where({ test_of: t.workspace.id });
    await send(email, testKey).expect(202);
    await t.ctx
      .db('usage')
      .where({ workspace_id: id })
      .update({ used: 1_000 - left });
    await t.ctx.redis.flushdb();
    return id as string;
  };

  test('have a daily cap of their own: of 200 that race for the last 30, exactly 30 are accepted', async () => {
    const id = await fillUp(30);
    const results = await Promise.all(Array.from({ length: 200 }, () => send(email, testKey)));
    const accepted = results.filter(({ status }) => status === 202);
    const over = results.filter(({ status }) => status === 429);
    expect([accepted.length, over.length]).toEqual([30, 170]);
    expect(await t.ctx.db('emails').where({ workspace_id: id })).toHaveLength(31);
    expect(over[0]?.body).toMatchObject({ code: 'daily_cap_exhausted', resets_at: expect.any(String) });
    expect(over[0]?.body.detail).toContain('daily cap of 1,000 test sends');
    expect(over[0]?.headers['retry-after']).toBeUndefined();
    await send(email).expect(202);
    const { body } = await t.api.post('/api/v1/emails/check').set(testKey).send(email).expect(200);
    expect(body).toMatchObject({ would_send: false });
  }, 60_000);

  test('hold in two requests that Redis knows nothing about', async () => {
    await fillUp(1);
    const batch = () => t.api.post('/api/v1/emails/batch').set(testKey).send([email, email]);
    expect((await batch()).status).toBe(429);
    await t.ctx.redis.flushdb();
    await send(email, testKey).expect(202);
    await t.ctx.redis.flushdb();
    expect((await send(email, testKey)).status).toBe(429);
  });

  test('grow with the daily cap of the workspace, but never shrink with it', async () => {
    const read = async () => (await t.api.get('/billing/usage').set(await t.login())).body.test_sends.limit;
    await setLimits(t, { daily: 5 });
    expect(await read()).toBe(1_000);
    await setLimits(t, { daily: 500 });
    expect(await read()).toBe(5_000);
    await setLimits(t, { daily: null, monthly: 60_000 });
    expect(await read()).toBe(20_000);
  });
});

test('a workspace whose owner has not confirmed their address keeps little, and more after that', async () => {
  const { session, token, workspaceId } = await signUp(t, 'jane@example.com');
  const readLimit = async () => (await t.api.get('/billing/usage').set(session)).body.storage.limit_bytes;
  const create = () => t.api.post('/api/v1/templates').set(session).send(template(100));
  expect(await readLimit()).toBe(limits.unverifiedStorage.max);
  await t.ctx.db('storage').insert({ workspace_id: workspaceId, is_mail: true, bytes: limits.unverifiedStorage.max });
  expect([(await create()).body.code]).toEqual(['storage_limit_exceeded']);
  await verify(t, token).expect(200);
  expect(await readLimit()).toBe(1_000_000_000);
  expect((await create()).status).toBe(201);
});
