import { insertEmailEvent, lockEmails } from '@posthorn/domain/emails';
import { addressKey } from '@posthorn/domain/format';
import type { UnsubscribeLink } from '@posthorn/domain/links';
import { insertSuppressions } from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { findUnsubscribes } from './find-unsubscribes.js';
import type { LinkSender } from './link-sender.js';
import { findRecipientOf, hasUnsubscribed } from './unsubscribe-store.js';

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
  sender: LinkSender,
  link: UnsubscribeLink,
  { topic, detail }: UnsubscribeRequest,
): Promise<boolean> {
  // A suppression of an address that was erased has only its hash, so a unique index cannot find it.
  const known = await findUnsubscribes(ctx, sender, link);
  return ctx.db.transaction(async (trx) => {
    // The email is locked first, as when a worker records a bounce that suppresses the address.
    const isNew = await recordEvent(ctx, trx, link, topic);
    if (sender.isTest || known.includes(topic)) return isNew;
    const { emailId, address } = link;
    const added = { workspaceId: sender.liveId, address: addressKey(address), topic, emailId, detail };
    await insertSuppressions(trx, [{ ...added, reason: 'unsubscribe' }]);
    return isNew;
  });
}

async function recordEvent(
  { now }: Pick<Context, 'now'>,
  trx: Knex,
  { workspaceId, emailId }: UnsubscribeLink,
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
