import { type ClaimedEmail, pendingRecipients, type RecipientResult } from '@posthorn/domain/delivery';
import type { MakeReturnPath } from '@posthorn/domain/domains';
import { getSenderHost } from '@posthorn/message';
import { isNotAmong } from '../outcomes/recipient-results.js';
import type { Envelope } from '../smtp/outgoing-message.js';

/**
 * MAIL FROM is always ours, so bounces come to the platform and a client cannot send them elsewhere. Its domain is a
 * subdomain of From's domain, so that SPF aligns too (RFC 7489, 3.1.2).
 * @param local the results of recipients whose mail needs no server
 */
export function envelopeOf(
  { makeReturnPath }: { readonly makeReturnPath: MakeReturnPath },
  email: ClaimedEmail,
  local: readonly RecipientResult[],
): Envelope {
  const recipients = pendingRecipients(email).filter(isNotAmong(local));
  return {
    from: makeReturnPath({
      emailId: email.id,
      positions: recipients.map(({ position }) => position),
      domain: getSenderHost(email),
    }),
    to: recipients.map(({ address }) => address),
  };
}
