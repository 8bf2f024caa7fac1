import { type ClaimedEmail, type Config, pendingRecipients } from '@posthorn/domain';
import type { Envelope } from './smtp/transaction.js';

/**
 * MAIL FROM is ours alone, whatever the client asked for: bounces come to the platform, and nobody
 * can have them sent elsewhere.
 */
export function envelopeOf(
  { platformSenderDomain }: Pick<Config, 'platformSenderDomain'>,
  email: ClaimedEmail,
): Envelope {
  return {
    from: `bounces@${platformSenderDomain}`,
    to: pendingRecipients(email).map(({ address }) => address),
  };
}
