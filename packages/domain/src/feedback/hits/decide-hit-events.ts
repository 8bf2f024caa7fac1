import type { LockedEmail } from '@posthorn/domain/emails';
import { isErasedAddress } from '@posthorn/domain/erasure';
import { limits } from '@posthorn/domain/limits';
import { newId } from '@posthorn/platform/values';
import type { Hit, HitHistory, HitKind, NewHitEvent } from './hit.js';

/** A request this soon after sending comes from a scanner, not from a reader. */
const MIN_READING_MS = 10_000;

const MIN_PAUSE_MS: Readonly<Record<HitKind['type'], number>> = {
  'email.opened': limits.openRepeatMinutes.max * 60_000,
  'email.clicked': limits.clickRepeatSeconds.max * 1_000,
};

type TrackedEmail = Pick<LockedEmail, 'id' | 'workspaceId' | 'recipients' | 'lastSequence'>;

/**
 * Decides which of the hits on one email are recorded: the first of its kind, and later ones after a pause. People and
 * machines are counted apart, so that a scanner does not hide the person who comes after it.
 * @param hits in the order in which they happened
 */
export function decideHitEvents(email: TrackedEmail, hits: readonly Hit[], history: HitHistory): NewHitEvent[] {
  const isRepeated = repeatFilter(history);
  const room = limits.trackedEvents.max - history.hits.reduce((sum, { count }) => sum + count, 0);
  return hits
    .flatMap((hit): Decided[] => {
      const recipient = recipientOf(email, hit);
      if (recipient === undefined) return [];
      const machine = hit.isMachine || isTooSoon(hit, history);
      return [
        { type: hit.url === null ? 'email.opened' : 'email.clicked', recipient, url: hit.url, machine, at: hit.at },
      ];
    })
    .filter((decided) => !isRepeated(decided))
    .slice(0, Math.max(room, 0))
    .map(({ type, recipient, url, machine, at }, index) => ({
      id: newId(),
      emailId: email.id,
      workspaceId: email.workspaceId,
      sequence: email.lastSequence + index + 1,
      type,
      recipient,
      detail: [url, machine && '(probably automated)'].filter(Boolean).join(' ') || null,
      data: { machine, ...(url !== null && { url }) },
      at,
    }));
}

type Decided = HitKind & { readonly at: Date };

/** A function that says whether an equal hit was too recent, and remembers those that it lets through. */
function repeatFilter({ hits }: HitHistory): (hit: Decided) => boolean {
  const lastAt = new Map(hits.map((hit) => [keyOf(hit), hit.lastAt.getTime()]));
  return (hit) => {
    const at = hit.at.getTime();
    const before = lastAt.get(keyOf(hit));
    if (before !== undefined && at - before < MIN_PAUSE_MS[hit.type]) return true;
    lastAt.set(keyOf(hit), at);
    return false;
  };
}

function keyOf({ type, recipient, url, machine }: HitKind): string {
  return JSON.stringify([type, recipient, url, machine]);
}

/** @returns undefined if the recipient was erased, because nothing more may be known about them */
function recipientOf({ recipients }: TrackedEmail, { position }: Hit): string | null | undefined {
  if (position === null) return recipients.every(({ address }) => isErasedAddress(address)) ? undefined : null;
  const address = recipients.find((recipient) => recipient.position === position)?.address;
  return address === undefined || isErasedAddress(address) ? undefined : address;
}

function isTooSoon({ at }: Hit, { sentAt }: HitHistory): boolean {
  return sentAt === null || at.getTime() - sentAt.getTime() < MIN_READING_MS;
}
