import type { ClaimedEmail, ClaimedRecipient } from '@posthorn/domain/delivery';
import { buildFeedbackKey } from '@posthorn/domain/emails';
import { addHeaders, type Message, signEmail } from '@posthorn/message';
import type { BuildCopy } from '../smtp/failover.js';
import { buildVariantHeaders } from '../smtp/variant.js';

type SigningContext = Parameters<typeof signEmail>[0];

/** A message could not be signed, so it is not sent. The email waits. */
class NotSigned extends Error {
  override name = 'NotSigned';
}

/**
 * Signs the copies of a message: the one for most relays, and those for relays that change it or whose provider reports
 * events.
 * @param plain the signed message for most relays; null if it is probably not needed
 */
export function createCopies(
  ctx: SigningContext,
  email: ClaimedEmail,
  { message, plain }: { readonly message: Message; readonly plain: Message | null },
): BuildCopy {
  let signed = plain;

  async function sign(copy: Message, rewritten: readonly string[]): Promise<Message> {
    const result = await signEmail(ctx, email, copy, rewritten);
    if ('message' in result) return result.message;
    throw new NotSigned('fault' in result ? result.fault : result.postponed);
  }

  return async (variant, address) => {
    if (variant === null) {
      signed ??= await sign(message, []);
      return signed;
    }
    const { position } = email.recipients.find((recipient) => recipient.address === address) as ClaimedRecipient;
    const headers = buildVariantHeaders(variant, buildFeedbackKey({ emailId: email.id, position }));
    return sign(addHeaders(message, headers), variant.rewritten);
  };
}
