import type { ClaimedEmail } from '@posthorn/domain/delivery';
import type { WaitsFor } from '@posthorn/domain/emails';
import type { Part } from '../routing/email-parts.js';
import type { Mail, NoRoute, SendResult } from '../smtp/failover.js';
import type { Relays } from '../smtp/relays.js';
import type { OnEnvelope } from '../smtp/transaction-result.js';

/** Some recipients of an email, and what came of sending it to them. */
export type SentPart = {
  readonly to: readonly string[];
  readonly sent: SendResult | NoRoute;
  /** What these recipients wait for; null if the message was sent to them, or will be tried again soon. */
  readonly waitsFor: WaitsFor | null;
};

/** A part that a mail server was asked to take. We may have stopped before its end. */
export type TriedPart = SentPart & { readonly sent: SendResult };

export function isTried(part: SentPart): part is TriedPart {
  return part.sent.end !== 'no_route';
}

/**
 * Sends an email to all of its parts at the same time, so that none waits for a slow server of another.
 * @param onPart called when a part, or an envelope of one, has ended and others have not, with all that have ended
 */
export async function sendParts(
  relays: Relays,
  parts: readonly Part[],
  { mail, onPart }: { readonly mail: Mail; readonly onPart: (ended: readonly SentPart[]) => Promise<void> },
): Promise<SentPart[]> {
  const ended: SentPart[] = [];
  const envelopes: SentPart[] = [];
  const { from } = mail.envelope;
  const isOfOther = ({ to }: SentPart) => !ended.some((part) => to.some((address) => part.to.includes(address)));
  const onEnvelope: OnEnvelope = async ({ to, route, transaction }) => {
    envelopes.push({ to, sent: { ...transaction, route }, waitsFor: null });
    await onPart([...ended, ...envelopes.filter(isOfOther)]);
  };
  const all = parts.map(async (part) => {
    const sent = await relays.send({ ...mail, envelope: { from, to: part.to }, onEnvelope }, part.relays);
    const sentPart = { to: part.to, sent, waitsFor: findWait(relays, part, sent) };
    ended.push(sentPart);
    if (ended.length < parts.length) await onPart([...ended, ...envelopes.filter(isOfOther)]);
    return sentPart;
  });
  return Promise.all(all);
}

/** While no relay at all can be used, emails wait for their time, and a probe decides when they are sent. */
function findWait(relays: Relays, { waitsFor }: Part, sent: SendResult | NoRoute): WaitsFor | null {
  if (sent.end !== 'no_route') return null;
  if (sent.limit !== null) return sent.limit;
  return sent.route === null && relays.areAvailable() ? waitsFor : null;
}

/** What an email waits for if nothing was tried for any recipient; null if something was. */
export function findHoldBack({ reclaimed }: ClaimedEmail, parts: readonly SentPart[]): WaitsFor | null {
  // What is known about the lost attempt must be recorded.
  if (reclaimed !== null || !parts.every(({ waitsFor }) => waitsFor !== null)) return null;
  return parts[0]?.waitsFor ?? null;
}
