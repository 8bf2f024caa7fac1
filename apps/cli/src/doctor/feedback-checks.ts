import { type FeedbackState, hasSentBetween, readFeedbackState, readRelays } from '@posthorn/domain/relays';
import { DAY_MS, toFirstId } from '@posthorn/platform/values';
import type { CliContext } from '../command-line/context.js';
import { type Check, type CheckOutcome, ok, warning } from './check.js';

type FeedbackContext = Pick<CliContext, 'db' | 'now'>;

/** One check for each relay whose provider posts events. The checks of Postgres say if it cannot be read. */
export async function buildFeedbackChecks(ctx: FeedbackContext): Promise<Check[]> {
  const relays = await readRelays(ctx.db).catch(() => []);
  return relays
    .filter(({ feedback }) => feedback !== null)
    .map(({ id, name }) => ({ name: `feedback ${name}`, run: () => checkFeedback(ctx, id, name) }));
}

/** Mail that is older is not looked for. */
const MAX_SILENCE_MS = 7 * DAY_MS;

async function checkFeedback({ db, now }: FeedbackContext, relayId: string, name: string): Promise<CheckOutcome> {
  const state = await readFeedbackState(db, relayId);
  const time = now().getTime();
  const from = Math.max(state.lastEventAt?.getTime() ?? 0, time - MAX_SILENCE_MS);
  const to = time - DAY_MS;
  const isSilent = from < to && (await hasSentBetween(db, relayId, toFirstId(from), toFirstId(to)));
  return evaluateFeedback(name, state, isSilent);
}

/** @param isSilent whether mail went out by the relay more than a day ago, and nothing came back since */
export function evaluateFeedback(name: string, state: FeedbackState, isSilent: boolean): CheckOutcome {
  const { lastEventAt, lastRefusedAt, lastRefusal } = state;
  const lastEvent = lastEventAt === null ? 'No event yet' : `Last event at ${lastEventAt.toISOString()}`;
  const lastRefused = lastRefusedAt && `last refusal at ${lastRefusedAt.toISOString()}: ${lastRefusal}`;
  const detail = [lastEvent, lastRefused].filter(Boolean).join('; ');
  if (lastRefusedAt !== null && (lastEventAt === null || lastEventAt <= lastRefusedAt))
    return warning(detail, "Compare the provider's settings with docs/relays/README.md.");
  if (isSilent)
    return warning(
      `Mail went out by it more than a day ago, and nothing came back since. ${detail}`,
      `Check that the provider posts its events to the feedback_url that posthorn relay show ${name} prints.`,
    );
  return ok(detail);
}
