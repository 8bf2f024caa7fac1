import type { StoredMessage } from '@posthorn/domain/emails';
import { hostOf, parseAddress } from '@posthorn/domain/format';

/** The domain of From. Its key signs the message, and it is part of the message id and the return path. */
export function senderHost({ from }: Pick<StoredMessage, 'from'>): string {
  return hostOf(parseAddress(from).address);
}
