import type { Log } from '@posthorn/domain';
import type { Sweep } from './sweep.js';

const TICK_MS = 10_000;
/** No round takes so long, whatever is down: every wait in it is bounded far below. */
const MAX_TICKS = 12;

/**
 * Watches that the sweep goes on turning: as long as it does, mail flows, whatever became of the
 * bells. Counted are ticks, not time, so that a process which was frozen is not taken for stuck.
 * @param onStuck called once, after two minutes in which no round ended
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
