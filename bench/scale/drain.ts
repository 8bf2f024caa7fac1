import { setTimeout as sleep } from 'node:timers/promises';
import { countJobs } from '@posthorn/domain';
import type { Child } from '../support/child.js';
import { usEach } from '../support/cpu.js';
import { countOutcomes, deliveryMs, outcomesBySecond } from '../support/drained.js';
import { databaseNow } from '../support/fill-store.js';
import { until } from '../support/until.js';
import { refill } from './refill.js';
import { type Service, sendOne, startWorker } from './service.js';
import { ROUNDS } from './settings.js';

const URGENT = Number(process.env.URGENT ?? 20);
const URGENT_WITHIN_MS = 60_000;
/**
 * So many more wait at first. What is measured begins when they are delivered: at every size V8 has
 * compiled the worker by then, and as many wait as are said to wait. Urgent mail is sent meanwhile.
 */
const WARM_UP_MAILS = 10_000;
/** Of those, delivered before the first urgent email. */
const COLD_MAILS = 5_000;
/** What is measured ends at the latest when so little of what waited is left, for mail must not run out. */
const LEAST_LEFT = 1 / 5;
const WITHIN_MS = 600_000;
/** Counting what is delivered costs Postgres a few milliseconds. */
const COUNT_EVERY_MS = 250;

export type Drain = {
  /** From the worker's start on. */
  readonly heardMs: number;
  /** Outcomes in each of the seconds in which bells were heard, the worker's first ones. */
  readonly whileHearing: number[];
  /** The same in ROUNDS of the seconds after that, if mail lasted so long. */
  readonly afterwards: number[];
  /** Microseconds of processor time for each email of those seconds. */
  readonly us: Record<'worker' | 'postgres' | 'redis', number>;
  /** Milliseconds of each email of another workspace from its acceptance to its recorded outcome. */
  readonly urgent: number[];
  readonly peakMb: number;
};

/** A worker starts in front of waiting mail and its bells, hears the bells, gets warm and is measured. */
export async function measureDrain(service: Service, waiting: number, urgentKey: string): Promise<Drain> {
  const { ctx } = service.stack;
  await refill(service.stack, waiting + WARM_UP_MAILS);
  const worker = await startWorker(service);
  const started = await databaseNow(ctx);
  await untilHeard(service, worker);
  const heard = await databaseNow(ctx);
  await untilDelivered(service, worker, COLD_MAILS);
  const urgent = await sendUrgents(service, urgentKey, WARM_UP_MAILS);
  await untilDelivered(service, worker, WARM_UP_MAILS);
  const enough = Math.floor(WARM_UP_MAILS + waiting * (1 - LEAST_LEFT));
  const [warm, delivered, before] = [await databaseNow(ctx), await countOutcomes(ctx), cpuOf(service, worker)];
  await untilDelivered(service, worker, enough, warm.getTime() + ROUNDS * 1_000);
  const [ended, deliveredAtEnd, after] = [await databaseNow(ctx), await countOutcomes(ctx), cpuOf(service, worker)];
  const left = WARM_UP_MAILS + waiting + urgent.length - deliveredAtEnd;
  const peakMb = worker.peakMb();
  await worker.stop();

  const afterwards = (await outcomesBySecond(ctx, warm, ended)).slice(0, ROUNDS);
  if (left <= 0 || afterwards.length === 0)
    throw new Error(`${waiting} waiting are too few: ${left} were left after ${afterwards.length} s`);
  const whileHearing = await outcomesBySecond(ctx, started, heard);
  const us = usEach(before, after, deliveredAtEnd - delivered);
  return { heardMs: heard.getTime() - started.getTime(), whileHearing, afterwards, us, urgent, peakMb };
}

function cpuOf({ stack }: Service, worker: Child) {
  return { worker: worker.cpuSeconds(), ...stack.cpuSeconds() };
}

function untilHeard({ stack }: Service, worker: Child): Promise<void> {
  const isHeard = async () => (await countJobs(stack.ctx.redis)).waiting === 0;
  return until(isHeard, { what: 'all bells to be heard', by: [worker], withinMs: WITHIN_MS });
}

/** @param latest when waiting ends even so, in the milliseconds of a `Date` */
function untilDelivered({ stack }: Service, worker: Child, count: number, latest = Infinity): Promise<void> {
  const isDelivered = async () => Date.now() >= latest || (await countOutcomes(stack.ctx)) >= count;
  const what = `${count} emails to be delivered`;
  return until(isDelivered, { what, by: [worker], withinMs: WITHIN_MS, everyMs: COUNT_EVERY_MS });
}

/** One after the other, as long as other mail waits. */
async function sendUrgents(service: Service, key: string, enough: number): Promise<number[]> {
  const urgent: number[] = [];
  while (urgent.length < URGENT && (await countOutcomes(service.stack.ctx)) < enough)
    urgent.push(await sendUrgent(service, key));
  return urgent;
}

async function sendUrgent(service: Service, key: string): Promise<number> {
  const body = { to: ['john@example.com'], subject: 'Your code', text: '123456' };
  const id = await sendOne(service, key, body);
  for (const deadline = Date.now() + URGENT_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
    const ms = await deliveryMs(service.stack.ctx, id);
    if (ms !== null) return ms;
  }
  throw new Error(`An urgent email was not delivered within ${URGENT_WITHIN_MS} ms`);
}
