import type { UnsubscribeLink } from '@posthorn/domain/links';
import { addressHashers, findSuppressionsOfAddresses, soughtAddresses } from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import type { LinkSender } from './link-sender.js';

/** @returns the topics that the recipient has unsubscribed from, in order; null stands for every topic */
export async function findUnsubscribes(
  { config, db }: Pick<Context, 'config' | 'db'>,
  { liveId: workspaceId }: LinkSender,
  { address }: Pick<UnsubscribeLink, 'address'>,
): Promise<(string | null)[]> {
  const found = await findSuppressionsOfAddresses(db, soughtAddresses(addressHashers(config), workspaceId, [address]));
  const topics = found.filter(({ reason }) => reason === 'unsubscribe').map(({ topic }) => topic);
  return [...new Set(topics)].toSorted();
}
