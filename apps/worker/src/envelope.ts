import { type ClaimedEmail, type MakeReturnPath, pendingRecipients } from '@posthorn/domain';
import { senderHost } from './sender-host.js';
import type { Envelope } from './smtp/progress.js';

/**
 * MAIL FROM is ours alone, whatever the client asked for: bounces come to the platform, and nobody can
 * have them sent elsewhere. It is below the domain of From, so that SPF aligns too (RFC 7489, 3.1.2).
 */
export function envelopeOf(
  { makeReturnPath }: { readonly makeReturnPath: MakeReturnPath },
  email: ClaimedEmail,
): Envelope {
  const recipients = pendingRecipients(email);
  return {
    from: makeReturnPath({
      emailId: email.id,
      positions: recipients.map(({ position }) => position),
      domain: senderHost(email),
    }),
    to: recipients.map(({ address }) => address),
  };
}
