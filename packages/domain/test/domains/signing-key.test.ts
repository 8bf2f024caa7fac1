import { createPublicKey, sign, verify } from 'node:crypto';
import { createDomain, findSigningKey } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { findActiveKey } from '../../src/domains/dkim-key-store.js';

describe('findSigningKey', () => {
  let ctx: Context;
  let now = new Date('2026-11-21T10:00:00.000Z');

  beforeAll(async () => {
    ctx = await openTestContext({
      ownDatabase: 'all workspaces share the key of the platform domain',
      config: { platformSenderDomain: 'platform.example' },
      now: () => now,
    });
    await ctx.db('domain_keys').delete();
  });
  afterAll(() => closeTestContext(ctx));

  const newDomain = async (name: string) =>
    createDomain(ctx, operator, (await createTestWorkspace(ctx)).workspaceId, name);

  test('returns a 2,048-bit key that matches the stored public key', async () => {
    const { id } = await newDomain('first.example');
    const key = await findSigningKey({ ...ctx, signingKeys: new Map() }, id);
    expect(key).toMatchObject({ domain: 'first.example', selector: expect.stringMatching(/^ph[0-9a-f]{8}$/) });
    expect(key?.privateKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2_048 });
    const stored = await findActiveKey(ctx.db, id);
    const publicKey = createPublicKey({
      key: Buffer.from(stored?.publicKey ?? '', 'base64'),
      format: 'der',
      type: 'spki',
    });
    const signature = sign('sha256', Buffer.from('mail'), key?.privateKey ?? '');
    expect(verify('sha256', Buffer.from('mail'), publicKey, signature)).toBe(true);
  });

  test('stores the private key encrypted', async () => {
    const { id } = await newDomain('sealed.example');
    const key = await findSigningKey({ ...ctx, signingKeys: new Map() }, id);
    const der = key?.privateKey.export({ format: 'der', type: 'pkcs8' }) as Buffer;
    const stored = await findActiveKey(ctx.db, id);
    expect(stored?.privateKey.bytes.includes(der.subarray(0, 64))).toBe(false);
    expect(stored?.privateKey.bytes.length).toBe(der.length + 28);
  });

  test('creates one key per domain and one for the platform, even with concurrent requests', async () => {
    const { id } = await newDomain('race.example');
    for (const domainId of [id, null]) {
      const keys = await Promise.all(
        Array.from({ length: 4 }, () => findSigningKey({ ...ctx, signingKeys: new Map() }, domainId)),
      );
      expect(new Set(keys.map((key) => key?.selector)).size).toBe(1);
      expect(keys[0]?.domain).toBe(domainId === null ? 'platform.example' : 'race.example');
    }
  });

  test('returns null for a domain that does not exist', async () => {
    expect(await findSigningKey({ ...ctx, signingKeys: new Map() }, newId())).toBeNull();
  });

  test('caches a key for 30 seconds, and then finds the one currently used for signing', async () => {
    const { id } = await newDomain('rotated.example');
    const caching = { ...ctx, signingKeys: new Map() };
    const find = (domainId: string) => findSigningKey(caching, domainId);
    const first = await find(id);
    expect(await find(id)).toBe(first);
    await ctx.db('domain_keys').where({ domain_id: id }).delete();
    now = new Date(now.getTime() + 29_000);
    expect(await find(id)).toBe(first);
    now = new Date(now.getTime() + 2_000);
    expect((await find(id))?.selector).not.toBe(first?.selector);
  });

  test('does not cache a failure', async () => {
    const { id } = await newDomain('failure.example');
    await findSigningKey({ ...ctx, signingKeys: new Map() }, id);
    const config = { ...ctx.config, secretKey: 'not the secret that the keys were sealed with' };
    await expect(findSigningKey({ ...ctx, config, signingKeys: new Map() }, id)).rejects.toThrow(
      'A stored secret needs the SECRET_KEY',
    );
    let isUnavailable = true;
    const db = ((table: string) => {
      if (isUnavailable) throw new Error('unavailable');
      return ctx.db(table);
    }) as unknown as Context['db'];
    const caching = { ...ctx, db, signingKeys: new Map() };
    const find = (domainId: string) => findSigningKey(caching, domainId);
    await expect(find(id)).rejects.toThrow('unavailable');
    isUnavailable = false;
    expect(await find(id)).toMatchObject({ domain: 'failure.example' });
  });
});
