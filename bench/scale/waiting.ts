import { formatCount } from '@posthorn/platform/values';
import { getPercentile } from '@posthorn/testing';
import { usEach } from '../support/cpu.js';
import { median, medianFigure, medianWithRange } from '../support/figure.js';
import { report } from '../support/report.js';
import { openStack, openWorkspace } from '../support/stack.js';
import type { Row } from '../support/table.js';
import { type Drain, measureDrain } from './drain.js';
import { measureRedisMemory } from './redis-memory.js';
import { email, refill } from './refill.js';
import { load, openService, type Service } from './service.js';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.js';

/**
 * Numbers of waiting emails. Every other round measures them in reverse order, so that a machine that slows down
 * affects all of them.
 */
const WAITING = (process.env.WAITING ?? '10000,100000,1000000').split(',').map(Number);
/** Long enough for V8 to compile the hot code. */
const WARM_UP_SECONDS = 10;
/** How many drains are measured for each number: one in each order. */
const DRAINS = 2;
/** How long the load runs before each round. */
const REWARM_SECONDS = 1;
/** If the worker takes less time than this to empty the queue, the rate until then is noise. */
const MIN_SECONDS = 2;

type SizeResult = { readonly waiting: number; readonly accepting: Accepting; readonly drains: Drain[] };

/** Emails per second, and CPU time per email in microseconds, from several rounds. */
type Accepting = { readonly rates: number[]; readonly us: Record<'api' | 'postgres' | 'redis', number[]> };

/**
 * Varies how many emails are waiting. Measures accepting, draining, the delay of another workspace's urgent emails, and
 * Redis memory per email.
 */
export async function measureWaiting(): Promise<void> {
  const stack = await openStack();
  const service = await openService(stack);
  const { key: urgentKey } = await openWorkspace(stack.ctx, 'urgent');

  await load(service, email, { connections: CONNECTIONS, duration: WARM_UP_SECONDS });
  const memory = await measureRedisMemory(service);
  const sizes: SizeResult[] = WAITING.map((waiting) => ({
    waiting,
    accepting: { rates: [], us: { api: [], postgres: [], redis: [] } },
    drains: [],
  }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { waiting, accepting } of inTurn(sizes, round)) await measureAccepting(service, waiting, accepting);
  for (let round = 0; round < DRAINS; round += 1)
    for (const { waiting, drains } of inTurn(sizes, round))
      drains.push(await measureDrain(service, waiting, urgentKey));
  const apiPeak = service.api.peakMb();
  await service.close();
  await stack.close();

  report('scale', 'waiting', {
    rows: sizes.map(toRow),
    ratios: {
      'accepting, most / fewest': ratio(sizes, ({ accepting }) => accepting.rates),
      'draining, most / fewest': ratio(sizes, ({ drains }) => drains.flatMap(({ afterQueueEmpty }) => afterQueueEmpty)),
      'Redis B/email, under load': medianWithRange(memory.underLoad),
      'Redis B/email, one by one': medianWithRange(memory.oneByOne),
      'API, peak MB': Math.round(apiPeak),
      'worker, peak MB': Math.round(Math.max(...sizes.flatMap(({ drains }) => drains.map(({ peakMb }) => peakMb)))),
    },
    settings: { WAITING: WAITING.join(','), ROUNDS, SECONDS, ...stack.versions },
  });
}

function inTurn(sizes: readonly SizeResult[], round: number): readonly SizeResult[] {
  return round % 2 === 0 ? sizes : [...sizes].reverse();
}

/** Measures one round of accepting while `waiting` emails, plus those from the warm-up, are waiting. */
async function measureAccepting(service: Service, waiting: number, { rates, us }: Accepting): Promise<void> {
  await refill(service.stack, waiting);
  // The API was idle during the refill, and V8 discards compiled code that has not run for a while.
  await load(service, email, { connections: CONNECTIONS, duration: REWARM_SECONDS });
  const cpu = () => ({ api: service.api.cpuSeconds(), ...service.stack.cpuSeconds() });
  const before = cpu();
  const accepted = await load(service, email, { connections: CONNECTIONS, duration: SECONDS });
  const usOfRound = usEach(before, cpu(), accepted);
  rates.push(accepted / SECONDS);
  for (const component of ['api', 'postgres', 'redis'] as const) us[component].push(usOfRound[component]);
}

function toRow({ waiting, accepting, drains }: SizeResult): Row {
  const beforeQueueEmpty = drains.flatMap((drain) => drain.beforeQueueEmpty);
  const urgent = drains.flatMap((drain) => drain.urgent);
  const getUs = (component: keyof Drain['us']) => medianFigure(drains.map(({ us }) => us[component]));
  const ms = (value: number | null) => (value === null ? '-' : Math.round(value));
  return {
    waiting: formatCount(waiting),
    'accepted/s': medianWithRange(accepting.rates),
    'API us': medianFigure(accepting.us.api),
    'Postgres us': medianFigure(accepting.us.postgres),
    'Redis us': medianFigure(accepting.us.redis),
    'queue empty after s': medianFigure(
      drains.map(({ queueEmptyMs }) => queueEmptyMs / 1_000),
      1,
    ),
    'drained/s before that': beforeQueueEmpty.length < DRAINS * MIN_SECONDS ? '-' : medianWithRange(beforeQueueEmpty),
    'drained/s after that': medianWithRange(drains.flatMap(({ afterQueueEmpty }) => afterQueueEmpty)),
    'draining: worker us': getUs('worker'),
    'draining: Postgres us': getUs('postgres'),
    'draining: Redis us': getUs('redis'),
    'urgent p50 ms': ms(getPercentile(urgent, 0.5)),
    'urgent max ms': ms(getPercentile(urgent, 1)),
  };
}

/** The ratio of the median with the most waiting emails to the median with the fewest. */
function ratio(sizes: readonly SizeResult[], samplesOf: (size: SizeResult) => number[]): string {
  const at = (wanted: number) => median(samplesOf(sizes.find(({ waiting }) => waiting === wanted) as SizeResult));
  return (at(Math.max(...WAITING)) / at(Math.min(...WAITING))).toFixed(2);
}
