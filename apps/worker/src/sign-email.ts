import { type ClaimedEmail, isUnavailable, type SigningKey } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { signMessage } from './dkim/sign-message.js';
import { senderHost } from './sender-host.js';

/**
 * - message: as it goes out
 * - fault: why it can never be signed
 * - waitsFor: what is to be had before it can be
 */
export type Signed = { readonly message: Buffer } | { readonly fault: string } | { readonly waitsFor: string };

/**
 * Signs with the key of the domain that From names; without a signature no message goes out. A key that
 * cannot be read blames no mail: Postgres will come back, and the right SECRET_KEY may.
 */
export async function signEmail(
  ctx: Pick<WorkerContext, 'findSigningKey' | 'log'>,
  email: Pick<ClaimedEmail, 'id' | 'domainId' | 'from'>,
  message: Buffer,
): Promise<Signed> {
  const host = senderHost(email);
  let key: SigningKey | null;
  try {
    key = await ctx.findSigningKey(email.domainId);
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    ctx.log[level]({ error, emailId: email.id }, 'signing_key_not_read');
    return { waitsFor: `The signing key of ${host} could not be read` };
  }
  if (key === null) return { fault: `The sending domain ${host} has no signing key any more` };
  if (key.domain !== host) return { fault: `The email is from ${host}, but would be signed by ${key.domain}` };
  try {
    return { message: await signMessage(message, key) };
  } catch (error) {
    ctx.log.error({ error, emailId: email.id }, 'message_not_signed');
    return { fault: 'The message could not be signed' };
  }
}
