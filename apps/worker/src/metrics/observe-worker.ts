import { addReadCounter, addReadGauge } from '@posthorn/platform/metrics';
import type { Registry } from 'prom-client';
import type { WorkerContext } from '../context.js';

type WorkerParts = Pick<WorkerContext, 'relays' | 'slots' | 'refusedOutcomes'>;

/** Adds the metrics that are read from the parts of a worker when they are scraped. */
export function observeWorker(registry: Registry, { relays, slots, refusedOutcomes }: WorkerParts): void {
  addReadGauge(
    registry,
    {
      name: 'posthorn_outcomes_waiting',
      help: 'Outcomes that Postgres has not recorded yet (recording), or has refused to record (refused)',
      label: 'state',
    },
    () => ({ recording: slots.recording(), refused: refusedOutcomes.count() }),
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_relay_failed',
      help: '1 while the circuit breaker of a relay is open, from its failure until a message went through',
      label: 'relay',
    },
    () => Object.fromEntries(relays.readStates().map(({ relay, hasFailed }) => [relay, Number(hasFailed)])),
  );
  addReadGauge(
    registry,
    { name: 'posthorn_smtp_sessions', help: 'Open SMTP sessions by relay, including idle ones', label: 'relay' },
    () => Object.fromEntries(relays.readStates().map(({ relay, sessions }) => [relay, sessions.open])),
  );
  addReadGauge(
    registry,
    { name: 'posthorn_smtp_idle_sessions', help: 'Open SMTP sessions that carry no message, by relay', label: 'relay' },
    () => Object.fromEntries(relays.readStates().map(({ relay, sessions }) => [relay, sessions.idle])),
  );
  addReadCounter(
    registry,
    {
      name: 'posthorn_smtp_sessions_total',
      help: 'SMTP sessions that were opened, and those that could not be opened (failed)',
      labels: ['relay', 'result'],
    },
    () =>
      relays.readStates().flatMap(({ relay, sessions }) => [
        [{ relay, result: 'opened' }, sessions.opened],
        [{ relay, result: 'failed' }, sessions.failed],
      ]),
  );
}
