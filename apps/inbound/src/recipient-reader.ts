import { type Mailbox, mailboxes } from '@posthorn/contract';
import { createReturnPathParser, type ReturnPathEnvelope } from '@posthorn/domain/bounces';
import { isBounceHost, toBounceHost } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { SmtpRefusal } from './smtp-refusal.js';

/** What an address stands for that a report is sent to: a return path, or one of the mailboxes. */
type ReportRecipient =
  | { readonly envelope: ReturnPathEnvelope; readonly mailbox: null }
  | { readonly envelope: null; readonly mailbox: Mailbox };

/** @param beforeQuery called if the answer takes a query; it may throw */
export type ReadRecipient = (address: string, beforeQuery?: () => void) => Promise<ReportRecipient>;

const MAILBOX = new RegExp(`^(${mailboxes.join('|')})@([^@]+)$`);

/**
 * Only addresses that we created, and a few mailboxes, take mail: `fbl`, for complaints, at the bounce host of the
 * platform, and `postmaster` and `abuse` (RFC 5321, 4.5.1; RFC 2142) at the bounce hosts of all domains. Everything else
 * is refused before the message is sent, so nothing is relayed, and we never have to send a bounce (RFC 5321, 3.6.2). Only
 * the mailboxes at the host of a domain take a query.
 * @returns a function that throws SmtpRefusal
 */
export function createRecipientReader({ config, db }: Pick<Context, 'config' | 'db'>): ReadRecipient {
  const parseReturnPath = createReturnPathParser(config);
  const platformHost = toBounceHost(config.platformSenderDomain);

  async function findMailbox(address: string, beforeQuery?: () => void): Promise<Mailbox | null> {
    const [, name, host = ''] = MAILBOX.exec(address.toLowerCase().replace(/\.$/, '')) ?? [];
    const mailbox = mailboxes.find((each) => each === name);
    if (mailbox === undefined) return null;
    if (host === platformHost) return mailbox;
    if (mailbox === 'fbl') return null;
    beforeQuery?.();
    return (await isBounceHost({ config, db }, host)) ? mailbox : null;
  }

  return async (address, beforeQuery) => {
    const envelope = parseReturnPath(address);
    if (envelope) return { envelope, mailbox: null };
    const mailbox = await findMailbox(address, beforeQuery);
    if (mailbox) return { envelope: null, mailbox };
    throw new SmtpRefusal(550, '5.1.1 This address does not exist. Only bounces and complaints are accepted here');
  };
}
