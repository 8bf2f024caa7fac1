import { addressKey } from '../addresses/address.js';
import type { Context } from '../context.js';
import { addressHashers } from '../secrets/address-hash.js';
import type { Subscription } from '../unsubscribe-links/unsubscribe-token.js';
import type { ListSender } from './list-sender.js';
import { deleteUnsubscribes } from './unsubscribing-store.js';

/**
 * Takes back what the recipient unsubscribed from. Suppressions for other reasons, such as a bounce, stay.
 * @param topic null to take back "from all topics"; single topics that the recipient has unsubscribed from stay
 */
export async function subscribeAgain(
  { config, db }: Pick<Context, 'config' | 'db'>,
  { liveId: workspaceId, isTest }: ListSender,
  { address }: Pick<Subscription, 'address'>,
  topic: string | null,
): Promise<void> {
  if (isTest) return;
  const hashes = addressHashers(config).map((hash) => hash(workspaceId, address));
  await deleteUnsubscribes(db, { workspaceId, address: addressKey(address), hashes }, topic);
}
