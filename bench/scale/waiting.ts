import { percentile } from '@posthorn/testing';
import { usEach } from '../support/cpu.js';
import { median, middle, type Row, report, spread } from '../support/report.js';
import { openStack, openWorkspace } from '../support/stack.js';
import { type Drain, measureDrain } from './drain.js';
import { measureRedisMemory } from './redis-memory.js';
import { email, refill } from './refill.js';
import { load, openService, type Service } from './service.js';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.js';

/** How many wait; the fewest are measured once more at the end, to tell what the order does. */
const WAITING = (process.env.WAITING ?? '10000,100000,1000000').split(',').map(Number);
/** Until V8 has compiled what is hot. */
const WARM_UP_SECONDS = 10;
/** In fewer the seconds in which bells are heard have no rate. */
const LEAST_SECONDS = 2;

type Measured = { readonly waiting: number; readonly accepting: Accepting; readonly drain: Drain };

/** Emails a second, and microseconds of processor time for each, in several rounds. */
type Accepting = { readonly rates: number[]; readonly us: Record<'api' | 'postgres' | 'redis', number[]> };

export async function measureWaiting(): Promise<void> {
  const stack = await openStack();
  const service = await openService(stack);
  const { key: urgentKey } = await openWorkspace(stack.ctx, 'urgent');
  const fewest = Math.min(...WAITING);

  await load(service, email, { connections: CONNECTIONS, duration: WARM_UP_SECONDS });
  const memory = await measureRedisMemory(service);
  const found: Measured[] = [];
  for (const waiting of [...WAITING, fewest]) {
    const accepting = await measureAccepting(service, waiting);
    found.push({ waiting, accepting, drain: await measureDrain(service, waiting, urgentKey) });
  }
  const apiPeak = service.api.peakMb();
  await service.close();
  await stack.close();

  report(
    'scale-waiting',
    found.map(toRow),
    {
      'accepting, most / fewest': ratio(found, ({ accepting }) => accepting.rates),
      'draining, most / fewest': ratio(found, ({ drain }) => drain.afterwards),
      'Redis B/mail, under load': spread(memory.underLoad),
      'Redis B/mail, one by one': spread(memory.oneByOne),
      'API, peak MB': Math.round(apiPeak),
      'worker, peak MB': Math.round(Math.max(...found.map(({ drain }) => drain.peakMb))),
    },
    { WAITING: WAITING.join(','), ROUNDS, SECONDS, ...stack.versions },
  );
}

/** Each round begins with as many as are said to wait, and adds what it accepts. */
async function measureAccepting(service: Service, waiting: number): Promise<Accepting> {
  const accepting: Accepting = { rates: [], us: { api: [], postgres: [], redis: [] } };
  const cpu = () => ({ api: service.api.cpuSeconds(), ...service.stack.cpuSeconds() });
  for (let round = 0; round < ROUNDS; round += 1) {
    await refill(service.stack, waiting);
    const before = cpu();
    const accepted = await load(service, email, { connections: CONNECTIONS, duration: SECONDS });
    const us = usEach(before, cpu(), accepted);
    accepting.rates.push(accepted / SECONDS);
    for (const party of ['api', 'postgres', 'redis'] as const) accepting.us[party].push(us[party]);
  }
  return accepting;
}

function toRow({ waiting, accepting, drain }: Measured, index: number): Row {
  const { heardMs, whileHearing, afterwards, us, urgent } = drain;
  const ms = (value: number | null) => (value === null ? '-' : Math.round(value));
  return {
    waiting: `${waiting.toLocaleString('en-US')}${index === WAITING.length ? ' again' : ''}`,
    'accepted/s': spread(accepting.rates),
    'API us': middle(accepting.us.api),
    'Postgres us': middle(accepting.us.postgres),
    'Redis us': middle(accepting.us.redis),
    'bells heard, s': (heardMs / 1_000).toFixed(1),
    'drained/s while bells are heard': whileHearing.length < LEAST_SECONDS ? '-' : spread(whileHearing),
    'drained/s': spread(afterwards),
    'of it worker us': Math.round(us.worker),
    'of it Postgres us': Math.round(us.postgres),
    'of it Redis us': Math.round(us.redis),
    'urgent p50 ms': ms(percentile(urgent, 0.5)),
    'urgent max ms': ms(percentile(urgent, 1)),
  };
}

/** Of the medians, those with the fewest taken from both of their runs. */
function ratio(found: readonly Measured[], samplesOf: (measured: Measured) => number[]): string {
  const at = (wanted: number) => median(found.filter(({ waiting }) => waiting === wanted).flatMap(samplesOf));
  return (at(Math.max(...WAITING)) / at(Math.min(...WAITING))).toFixed(2);
}
