import type { RefusedPart } from '@posthorn/feedback';
import { type CommandReply, toCommandReply, toDeferral, toReply } from '../smtp/reply.js';
import type { Transaction } from '../smtp/transaction-result.js';
import type { NoMailServers } from './find-mail-servers.js';
import { findSlowDown, type SlowDown, type SlowDownKind } from './slow-downs.js';

/** What recipients get whose domain has no mail server. No server said it, so there is no code. */
export function toReplyOfDns(found: NoMailServers): CommandReply {
  if (found.end === 'deferred') return toDeferral(found.text);
  const reply = { code: null, text: `${found.enhanced} ${found.text}` };
  return { command: 'RCPT', refused: null, meaning: 'bounced', reply, bounceClass: 'bad_domain' };
}

/**
 * What the recipients of a site get with which no session could be opened. A server that greets with a 5xx refuses us,
 * whatever it says.
 */
export function toReplyOfNoSession(transaction: Pick<Transaction, 'fault' | 'faultCode'>): CommandReply {
  const code = Number(transaction.faultCode);
  const text = transaction.fault ?? 'The connection failed';
  if (!(code >= 400)) return toDeferral(text);
  const known = toReplyAboutUs(toCommandReply(toReply(code, text.replace(/^.*?(?=\b\d{3}[ -])/s, '')), 'MAIL'));
  return known.meaning === 'bounced' ? { ...known, meaning: 'refuses_us', refused: known.refused ?? 'blocked' } : known;
}

/** What the replies of a site ask of us; the first one that asks for something counts. */
export function findSlowDownIn(transaction: Transaction): (SlowDown & { readonly text: string }) | null {
  const { end, replies } = transaction;
  const known = end === 'route_fault' ? [toReplyOfNoSession(transaction)] : [...replies.values()];
  for (const { reply, meaning } of known) {
    const found = meaning === 'accepted' ? null : findSlowDown(reply);
    if (found) return { ...found, text: reply.text };
  }
  return null;
}

const REFUSED: Readonly<Record<SlowDownKind, RefusedPart | null>> = {
  site_rate: 'rate',
  too_many_connections: 'rate',
  source_refused: 'blocked',
  mailbox_rate: null,
};

/** A reply that asks us to send less, or from elsewhere, is about us, so nobody is charged or bounced because of it. */
export function toReplyAboutUs(known: CommandReply): CommandReply {
  if (known.meaning === 'accepted') return known;
  const kind = findSlowDown(known.reply)?.kind;
  const refused = kind === undefined ? null : REFUSED[kind];
  return refused === null ? known : { ...known, meaning: 'refuses_us', refused };
}
