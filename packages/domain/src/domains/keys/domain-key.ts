import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyState } from '@posthorn/contract';
import type { Context } from '@posthorn/platform';
import { type SealedSecret, sealSecret } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';

/** RFC 8301, 3.2 requires 1024 and recommends 2048. Longer keys do not fit into many DNS panels. */
const MODULUS_BITS = 2_048;

const SELECTOR_BYTES = 4;

/** The public half of a DKIM key (RFC 6376). */
export type DomainKey = {
  readonly id: string;
  /** Null for the platform domain. */
  readonly domainId: string | null;
  readonly selector: string;
  readonly state: KeyState;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
};

export type NewDomainKey = DomainKey & { readonly privateKey: SealedSecret };

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
