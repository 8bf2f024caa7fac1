import { recordFeedbackEvent, recordFeedbackRefusal } from '@posthorn/domain/relays';
import type { ApiContext } from '../context/api-context.js';

/** A relay that gets thousands of events a minute has its row written once a second. */
const MIN_MS_BETWEEN_NOTES = 1_000;

/** Remembers for the operator that something of a relay's provider was believed. */
export async function noteEvent(ctx: ApiContext, relayId: string): Promise<void> {
  if (isDue(ctx, `${relayId} event`)) await tolerate(ctx, recordFeedbackEvent(ctx.db, relayId, ctx.now()));
}

/** @param why a sentence for the operator */
export async function noteRefusal(ctx: ApiContext, relayId: string, reason: string, why: string): Promise<void> {
  if (isDue(ctx, `${relayId} ${reason}`)) await tolerate(ctx, recordFeedbackRefusal(ctx.db, relayId, ctx.now(), why));
}

function isDue({ feedback: { notedAt }, now }: ApiContext, key: string): boolean {
  const at = now().getTime();
  if (at - (notedAt.get(key) ?? 0) < MIN_MS_BETWEEN_NOTES) return false;
  notedAt.set(key, at);
  return true;
}

/** The answer to the provider does not depend on it. */
async function tolerate({ log }: ApiContext, noted: Promise<void>): Promise<void> {
  await noted.catch((error: unknown) => log.debug({ error }, 'feedback_not_noted'));
}
