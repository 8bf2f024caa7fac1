import { type ClaimedEmail, hostOf, parseAddress } from '@posthorn/domain';

/** The domain that From names: it signs the message, and is part of its id and of its return path. */
export function senderHost({ from }: Pick<ClaimedEmail, 'from'>): string {
  return hostOf(parseAddress(from).address);
}
