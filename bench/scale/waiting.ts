import { percentile } from '@posthorn/testing';
import { median, type Row, report, spread } from '../support/report.js';
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

type Measured = { readonly waiting: number; readonly accepted: number[]; readonly drain: Drain };

export async function measureWaiting(): Promise<void> {
  const stack = await openStack();
  const service = await openService(stack);
  const { key: urgentKey } = await openWorkspace(stack.ctx, 'urgent');
  const fewest = Math.min(...WAITING);

  await load(service, email, { connections: CONNECTIONS, duration: WARM_UP_SECONDS });
  const memory = await measureRedisMemory(service);
  const found: Measured[] = [];
  for (const waiting of [...WAITING, fewest]) {
    const accepted = await measureAccepting(service, waiting);
    found.push({ waiting, accepted, drain: await measureDrain(service, waiting, urgentKey) });
  }
  const apiPeak = service.api.peakMb();
  await service.close();
  await stack.close();

  report(
    'scale-waiting',
    found.map(toRow),
    {
      'accepting, most / fewest': ratio(found, ({ accepted }) => accepted),
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
async function measureAccepting(service: Service, waiting: number): Promise<number[]> {
  const accepted: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await refill(service.stack, waiting);
    accepted.push((await load(service, email, { connections: CONNECTIONS, duration: SECONDS })) / SECONDS);
  }
  return accepted;
}

function toRow({ waiting, accepted, drain }: Measured, index: number): Row {
  const { heardMs, whileHearing, afterwards, urgent } = drain;
  const ms = (value: number | null) => (value === null ? '-' : Math.round(value));
  return {
    waiting: `${waiting.toLocaleString('en-US')}${index === WAITING.length ? ' again' : ''}`,
    'accepted/s': spread(accepted),
    'bells heard, s': (heardMs / 1_000).toFixed(1),
    'drained/s while bells are heard': whileHearing.length < LEAST_SECONDS ? '-' : spread(whileHearing),
    'drained/s': spread(afterwards),
    'urgent p50 ms': ms(percentile(urgent, 0.5)),
    'urgent max ms': ms(percentile(urgent, 1)),
  };
}

/** Of the medians, those with the fewest taken from both of their runs. */
function ratio(found: readonly Measured[], samplesOf: (measured: Measured) => number[]): string {
  const at = (wanted: number) => median(found.filter(({ waiting }) => waiting === wanted).flatMap(samplesOf));
  return (at(Math.max(...WAITING)) / at(Math.min(...WAITING))).toFixed(2);
}
