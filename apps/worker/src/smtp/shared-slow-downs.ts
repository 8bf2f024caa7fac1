import { beginSlowDown, endSlowDown, findSlowDown, type SlowDownState } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { HOUR_MS } from '@posthorn/platform/values';

/** How long what Redis said is used. */
const FRESH_MS = 1_000;
const MAX_PLACES = 10_000;

type Known = { readonly state: SlowDownState | null; readonly readAt: number };

export type SlowDowns = ReturnType<typeof createSlowDowns>;

/** @property delaySeconds that the reply names; null if it names none. @property text the reply */
type Asked = { readonly delaySeconds: number | null; readonly text: string };

/**
 * Until when relays and sites want less mail, which all workers share. Each slow-down ends by itself. While Redis is
 * unreachable, a worker knows its own. A place is the name of a relay, or of a site of one.
 * @param computeSeconds how long a slow-down lasts whose reply names no time. Steps count from 0, until mail is taken
 */
export function createSlowDowns(
  ctx: Pick<Context, 'incarnation' | 'log' | 'redis'>,
  computeSeconds: (step: number) => number,
) {
  const known = new Map<string, Known>();
  const steps = new Map<string, number>();
  const report = (error: unknown) => ctx.log.debug({ error }, 'slow_downs_not_shared');

  function remember(place: string, state: SlowDownState | null): Known {
    const [oldest] = known.keys();
    if (known.size >= MAX_PLACES && oldest !== undefined) known.delete(oldest);
    const entry = { state, readAt: performance.now() };
    known.set(place, entry);
    return entry;
  }

  /** Mail does not wait for Redis: until it answers, what was known before holds. */
  function refresh(place: string): void {
    const entry = remember(place, known.get(place)?.state ?? null);
    findSlowDown(ctx, place)
      .then((state) => {
        // A slow-down that has begun meanwhile is newer.
        if (known.get(place) === entry) remember(place, state);
      })
      .catch(report);
  }

  return {
    /** @returns null if mail may be sent */
    find(place: string): SlowDownState | null {
      if (performance.now() - (known.get(place)?.readAt ?? Number.NEGATIVE_INFINITY) > FRESH_MS) refresh(place);
      const state = known.get(place)?.state ?? null;
      return state !== null && state.until > Date.now() ? state : null;
    },
    async begin(place: string, { delaySeconds, text }: Asked): Promise<void> {
      const step = steps.get(place) ?? 0;
      const ms = Math.min((delaySeconds ?? computeSeconds(step)) * 1_000, HOUR_MS);
      const state = { until: Date.now() + ms, reply: text };
      steps.set(place, step + 1);
      remember(place, state);
      await beginSlowDown(ctx, place, state).catch(report);
    },
    /** Call this when the place has taken a message or refused a recipient. */
    end(place: string): void {
      if (steps.delete(place)) void endSlowDown(ctx, place).catch(report);
    },
  };
}
