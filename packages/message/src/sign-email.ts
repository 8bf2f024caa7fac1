import { findSigningKey, type SigningKey, type SigningKeyContext } from '@posthorn/domain/domains';
import { emailLogFields, type LoggedEmail, type StoredMessage } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { signMessage } from './dkim/sign-message.js';
import { type Message, MessageUnreadable } from './format/message.js';
import type { NotBuilt } from './render-message.js';
import { senderHost } from './sender-host.js';

/**
 * Signs with the key of From's domain. A message is never sent unsigned. If the key cannot be read, the email
 * waits until Postgres is back or the right SECRET_KEY is set.
 */
export async function signEmail(
  ctx: SigningKeyContext & Pick<Context, 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'domainId' | 'from'>,
  message: Message,
): Promise<{ readonly message: Message } | NotBuilt> {
  const found = await findSenderKey(ctx, email);
  if (!('key' in found)) return found;
  try {
    return { message: await signMessage(message, found.key) };
  } catch (error) {
    if (error instanceof MessageUnreadable) return { postponed: error.message };
    ctx.log.error({ error, ...emailLogFields(email) }, 'message_not_signed');
    return { fault: 'The message could not be signed' };
  }
}

/** The key of From's domain. */
export async function findSenderKey(
  ctx: SigningKeyContext & Pick<Context, 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'domainId' | 'from'>,
): Promise<{ readonly key: SigningKey } | NotBuilt> {
  const host = senderHost(email);
  let key: SigningKey | null;
  try {
    key = await findSigningKey(ctx, email.domainId);
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    ctx.log[level]({ error, ...emailLogFields(email) }, 'signing_key_not_read');
    return { postponed: `The signing key of ${host} could not be read` };
  }
  if (key === null) return { fault: `The sending domain ${host} no longer has a signing key` };
  if (key.domain !== host) return { fault: `The email is from ${host}, but its signing key is for ${key.domain}` };
  return { key };
}
