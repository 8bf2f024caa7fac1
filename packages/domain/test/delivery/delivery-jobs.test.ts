import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { Queue } from 'bullmq';
import { DELIVERY_QUEUE, openDeliveryJobs, QUEUE_PREFIX } from '../../src/delivery/delivery-jobs.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

test('jobs that Redis could not take are counted as lost', async () => {
  const jobs = openDeliveryJobs(ctx);
  while (ctx.redis.status !== 'ready') await sleep(10);
  jobs.announce([]);
  jobs.announce([[newId(), newId()]]);
  while (jobs.counts.added === 0) await sleep(10);
  ctx.redis.disconnect();
  await once(ctx.redis, 'end');
  jobs.announce([[newId(), newId()]]);
  expect(jobs.counts).toEqual({ added: 1, lost: 1 });
  await jobs.close();
});

test('emails that are accepted in quick succession share jobs', async () => {
  const jobs = openDeliveryJobs(ctx);
  while (ctx.redis.status !== 'ready') await sleep(10);
  const ids = Array.from({ length: 100 }, newId);
  for (const id of ids) jobs.announce([[id, 'a-workspace']]);
  await jobs.close();
  const queue = new Queue(DELIVERY_QUEUE, { connection: ctx.redis, prefix: QUEUE_PREFIX, skipVersionCheck: true });
  const added = await queue.getWaiting();
  await queue.close();
  expect(added.map(({ data }) => data.emails['a-workspace'].length)).toEqual([1, 50, 49]);
  expect(added.flatMap(({ data }) => data.emails['a-workspace']).sort()).toEqual(ids);
  expect(jobs.counts).toEqual({ added: 3, lost: 0 });
});
