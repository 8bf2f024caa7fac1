import { bounceHost, type ReturnPathEnvelope, returnPathReader } from '@posthorn/domain/domains';
import { limits } from '@posthorn/domain/limits';
import type { Config } from '@posthorn/platform/config';
import { SmtpRefusal } from './smtp-refusal.js';

/** Says what a recipient of a report stands for. */
export type ReadRecipient = (address: string) => { readonly envelope: ReturnPathEnvelope | null };

/**
 * Only addresses that we created, and the address for complaints, take mail. Everything else is refused before the
 * message is sent, so nothing is relayed, and we never have to send a bounce (RFC 5321, 3.6.2). It takes no query.
 * @returns a function that throws SmtpRefusal
 */
export function recipientReader(
  config: Pick<Config, 'secretKey' | 'previousSecretKeys' | 'platformSenderDomain'>,
): ReadRecipient {
  const readReturnPath = returnPathReader(config);
  const complaints = `fbl@${bounceHost(config.platformSenderDomain)}`;
  return (address) => {
    if (address.toLowerCase() === complaints) return { envelope: null };
    const envelope = readReturnPath(address);
    if (envelope) return { envelope };
    throw new SmtpRefusal(550, '5.1.1 This address does not exist. Only bounces and complaints are accepted here');
  };
}

/** @throws SmtpRefusal */
export function assertRoom(recipients: number): void {
  if (recipients < limits.reportRecipients.max) return;
  throw new SmtpRefusal(452, '4.5.3 Too many recipients');
}
