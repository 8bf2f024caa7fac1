import { operator } from '@posthorn/domain/audit-log';
import { createDomain, findSigningKey } from '@posthorn/domain/domains';
import { eraseNextBatch, requestErasure } from '@posthorn/domain/erasure';
import { reencryptSecrets } from '@posthorn/domain/key-rotation';
import { addRelay, findRelayByName } from '@posthorn/domain/relays';
import { addSuppression, createSuppressedFinder } from '@posthorn/domain/suppressions';
import { leaseWebhooks } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { getSecretKeyId, openSecret, type SealedSecret, sealSecret } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext, untilWaiting } from '@posthorn/testing';

const NEW_KEY = 'a new secret that is only good for tests';
const ADDRESS = 'jane@example.com';
const WEBHOOK_SECRET = 'whsec_bm90IGEgcmVhbCBzZWNyZXQ';
const RELAY_URL = 'smtp://user:password@relay.example:587';
const RELAY_SECRET = 'user:password';

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it encrypts the secrets of all workspaces again' });
  await ctx.db('domain_keys').delete();
  ({ workspaceId } = await createTestWorkspace(ctx));
});
afterEach(() => closeTestContext(ctx));

/** The context after SECRET_KEY was changed. */
function changed(previousSecretKeys: string[] = [ctx.config.secretKey ?? '']): Context {
  return { ...ctx, config: { ...ctx.config, secretKey: NEW_KEY, previousSecretKeys } };
}

async function addWebhook(): Promise<string> {
  const [webhook, secret] = [newId(), newId()];
  const now = new Date();
  await ctx.db('webhooks').insert({
    id: webhook,
    workspace_id: workspaceId,
    url: 'https://hooks.example',
    description: '',
    events: ['email.sent'],
    status: 'enabled',
    created_at: now,
    updated_at: now,
  });
  await ctx.db('webhook_states').insert({ webhook_id: webhook, position: 0, event_id: webhook, due_at: now });
  await addWebhookSecret(webhook, secret);
  return webhook;
}

async function addWebhookSecret(webhookId: string, id: string, expiresAt: Date | null = null): Promise<void> {
  const { bytes, secretKeyId } = sealSecret(ctx.config, Buffer.from(WEBHOOK_SECRET), id);
  await ctx.db('webhook_secrets').insert({
    id,
    webhook_id: webhookId,
    secret: bytes,
    secret_key_id: secretKeyId,
    created_at: new Date(),
    expires_at: expiresAt,
  });
}

const addRelayWithFeedback = () =>
  addRelay(ctx, operator, { name: 'a', url: RELAY_URL, feedback: 'postmark', feedbackSecret: RELAY_SECRET });

/** The URL of a relay and the secret of its provider, decrypted. */
async function readRelaySecrets({ config, db }: Context): Promise<string[]> {
  const relay = await findRelayByName(db, 'a');
  const row = await db('relay_secrets').first();
  const secret: SealedSecret = { bytes: row.secret, secretKeyId: row.secret_key_id };
  return [
    openSecret(config, relay?.sealedUrl as SealedSecret, relay?.id ?? '').toString(),
    openSecret(config, secret, row.id).toString(),
  ];
}

const getCounts = ({ kinds }: Awaited<ReturnType<typeof reencryptSecrets>>) =>
  Object.fromEntries(kinds.map(({ kind, ...counts }) => [kind, Object.values(counts)]));

test('after it, everything works without the earlier SECRET_KEY', async () => {
  const domain = await createDomain(ctx, operator, workspaceId, 'acme.example');
  const platformKey = await findSigningKey({ ...ctx, signingKeys: new Map() }, null);
  const domainKey = await findSigningKey({ ...ctx, signingKeys: new Map() }, domain.id);
  await addWebhook();
  await addRelayWithFeedback();
  await addSuppression(ctx, operator, workspaceId, { address: ADDRESS, topic: null, detail: null });
  await requestErasure(ctx, operator, { workspaceId, address: ADDRESS });
  while (await eraseNextBatch(ctx, { lateResponseSeconds: 0 }));
  await requestErasure(ctx, operator, { workspaceId, address: 'joe@example.com' });

  const done = await reencryptSecrets(changed());
  expect(getCounts(done)).toEqual({
    ...{ dkim_key: [2, 0, 0], webhook_secret: [1, 0, 0], erasure: [2, 0, 0] },
    ...{ relay_url: [1, 0, 0], relay_secret: [1, 0, 0] },
  });
  expect([done.unreadable, done.rehashed]).toEqual([[], 1]);

  const withoutOld = changed([]);
  for (const [id, before] of [[null, platformKey] as const, [domain.id, domainKey] as const]) {
    const after = await findSigningKey({ ...withoutOld, signingKeys: new Map() }, id);
    expect(after?.selector).toBe(before?.selector);
    expect(before && after?.privateKey.equals(before.privateKey)).toBe(true);
  }
  expect(await leaseWebhooks(withoutOld, { free: 10, freeForNew: 10, freeForSlow: 10, held: new Map() })).toMatchObject(
    [{ secrets: [WEBHOOK_SECRET] }],
  );
  expect(await readRelaySecrets(withoutOld)).toEqual([RELAY_URL, RELAY_SECRET]);
  while (await eraseNextBatch(withoutOld, { lateResponseSeconds: 0 }));
  expect(await ctx.db('erasures').whereNull('finished_at')).toEqual([]);
  const suppressed = await createSuppressedFinder(withoutOld)({ workspaceId, topic: null, addresses: [ADDRESS] });
  expect([...suppressed.keys()]).toEqual([ADDRESS]);

  const again = await reencryptSecrets(withoutOld);
  expect(getCounts(again)).toEqual({
    ...{ dkim_key: [0, 2, 0], webhook_secret: [0, 1, 0], erasure: [0, 2, 0] },
    ...{ relay_url: [0, 1, 0], relay_secret: [0, 1, 0] },
  });
  expect([again.unreadable, again.rehashed]).toEqual([[], 0]);
});

test('secrets that cannot be decrypted are counted and left as they are, and the others are encrypted again', async () => {
  const unknown = { ...ctx, config: { ...ctx.config, secretKey: 'a secret that nobody has written down' } };
  await requestErasure(unknown, operator, { workspaceId, address: 'lost@example.com' });
  const { id: lostId } = await ctx.db('erasures').select('id').first();
  await requestErasure(ctx, operator, { workspaceId, address: ADDRESS });
  const webhook = await addWebhook();
  await ctx.db.raw('update webhook_secrets set secret = set_byte(secret, 40, 255 - get_byte(secret, 40))');
  await addWebhookSecret(webhook, newId(), new Date(Date.now() + 60_000));
  const before = await ctx.db('webhook_secrets').whereNull('expires_at').first();

  const done = await reencryptSecrets(changed());
  expect(getCounts(done)).toEqual({
    ...{ dkim_key: [0, 0, 0], webhook_secret: [1, 0, 1], erasure: [1, 0, 1] },
    ...{ relay_url: [0, 0, 0], relay_secret: [0, 0, 0] },
  });
  expect(done.unreadable).toEqual([
    {
      kind: 'webhook_secret',
      secretKeyId: getSecretKeyId(ctx.config),
      problem: 'damaged',
      count: 1,
      firstId: before.id,
    },
    {
      kind: 'erasure',
      secretKeyId: getSecretKeyId(unknown.config),
      problem: 'missing_key',
      count: 1,
      firstId: lostId,
    },
  ]);
  expect(await ctx.db('webhook_secrets').whereNull('expires_at').first()).toEqual(before);
  expect(await ctx.db('erasures').where({ id: lostId }).first()).toMatchObject({
    secret_key_id: getSecretKeyId(unknown.config),
  });
});

test('a DKIM key that is retired meanwhile stays without a private key', async () => {
  await findSigningKey({ ...ctx, signingKeys: new Map() }, null);
  const trx = await ctx.db.transaction();
  await trx('domain_keys').update({ state: 'retired', retired_at: new Date(), private_key: null, secret_key_id: null });
  const running = reencryptSecrets(changed());
  await untilWaiting(ctx.db, 'Lock');
  await trx.commit();
  expect(getCounts(await running)).toMatchObject({ dkim_key: [0, 0, 0] });
  expect(await ctx.db('domain_keys').select('state', 'private_key')).toEqual([{ state: 'retired', private_key: null }]);
});

test('it knows every table that stores something encrypted', async () => {
  const { rows } = await ctx.db.raw(
    `select table_name from information_schema.columns
     where table_schema = 'public' and column_name = 'secret_key_id' order by table_name`,
  );
  expect(rows.map(({ table_name }: { table_name: string }) => table_name)).toEqual([
    'domain_keys',
    'erasures',
    'relay_secrets',
    'relays',
    'webhook_secrets',
  ]);
});
