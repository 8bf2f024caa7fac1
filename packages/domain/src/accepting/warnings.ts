import type { Warning } from '@posthorn/contract';
import type { Address } from '@posthorn/domain/format';
import { formatCountOf } from '@posthorn/platform/values';
import type { SendRequest } from './send-request.js';

const NONE: readonly Warning[] = [];

/**
 * @param used the address that the email is sent from
 * @param suppressed the recipients that will not get the email
 */
export function warningsOf(
  request: SendRequest,
  { used, suppressed }: { used: Address; suppressed: readonly string[] },
  now: Date,
): readonly Warning[] {
  const { from, duplicates, expiresAt, scheduledAt } = request;
  const replaced = from !== null && from.address !== used.address ? from : null;
  if (replaced === null && duplicates === undefined && expiresAt === undefined && suppressed.length === 0) return NONE;
  return [
    replaced === null ? null : senderReplaced(replaced, used),
    duplicates === undefined ? null : duplicatesRemoved(duplicates.count),
    suppressed.length === 0 ? null : recipientsSuppressed(suppressed),
    expiresAt === undefined ? null : expiresSoon(expiresAt, scheduledAt ?? now),
  ].filter((warning) => warning !== null);
}

function senderReplaced(requested: Address, used: Address): Warning {
  const message = `The email is sent from ${used.address} instead of ${requested.address}, because this workspace has no verified domain. Verify one, or omit from_.`;
  return { code: 'sender_replaced', message };
}

function duplicatesRemoved(count: number): Warning {
  const message = `${formatCountOf(count, 'recipient')} occurred more than once. Every address gets the email once.`;
  return { code: 'duplicate_recipients_removed', message };
}

function recipientsSuppressed(addresses: readonly string[]): Warning {
  const which = addresses.length === 1 ? 'One recipient is' : `${addresses.length} recipients are`;
  const message = `${which} suppressed and will not get the email: ${addresses.join(', ')}.`;
  return { code: 'suppressed_recipients', message };
}

/** The first attempt usually takes less time, but a retry does not. */
const SOON_SECONDS = 60;

/** @param dueAt when the email is first due. @returns null if enough time is left */
function expiresSoon(expiresAt: Date, dueAt: Date): Warning | null {
  const seconds = Math.floor((expiresAt.getTime() - dueAt.getTime()) / 1_000);
  if (seconds >= SOON_SECONDS) return null;
  const message = `The email expires ${formatCountOf(seconds, 'second')} after it is due, which leaves no time for a retry.`;
  return { code: 'expires_soon', message };
}
