import { type ClaimedEmail, hostOf, parseAddress } from '@posthorn/domain';

/** The domain of From. It signs the message and appears in its message id and return path. */
export function senderHost({ from }: Pick<ClaimedEmail, 'from'>): string {
  return hostOf(parseAddress(from).address);
}
