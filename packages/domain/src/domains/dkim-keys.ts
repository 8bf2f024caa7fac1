import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { sealSecret } from '@posthorn/platform/secrets';
import { DAY_MS, newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import {
  type DomainKey,
  findActiveKey,
  insertKey,
  listDomainKeys,
  type NewDomainKey,
  type StoredSigningKey,
} from './dkim-key-store.js';

/**
 * Returns the key that signs for a domain, and creates it when it is first needed. If several processes create one at
 * the same time, the first one wins, and all of them use its key.
 * @param domainId null for the platform domain
 * @returns null when the domain is deleted
 */
export async function ensureActiveKey(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domainId: string | null,
): Promise<StoredSigningKey | null> {
  const existing = await findActiveKey(ctx.db, domainId);
  if (existing) return existing;
  await insertKey(ctx.db, await generateDomainKey(ctx, domainId, 'active'));
  return findActiveKey(ctx.db, domainId);
}

/**
 * Creates the key of the platform domain when a process starts, so that the key's record can be published before any
 * mail is sent. It never throws, because a key that cannot be created now will be created when it is first needed.
 */
export async function preparePlatformKey(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<void> {
  try {
    await ensureActiveKey(ctx, null);
  } catch (error) {
    ctx.log.warn({ error }, 'platform_key_not_created');
  }
}

/** The records of retired keys stay in DNS, because mail signed with these keys may arrive days later. */
export function computeRetirementCutoff(now: Date): Date {
  return new Date(now.getTime() - limits.retiredKeyDays.max * DAY_MS);
}

/** The keys of a domain that must have a record in DNS, the active one first. */
export function listPublishedKeys(db: Knex, domainId: string, now: Date): Promise<DomainKey[]> {
  return listDomainKeys(db, [domainId], computeRetirementCutoff(now));
}

/** RFC 8301, 3.2 requires 1024 and recommends 2048. Longer keys do not fit into many DNS panels. */
const MODULUS_BITS = 2_048;

const SELECTOR_BYTES = 4;

const generate = promisify(generateKeyPair);

/** Takes a few tenths of a second on another thread, so the event loop is not blocked. */
export async function generateDomainKey(
  ctx: Pick<Context, 'config' | 'now'>,
  domainId: string | null,
  state: 'pending' | 'active',
): Promise<NewDomainKey> {
  const id = newId();
  const pair = await generate('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return {
    id,
    domainId,
    // Random, so that no name in DNS is used twice, even when a domain changes hands.
    selector: `ph${randomBytes(SELECTOR_BYTES).toString('hex')}`,
    state,
    publicKey: pair.publicKey.toString('base64'),
    privateKey: sealSecret(ctx.config, pair.privateKey, id),
    createdAt: ctx.now(),
    retiredAt: null,
  };
}
