import type { UnsubscribeLink } from '@posthorn/domain/links';
import { addressHashers, soughtAddresses } from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import type { LinkSender } from './link-sender.js';
import { deleteUnsubscribes } from './unsubscribe-store.js';

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
  await deleteUnsubscribes(db, soughtAddresses(addressHashers(config), workspaceId, [address]), topic);
}
