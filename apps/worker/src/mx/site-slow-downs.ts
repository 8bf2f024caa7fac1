import { beginSlowDown, endSlowDown, findSlowDown, type SlowDownState } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { addJitter, HOUR_MS } from '@posthorn/platform/values';
import type { SlowDown } from './slow-downs.js';

/** How long what Redis said is used. */
const FRESH_MS = 1_000;
/** A site that refuses us is asked again after five minutes at the latest, unless it names a longer time. */
const MAX_SECONDS = 300;
const MAX_PLACES = 10_000;

type Known = { readonly state: SlowDownState | null; readonly readAt: number };

export type SlowDowns = ReturnType<typeof createSlowDowns>;

/**
 * Until when sites want less mail, which all workers share. Each slow-down ends by itself. While Redis is unreachable,
 * a worker knows its own.
 * @param place names a site of a relay
 */
export function createSlowDowns(ctx: Pick<Context, 'config' | 'incarnation' | 'log' | 'redis'>) {
  const known = new Map<string, Known>();
  const steps = new Map<string, number>();
  const report = (error: unknown) => ctx.log.debug({ error }, 'slow_downs_not_shared');

  function remember(place: string, state: SlowDownState | null): void {
    const [oldest] = known.keys();
    if (known.size >= MAX_PLACES && oldest !== undefined) known.delete(oldest);
    known.set(place, { state, readAt: performance.now() });
  }

  return {
    /** @returns null if mail may be sent */
    async find(place: string): Promise<SlowDownState | null> {
      const cached = known.get(place);
      if (cached === undefined || performance.now() - cached.readAt > FRESH_MS) {
        const own = cached?.state ?? null;
        remember(
          place,
          await findSlowDown(ctx, place).catch((error) => {
            report(error);
            return own;
          }),
        );
      }
      const state = known.get(place)?.state ?? null;
      return state !== null && state.until > Date.now() ? state : null;
    },
    /** By the steps of RETRY_SCHEDULE, or for as long as the reply says. */
    async begin(place: string, { delaySeconds, text }: SlowDown & { readonly text: string }): Promise<void> {
      const step = steps.get(place) ?? 0;
      const { retryScheduleSeconds: schedule } = ctx.config;
      const planned = addJitter(
        Math.min(schedule[Math.min(step, schedule.length - 1)] ?? MAX_SECONDS, MAX_SECONDS),
        0.2,
      );
      const ms = Math.min((delaySeconds ?? planned) * 1_000, HOUR_MS);
      const state = { until: Date.now() + ms, reply: text };
      steps.set(place, step + 1);
      remember(place, state);
      await beginSlowDown(ctx, place, state).catch(report);
    },
    /** Call this when the site has taken a message or refused a recipient. */
    end(place: string): void {
      if (steps.delete(place)) void endSlowDown(ctx, place).catch(report);
    },
  };
}
