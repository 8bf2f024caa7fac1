import { type LockedEmail, lockEmails } from '@posthorn/domain/emails';
import { isErasedAddress } from '@posthorn/domain/erasure';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import {
  insertOpenClickEvents,
  type NewOpenClickEvent,
  type OpenClickHistory,
  type OpenClickKind,
  type OpenOrClick,
  readOpenClickHistory,
} from './open-click-store.js';

/**
 * Writes opens and clicks to the event log, in one transaction. The rows of the emails are locked in the order that
 * workers and reports use, so the events of each email stay in one gapless sequence. No status changes.
 * @returns whether anything was written
 */
export async function recordOpensAndClicks(
  { db }: Pick<Context, 'db'>,
  hits: readonly OpenOrClick[],
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const ids = [...new Set(hits.map(({ emailId }) => emailId))].toSorted();
    const emails = await lockEmails(trx, ids);
    const history = await readOpenClickHistory(trx, ids);
    const events = emails.flatMap((email) => {
      const own = hits.filter(({ emailId }) => emailId === email.id);
      return decideOpenClickEvents(email, own, history.get(email.id) ?? { sentAt: null, hits: [] });
    });
    if (events.length > 0) await insertOpenClickEvents(trx, events);
    return events.length > 0;
  });
}

/** A request this soon after sending comes from a scanner, not from a reader. */
const MIN_READING_MS = 10_000;

const MIN_PAUSE_MS: Readonly<Record<OpenClickKind['type'], number>> = {
  'email.opened': limits.openRepeatMinutes.max * 60_000,
  'email.clicked': limits.clickRepeatSeconds.max * 1_000,
};

type TrackedEmail = Pick<LockedEmail, 'id' | 'workspaceId' | 'recipients' | 'lastSequence'>;

/**
 * Decides which of the hits on one email are recorded: the first of its kind, and later ones after a pause. People and
 * machines are counted apart, so that a scanner does not hide the person who comes after it.
 * @param hits in the order in which they happened
 */
function decideOpenClickEvents(
  email: TrackedEmail,
  hits: readonly OpenOrClick[],
  history: OpenClickHistory,
): NewOpenClickEvent[] {
  const isRepeated = createRepeatFilter(history);
  const room = limits.trackedEvents.max - history.hits.reduce((sum, { count }) => sum + count, 0);
  return hits
    .flatMap((hit): Decided[] => {
      const recipient = findRecipient(email, hit);
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

type Decided = OpenClickKind & { readonly at: Date };

/** A function that says whether an equal hit was too recent, and remembers those that it lets through. */
function createRepeatFilter({ hits }: OpenClickHistory): (hit: Decided) => boolean {
  const lastAt = new Map(hits.map((hit) => [toKey(hit), hit.lastAt.getTime()]));
  return (hit) => {
    const at = hit.at.getTime();
    const before = lastAt.get(toKey(hit));
    if (before !== undefined && at - before < MIN_PAUSE_MS[hit.type]) return true;
    lastAt.set(toKey(hit), at);
    return false;
  };
}

function toKey({ type, recipient, url, machine }: OpenClickKind): string {
  return JSON.stringify([type, recipient, url, machine]);
}

/** @returns undefined if the recipient was erased, because nothing more may be known about them */
function findRecipient({ recipients }: TrackedEmail, { position }: OpenOrClick): string | null | undefined {
  if (position === null) return recipients.every(({ address }) => isErasedAddress(address)) ? undefined : null;
  const address = recipients.find((recipient) => recipient.position === position)?.address;
  return address === undefined || isErasedAddress(address) ? undefined : address;
}

function isTooSoon({ at }: OpenOrClick, { sentAt }: OpenClickHistory): boolean {
  return sentAt === null || at.getTime() - sentAt.getTime() < MIN_READING_MS;
}
