import { insertEmailEvent, lockEmails } from '@posthorn/domain/emails';
import { toAddressKey } from '@posthorn/domain/format';
import type { UnsubscribeLink } from '@posthorn/domain/links';
import {
  createAddressHashers,
  findSuppressionsOfAddresses,
  insertSuppressions,
  toSoughtAddresses,
} from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { deleteUnsubscribes, findRecipientAddress, hasUnsubscribed, type LinkSender } from './unsubscribe-store.js';

type UnsubscribeRequest = {
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
    const added = { workspaceId: sender.liveId, address: toAddressKey(address), topic, emailId, detail };
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
    recipient: await findRecipientAddress(trx, emailId),
    detail: topic === null ? 'From all topics' : `From the topic ${topic}`,
    at: now(),
  });
  return true;
}

/** @returns the topics that the recipient has unsubscribed from, in order; null stands for every topic */
export async function findUnsubscribes(
  { config, db }: Pick<Context, 'config' | 'db'>,
  { liveId: workspaceId }: LinkSender,
  { address }: Pick<UnsubscribeLink, 'address'>,
): Promise<(string | null)[]> {
  const found = await findSuppressionsOfAddresses(
    db,
    toSoughtAddresses(createAddressHashers(config), workspaceId, [address]),
  );
  const topics = found.filter(({ reason }) => reason === 'unsubscribe').map(({ topic }) => topic);
  return [...new Set(topics)].toSorted();
}

/**
 * Takes back what the recipient unsubscribed from. Suppressions for other reasons, such as a bounce, stay.
 * @param topic null to take back "from all topics"; single topics that the recipient has unsubscribed from stay
 */
export async function subscribeAgain(
  { config, db }: Pick<Context, 'config' | 'db'>,
  { liveId: workspaceId, isTest }: LinkSender,
  { address }: Pick<UnsubscribeLink, 'address'>,
  topic: string | null,
): Promise<void> {
  if (isTest) return;
  await deleteUnsubscribes(db, toSoughtAddresses(createAddressHashers(config), workspaceId, [address]), topic);
}
