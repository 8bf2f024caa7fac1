import { addressKey } from '../addresses/address.js';
import type { Context } from '../context.js';
import { addressHashers } from '../secrets/address-hash.js';
import { findSuppressions } from '../suppressions/suppression-store.js';
import type { Subscription } from '../unsubscribe-links/unsubscribe-token.js';
import type { ListSender } from './list-sender.js';

/** @returns the topics that the recipient has unsubscribed from, in order; null stands for every topic */
export async function findUnsubscribes(
  { config, db }: Pick<Context, 'config' | 'db'>,
  { liveId: workspaceId }: ListSender,
  { address }: Pick<Subscription, 'address'>,
): Promise<(string | null)[]> {
  const sought = addressHashers(config).map((hash) => ({
    workspaceId,
    address: addressKey(address),
    hash: hash(workspaceId, address),
  }));
  const found = await findSuppressions(db, sought);
  const topics = found.filter(({ reason }) => reason === 'unsubscribe').map(({ topic }) => topic);
  return [...new Set(topics)].toSorted();
}
