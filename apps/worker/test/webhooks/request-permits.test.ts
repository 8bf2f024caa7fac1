import type { SharedLimit } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { openRequestPermits, type Permits, type RequestPermits } from '../../src/webhooks/request-permits.js';

let ctx: Context;
let workers: RequestPermits[];
let limit: SharedLimit;

beforeEach(async () => {
  ctx = await openTestContext();
  workers = [openRequestPermits(ctx), openRequestPermits(ctx)];
  limit = {
    key: `test:${newId()}`,
    ...{ first: 2, most: 8, lessAfterRefused: 1, lessAfterUnanswered: 4 },
    perWindow: { atFirst: 1_000, proven: 1_000 },
    windowSeconds: 60,
    mostLeases: 2,
    endsWhenAccepted: false,
    growsWithAnswers: false,
  };
});

afterEach(async () => {
  for (const worker of workers) worker.close();
  await closeTestContext(ctx);
});

/** Leases of the workers in turn. */
const openLeases = (count: number, limits = [limit]) =>
  Array.from({ length: count }, (_, i) => (workers[i % workers.length] as RequestPermits).open(limits));

/** Takes permits until there are none. @returns those that got one */
async function takeAll(leases: readonly Permits[]): Promise<Permits[]> {
  const taken = await Promise.all(leases.map(async (lease) => ((await lease.take()) ? lease : null)));
  return taken.filter((lease) => lease !== null);
}

/** Makes so many requests one after another, which end like this. */
async function request(lease: Permits, end: Parameters<Permits['release']>[0], count: number): Promise<number> {
  let made = 0;
  for (; made < count && (await lease.take()); made += 1) lease.release(end);
  return made;
}

test('two requests may run at once until one was accepted, however many workers ask', async () => {
  const running = await takeAll(openLeases(12));
  expect(running).toHaveLength(2);
  for (const lease of running) lease.release('refused');
  expect(await takeAll(openLeases(12))).toHaveLength(2);
});

test('each accepted request makes room for one more, up to the limit, and failures take it away', async () => {
  const [lease] = openLeases(1) as [Permits];
  await request(lease, 'accepted', 20);
  const readRunning = async () => {
    let running: Permits[] = [];
    // The other worker sees a change when this one has reported it.
    await until(async () => {
      const taken = await takeAll(openLeases(12));
      const isSame = taken.length === running.length;
      for (const each of taken) each.release('not made');
      running = taken;
      return isSame;
    });
    return running.length;
  };
  expect(await readRunning()).toBe(8);
  await request(lease, 'refused', 3);
  expect(await readRunning()).toBe(5);
  await request(lease, 'unanswered', 1);
  expect(await readRunning()).toBe(2);
});

test('requests that begin in a window are counted for all workers together', async () => {
  limit = { ...limit, perWindow: { atFirst: 5, proven: 5 } };
  const leases = openLeases(2) as [Permits, Permits];
  const made = await Promise.all(leases.map((lease) => request(lease, 'refused', 100)));
  expect(made.reduce((sum, count) => sum + count, 0)).toBe(5);
  const [late] = openLeases(1) as [Permits];
  expect(await late.take()).toBe(false);
  expect(late.postponeSeconds()).toBeGreaterThan(10);
});

test('what a receiver accepts in its best window makes room for twice as many, if the limit says so', async () => {
  const grows = { ...limit, perWindow: { atFirst: 100, proven: 100 }, growsWithAnswers: true };
  const [lease] = openLeases(1, [grows]) as [Permits];
  expect(await request(lease, 'accepted', 1_000)).toBe(1_000);
});

test('a request needs a permit of every limit', async () => {
  const other = { ...limit, key: `test:${newId()}`, first: 1, most: 1 };
  const [first, second] = openLeases(2, [limit, other]) as [Permits, Permits];
  const [alone] = openLeases(1) as [Permits];
  expect(await first.take()).toBe(true);
  expect(await second.take()).toBe(false);
  expect(await alone.take()).toBe(true);
});

test('a limit for receivers that have accepted nothing ends when the first request is accepted', async () => {
  const first = { ...limit, perWindow: { atFirst: 1, proven: 1 }, endsWhenAccepted: true };
  const [lease] = openLeases(1, [first]) as [Permits];
  expect(await request(lease, 'accepted', 20)).toBe(20);
});

test('only some leases may begin at the same time, and then learn that others are waiting', async () => {
  const [first, second, third] = Array.from({ length: 3 }, () => (workers[0] as RequestPermits).open([limit])) as [
    Permits,
    Permits,
    Permits,
  ];
  expect([await first.begin(), await second.begin(), first.areWanted()]).toEqual([true, true, false]);
  expect([await third.begin(), third.postponeSeconds(), first.areWanted()]).toEqual([false, 2, true]);
  const begun = third.begin();
  first.end();
  expect(await begun).toBe(true);
});

test('a lease waits for room while one of its own requests is running', async () => {
  const [lease] = openLeases(1) as [Permits];
  await Promise.all([lease.take(), lease.take()]);
  const third = lease.take();
  setTimeout(() => lease.release('accepted'), 600);
  expect(await third).toBe(true);
});

test('without Redis, each worker takes a part, and counts by itself', async () => {
  ctx.redis.disconnect();
  const big = { ...limit, first: 8, perWindow: { atFirst: 40, proven: 40 } };
  const [lease] = openLeases(1, [big]) as [Permits];
  expect(await request(lease, 'refused', 100)).toBe(10);
  const running = await takeAll(Array.from({ length: 8 }, () => (workers[1] as RequestPermits).open([big])));
  expect(running).toHaveLength(2);
});
