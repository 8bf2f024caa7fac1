import { setTimeout as sleep } from 'node:timers/promises';
import { countJobs } from '@posthorn/domain/delivery';
import type { Child } from '../support/child.js';
import { usEach } from '../support/cpu.js';
import { databaseNow } from '../support/database.js';
import { countOutcomes, deliveryMs, outcomesBySecond } from '../support/outcomes.js';
import { until } from '../support/until.js';
import { refill } from './refill.js';
import { type Service, sendOne, startWorker } from './service.js';
import { ROUNDS } from './settings.js';

const URGENT = 20;
const URGENT_WITHIN_MS = 60_000;
/**
 * Extra emails that are waiting at the start. Measuring begins once they are delivered: by then, V8 has compiled the
 * worker's code, and exactly `waiting` emails are left. Urgent emails are sent before that, while the extra emails are
 * being delivered.
 */
const WARM_UP_EMAILS = 10_000;
/** How many of the extra emails are delivered before the first urgent email is sent. */
const COLD_EMAILS = 5_000;
/** Measuring stops when only this share of the waiting emails is left, because they must not run out. */
const MIN_SHARE_LEFT = 1 / 5;
const WITHIN_MS = 600_000;
/** Delivered emails are counted no more often than this, because each count costs Postgres a few milliseconds. */
const COUNT_EVERY_MS = 250;

export type Drain = {
  /** The time from the start of the worker until it has taken all delivery jobs from the queue. */
  readonly queueEmptyMs: number;
  /** The number of outcomes in each second until then. */
  readonly beforeQueueEmpty: number[];
  /** The number of outcomes in each of the ROUNDS measured seconds, or in fewer seconds if the emails ran low. */
  readonly afterQueueEmpty: number[];
  /** CPU time per email in the measured seconds, in microseconds. */
  readonly us: Record<'worker' | 'postgres' | 'redis', number>;
  /** For each email from another workspace: milliseconds from its acceptance to its recorded outcome. */
  readonly urgent: number[];
  readonly peakMb: number;
};

/** Starts a worker on waiting emails and their delivery jobs, lets it empty the queue and warm up, then measures it. */
export async function measureDrain(service: Service, waiting: number, urgentKey: string): Promise<Drain> {
  const { ctx } = service.stack;
  await refill(service.stack, waiting + WARM_UP_EMAILS);
  const worker = await startWorker(service);
  const started = await databaseNow(ctx);
  await untilQueueIsEmpty(service, worker);
  const emptied = await databaseNow(ctx);
  await untilDelivered(service, worker, COLD_EMAILS);
  const urgent = await sendUrgentEmails(service, urgentKey, WARM_UP_EMAILS);
  await untilDelivered(service, worker, WARM_UP_EMAILS);
  const enough = Math.floor(WARM_UP_EMAILS + waiting * (1 - MIN_SHARE_LEFT));
  const [warm, delivered, before] = [await databaseNow(ctx), await countOutcomes(ctx), readCpu(service, worker)];
  await untilDelivered(service, worker, enough, warm.getTime() + ROUNDS * 1_000);
  const [ended, deliveredAtEnd, after] = [await databaseNow(ctx), await countOutcomes(ctx), readCpu(service, worker)];
  const left = WARM_UP_EMAILS + waiting + urgent.length - deliveredAtEnd;
  const peakMb = worker.peakMb();
  await worker.stop();

  const afterQueueEmpty = (await outcomesBySecond(ctx, warm, ended)).slice(0, ROUNDS);
  if (left <= 0 || afterQueueEmpty.length === 0)
    throw new Error(`${waiting} waiting emails are too few: ${left} were left after ${afterQueueEmpty.length} s`);
  const beforeQueueEmpty = await outcomesBySecond(ctx, started, emptied);
  const us = usEach(before, after, deliveredAtEnd - delivered);
  return { queueEmptyMs: emptied.getTime() - started.getTime(), beforeQueueEmpty, afterQueueEmpty, us, urgent, peakMb };
}

function readCpu({ stack }: Service, worker: Child) {
  return { worker: worker.cpuSeconds(), ...stack.cpuSeconds() };
}

function untilQueueIsEmpty({ stack }: Service, worker: Child): Promise<void> {
  const isEmpty = async () => (await countJobs(stack.ctx.redis)).waiting === 0;
  return until(isEmpty, { what: 'the queue to be empty', by: [worker], withinMs: WITHIN_MS });
}

/** @param latest when to stop waiting in any case, in milliseconds since the epoch */
function untilDelivered({ stack }: Service, worker: Child, count: number, latest = Infinity): Promise<void> {
  const isDelivered = async () => Date.now() >= latest || (await countOutcomes(stack.ctx)) >= count;
  const what = `${count} emails to be delivered`;
  return until(isDelivered, { what, by: [worker], withinMs: WITHIN_MS, everyMs: COUNT_EVERY_MS });
}

/** Sends urgent emails one after another while other emails wait. */
async function sendUrgentEmails(service: Service, key: string, enough: number): Promise<number[]> {
  const urgent: number[] = [];
  while (urgent.length < URGENT && (await countOutcomes(service.stack.ctx)) < enough)
    urgent.push(await sendUrgentEmail(service, key));
  return urgent;
}

async function sendUrgentEmail(service: Service, key: string): Promise<number> {
  const body = { to: ['john@example.com'], subject: 'Your code', text: '123456' };
  const id = await sendOne(service, key, body);
  for (const deadline = Date.now() + URGENT_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
    const ms = await deliveryMs(service.stack.ctx, id);
    if (ms !== null) return ms;
  }
  throw new Error(`An urgent email was not delivered within ${URGENT_WITHIN_MS} ms`);
}
