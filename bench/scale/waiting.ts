import { percentile } from '@posthorn/testing';
import { usEach } from '../support/cpu.js';
import { median, middle, type Row, report, spread } from '../support/report.js';
import { openStack, openWorkspace } from '../support/stack.js';
import { type Drain, measureDrain } from './drain.js';
import { measureRedisMemory } from './redis-memory.js';
import { email, refill } from './refill.js';
import { load, openService, type Service } from './service.js';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.js';

/** How many wait: there and back in turns, so that a machine that slows down meanwhile slows all of them. */
const WAITING = (process.env.WAITING ?? '10000,100000,1000000').split(',').map(Number);
/** Until V8 has compiled what is hot. */
const WARM_UP_SECONDS = 10;
/** There and back once. */
const DRAINS = 2;
/** Before each round. */
const AFRESH_SECONDS = 1;
/** In fewer the seconds in which bells are heard have no rate. */
const LEAST_SECONDS = 2;

type Measured = { readonly waiting: number; readonly accepting: Accepting; readonly drains: Drain[] };

/** Emails a second, and microseconds of processor time for each, in several rounds. */
type Accepting = { readonly rates: number[]; readonly us: Record<'api' | 'postgres' | 'redis', number[]> };

export async function measureWaiting(): Promise<void> {
  const stack = await openStack();
  const service = await openService(stack);
  const { key: urgentKey } = await openWorkspace(stack.ctx, 'urgent');

  await load(service, email, { connections: CONNECTIONS, duration: WARM_UP_SECONDS });
  const memory = await measureRedisMemory(service);
  const found: Measured[] = WAITING.map((waiting) => ({
    waiting,
    accepting: { rates: [], us: { api: [], postgres: [], redis: [] } },
    drains: [],
  }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { waiting, accepting } of turn(found, round)) await measureAccepting(service, waiting, accepting);
  for (let round = 0; round < DRAINS; round += 1)
    for (const { waiting, drains } of turn(found, round)) drains.push(await measureDrain(service, waiting, urgentKey));
  const apiPeak = service.api.peakMb();
  await service.close();
  await stack.close();

  report(
    'scale-waiting',
    found.map(toRow),
    {
      'accepting, most / fewest': ratio(found, ({ accepting }) => accepting.rates),
      'draining, most / fewest': ratio(found, ({ drains }) => drains.flatMap(({ afterwards }) => afterwards)),
      'Redis B/mail, under load': spread(memory.underLoad),
      'Redis B/mail, one by one': spread(memory.oneByOne),
      'API, peak MB': Math.round(apiPeak),
      'worker, peak MB': Math.round(Math.max(...found.flatMap(({ drains }) => drains.map(({ peakMb }) => peakMb)))),
    },
    { WAITING: WAITING.join(','), ROUNDS, SECONDS, ...stack.versions },
  );
}

function turn(found: readonly Measured[], round: number): readonly Measured[] {
  return round % 2 === 0 ? found : [...found].reverse();
}

/** A round begins with as many as are said to wait, and what was accepted to get warm, and adds what it accepts. */
async function measureAccepting(service: Service, waiting: number, { rates, us }: Accepting): Promise<void> {
  await refill(service.stack, waiting);
  // The API was idle meanwhile, the longer the more were filled in, and V8 has put aside what nobody ran.
  await load(service, email, { connections: CONNECTIONS, duration: AFRESH_SECONDS });
  const cpu = () => ({ api: service.api.cpuSeconds(), ...service.stack.cpuSeconds() });
  const before = cpu();
  const accepted = await load(service, email, { connections: CONNECTIONS, duration: SECONDS });
  const usOfRound = usEach(before, cpu(), accepted);
  rates.push(accepted / SECONDS);
  for (const party of ['api', 'postgres', 'redis'] as const) us[party].push(usOfRound[party]);
}

function toRow({ waiting, accepting, drains }: Measured): Row {
  const whileHearing = drains.flatMap((drain) => drain.whileHearing);
  const urgent = drains.flatMap((drain) => drain.urgent);
  const usOf = (party: keyof Drain['us']) => middle(drains.map(({ us }) => us[party]));
  const ms = (value: number | null) => (value === null ? '-' : Math.round(value));
  return {
    waiting: waiting.toLocaleString('en-US'),
    'accepted/s': spread(accepting.rates),
    'API us': middle(accepting.us.api),
    'Postgres us': middle(accepting.us.postgres),
    'Redis us': middle(accepting.us.redis),
    'bells heard, s': middle(
      drains.map(({ heardMs }) => heardMs / 1_000),
      1,
    ),
    'drained/s while bells are heard': whileHearing.length < DRAINS * LEAST_SECONDS ? '-' : spread(whileHearing),
    'drained/s': spread(drains.flatMap(({ afterwards }) => afterwards)),
    'of it worker us': usOf('worker'),
    'of it Postgres us': usOf('postgres'),
    'of it Redis us': usOf('redis'),
    'urgent p50 ms': ms(percentile(urgent, 0.5)),
    'urgent max ms': ms(percentile(urgent, 1)),
  };
}

/** Of the medians. */
function ratio(found: readonly Measured[], samplesOf: (measured: Measured) => number[]): string {
  const at = (wanted: number) => median(samplesOf(found.find(({ waiting }) => waiting === wanted) as Measured));
  return (at(Math.max(...WAITING)) / at(Math.min(...WAITING))).toFixed(2);
}
