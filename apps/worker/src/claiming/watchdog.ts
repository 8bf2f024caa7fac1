import type { Log } from '@posthorn/platform/logs';
import type { Sweep } from './sweep.js';

const TICK_MS = 10_000;
/** No round takes this many ticks, even in an outage, because every wait in it has a much lower limit. */
const MAX_TICKS = 12;

/**
 * Checks that the sweep keeps running. While the sweep runs, emails are delivered even if all delivery jobs are lost.
 * The watchdog counts ticks instead of time, so that a process that was frozen does not look stuck.
 * @param onStuck called once, when no round has ended for two minutes
 */
export function startWatchdog(
  { sweep, log }: { sweep: Pick<Sweep, 'rounds'>; log: Log },
  onStuck: () => void,
  { tickMs = TICK_MS } = {},
): { stop(): void } {
  let seen = sweep.rounds();
  let ticks = 0;
  const ticking = setInterval(() => {
    const rounds = sweep.rounds();
    ticks = rounds === seen ? ticks + 1 : 0;
    seen = rounds;
    if (ticks < MAX_TICKS) return;
    clearInterval(ticking);
    log.error({ seconds: (ticks * tickMs) / 1_000 }, 'sweep_stuck');
    onStuck();
  }, tickMs).unref();
  return { stop: () => clearInterval(ticking) };
}
