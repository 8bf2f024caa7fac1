import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { openDeliveryJobs } from '../../src/delivery/delivery-jobs.js';

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
