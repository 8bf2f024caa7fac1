import { addressKey } from '../addresses/address.js';
import type { Context } from '../context.js';
import { insertEmailEvent } from '../emails/email-change-store.js';
import { lockEmails } from '../emails/lock-emails-store.js';
import { insertSuppressions } from '../suppressions/suppression-store.js';
import type { Subscription } from '../unsubscribe-links/unsubscribe-token.js';
import { findUnsubscribes } from './find-unsubscribes.js';
import type { ListSender } from './list-sender.js';
import { findRecipientOf, hasUnsubscribed } from './unsubscribing-store.js';

export type UnsubscribeRequest = {
  /** null for mail of every topic. */
  readonly topic: string | null;
  /** How the recipient asked for it, for people who look at the suppression. */
  readonly detail: string;
};

/**
 * Suppresses the recipient of a link, for one topic or for all. The first time that someone uses the link of an email,
 * that also becomes an event of the email, unless the email has been deleted. Doing it again changes nothing.
 * @returns whether there is a new event
 */
export async function unsubscribe(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  sender: ListSender,
  subscription: Subscription,
  { topic, detail }: UnsubscribeRequest,
): Promise<boolean> {
  // A suppression of an address that was erased has only its hash, so a unique index cannot find it.
  const known = await findUnsubscribes(ctx, sender, subscription);
  return ctx.db.transaction(async (trx) => {
    // The email is locked first, as when a worker records a bounce that suppresses the address.
    const isNew = await recordEvent(ctx, trx, subscription, topic);
    if (sender.isTest || known.includes(topic)) return isNew;
    const { emailId, address } = subscription;
    const added = { workspaceId: sender.liveId, address: addressKey(address), topic, emailId, detail };
    await insertSuppressions(trx, [{ ...added, reason: 'unsubscribe' }]);
    return isNew;
  });
}

async function recordEvent(
  { now }: Pick<Context, 'now'>,
  trx: Parameters<typeof insertEmailEvent>[0],
  { workspaceId, emailId }: Subscription,
  topic: string | null,
): Promise<boolean> {
  const [email] = await lockEmails(trx, [emailId]);
  if (email?.workspaceId !== workspaceId || (await hasUnsubscribed(trx, emailId))) return false;
  await insertEmailEvent(trx, workspaceId, emailId, {
    sequence: email.lastSequence + 1,
    type: 'unsubscribed',
    // Not the address of the link: the recipient may have been erased from the email.
    recipient: await findRecipientOf(trx, emailId),
    detail: topic === null ? 'From all topics' : `From the topic ${topic}`,
    at: now(),
  });
  return true;
}
