import { toStorableText } from '@posthorn/platform/postgres';
import { type CommandReply, toCommandReply, toReply } from '../smtp/reply.js';
import type { Transaction } from '../smtp/transaction.js';
import type { NoMailServers } from './find-mail-servers.js';
import { findNamedDelay, findSlowDown, type SlowDown } from './slow-downs.js';

const ABOUT_NOBODY = { command: 'RCPT', refused: null } as const;

/** What recipients get whose domain has no mail server. No server said it, so there is no code. */
export function toReplyOfDns(found: NoMailServers): CommandReply {
  if (found.end === 'deferred')
    return { ...ABOUT_NOBODY, meaning: 'deferred', reply: { code: null, text: found.text } };
  const reply = { code: null, text: `${found.enhanced} ${found.text}` };
  return { ...ABOUT_NOBODY, meaning: 'bounced', reply, bounceClass: 'bad_domain' };
}

/** @param why a sentence without a full stop */
export function toDeferral(why: string): CommandReply {
  return { ...ABOUT_NOBODY, meaning: 'deferred', reply: { code: null, text: toStorableText(why) } };
}

/** What recipients get that wait for something of ours. They are not charged for it. */
export function toWait(why: string): CommandReply {
  return { command: 'RCPT', meaning: 'refuses_us', refused: 'rate', reply: { code: null, text: why } };
}

/** A server that greets with a 5xx refuses us, whatever it says. */
export function toReplyOfFault(transaction: Pick<Transaction, 'fault' | 'faultCode'>): CommandReply {
  const code = Number(transaction.faultCode);
  const text = transaction.fault ?? 'The connection failed';
  if (!(code >= 400)) return toDeferral(text);
  const known = toCommandReply(
    toReply(code, text.replace(/^.*?(?=\b\d{3}[ -])/s, '').replace(/^\d{3}[ -]/, '')),
    'MAIL',
  );
  return known.meaning === 'bounced' ? { ...known, meaning: 'refuses_us', refused: known.refused ?? 'blocked' } : known;
}

/** How long a recipient waits at least, if the server says so. */
export function withDelay(known: CommandReply): CommandReply {
  const delaySeconds = known.meaning === 'deferred' ? findNamedDelay(known.reply.text) : null;
  return delaySeconds === null ? known : { ...known, delaySeconds };
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
