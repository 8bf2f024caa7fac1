import { type CommandReply, toCommandReply, toDeferral, toReply } from '../smtp/reply.js';
import type { Transaction } from '../smtp/transaction.js';
import type { NoMailServers } from './find-mail-servers.js';
import { findSlowDown, type SlowDown } from './slow-downs.js';

/** What recipients get whose domain has no mail server. No server said it, so there is no code. */
export function toReplyOfDns(found: NoMailServers): CommandReply {
  if (found.end === 'deferred') return toDeferral(found.text);
  const reply = { code: null, text: `${found.enhanced} ${found.text}` };
  return { command: 'RCPT', refused: null, meaning: 'bounced', reply, bounceClass: 'bad_domain' };
}

/** A server that greets with a 5xx refuses us, whatever it says. */
function toReplyOfFault(transaction: Pick<Transaction, 'fault' | 'faultCode'>): CommandReply {
  const code = Number(transaction.faultCode);
  const text = transaction.fault ?? 'The connection failed';
  if (!(code >= 400)) return toDeferral(text);
  const known = toCommandReply(
    toReply(code, text.replace(/^.*?(?=\b\d{3}[ -])/s, '').replace(/^\d{3}[ -]/, '')),
    'MAIL',
  );
  return known.meaning === 'bounced' ? { ...known, meaning: 'refuses_us', refused: known.refused ?? 'blocked' } : known;
}

/** What the replies of a site ask of us; the first one that asks for something counts. */
export function findSlowDownIn({
  replies,
}: Pick<Transaction, 'replies'>): (SlowDown & { readonly text: string }) | null {
  for (const { reply, meaning } of replies.values()) {
    const found = meaning === 'accepted' ? null : findSlowDown(reply);
    if (found) return { ...found, text: `${reply.code} ${reply.text}` };
  }
  return null;
}

/** What the recipients of a site get with which no session could be opened. @param policyOf the domain whose policy demanded TLS */
export function toReplyOfNoSession(transaction: Transaction, policyOf: string | null): CommandReply {
  const reply = toReplyOfFault(transaction);
  if (policyOf === null || reply.reply.code !== null) return reply;
  return toDeferral(`No TLS session as the MTA-STS policy of ${policyOf} demands it: ${transaction.fault}`);
}
