import { formatCountOf } from '../format-count.js';

/** Something that the client may not expect, although the email was accepted. */
export type Warning = { readonly code: WarningCode; readonly message: string };

export type WarningCode = 'sender_replaced' | 'duplicate_recipients_removed' | 'expires_soon';

/** The first attempt usually takes less time, but a retry does not. */
const SOON_SECONDS = 60;

/** @param used the address that the email is sent from */
export function senderReplaced(requested: string, used: string): Warning {
  const message = `The email is sent from ${used} instead of ${requested}, because this workspace has no verified domain. Verify one, or omit from_.`;
  return { code: 'sender_replaced', message };
}

export function duplicatesRemoved(count: number): Warning {
  const message = `${formatCountOf(count, 'recipient')} occurred more than once. Every address gets the email once.`;
  return { code: 'duplicate_recipients_removed', message };
}

/** @param dueAt when the email is first due. @returns null if enough time is left */
export function expiresSoon(expiresAt: Date, dueAt: Date): Warning | null {
  const seconds = Math.floor((expiresAt.getTime() - dueAt.getTime()) / 1_000);
  if (seconds >= SOON_SECONDS) return null;
  const message = `The email expires ${formatCountOf(seconds, 'second')} after it is due, which leaves no time for a retry.`;
  return { code: 'expires_soon', message };
}
