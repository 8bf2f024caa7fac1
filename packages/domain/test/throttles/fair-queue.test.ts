import { setTimeout as sleep } from 'node:timers/promises';
import { openFairQueue } from '../../src/throttles/fair-queue.js';

/** Work that records that it has started, and ends when the test says so. */
function openWork() {
  const started: string[] = [];
  const endings: Array<() => void> = [];
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name);
      endings.push(() => resolve(name));
    });
  /** Ends whatever is running until everything that was added has ended. The queue rests between two pieces of work. */
  async function endAll(added: readonly Promise<unknown>[]): Promise<void> {
    let isOver = false;
    void Promise.allSettled(added).then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const end of endings.splice(0)) end();
      await sleep(1);
    }
  }
  return { started, work, endAll };
}

const bounds = { atOnce: 1, maxWaiting: 6, maxWaitingPerSource: 4, what: 'logins' };

describe('a fair queue', () => {
  test('lets the sources take turns', async () => {
    const { started, work, endAll } = openWork();
    const queue = openFairQueue(bounds);
    const added = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => queue.add('a', work(name))),
      queue.add('b', work('b1')),
      queue.add('c', work('c1')),
    ];
    await endAll(added);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
    expect(await Promise.all(added)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });

  test('runs as many pieces of work at the same time as allowed, and no more', async () => {
    const { started, work, endAll } = openWork();
    const queue = openFairQueue({ ...bounds, atOnce: 2 });
    const added = ['a1', 'a2', 'a3'].map((name) => queue.add('a', work(name)));
    expect(started).toEqual(['a1', 'a2']);
    await endAll(added);
    await Promise.all(added);
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  test('rests after each piece for as long as it took, if more is waiting', async () => {
    const queue = openFairQueue(bounds);
    const ends: number[] = [];
    const starts: number[] = [];
    const work = async () => {
      starts.push(performance.now());
      await sleep(40);
      ends.push(performance.now());
    };
    await Promise.all([queue.add('a', work), queue.add('b', work)]);
    expect((starts[1] as number) - (ends[0] as number)).toBeGreaterThan(30);
  });

  test('continues after work fails, whether at once or later', async () => {
    const queue = openFairQueue(bounds);
    const results = await Promise.allSettled([
      queue.add('a', async () => {
        throw new Error('later');
      }),
      queue.add('a', () => {
        throw new Error('at once');
      }),
      queue.add('a', async () => 'done'),
    ]);
    expect(results).toMatchObject([
      { status: 'rejected', reason: { message: 'later' } },
      { status: 'rejected', reason: { message: 'at once' } },
      { status: 'fulfilled', value: 'done' },
    ]);
  });

  test('refuses work from a source that has too much waiting, and says when to retry', async () => {
    const { work, endAll } = openWork();
    const queue = openFairQueue(bounds);
    const added = Array.from({ length: 5 }, (_, index) => queue.add('a', work(`a${index}`)));
    await expect(queue.add('a', work('more'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('4 simultaneous logins'),
      extras: { retryAfterSeconds: 1 },
    });
    await endAll(added);
    await Promise.all(added);
  });

  test('refuses the newest work of the source with the most work waiting when the queue is full', async () => {
    const { started, work, endAll } = openWork();
    const queue = openFairQueue(bounds);
    const added = [
      ...['a0', 'a1', 'a2', 'a3', 'a4'].map((name) => queue.add('a', work(name))),
      ...['b1', 'b2'].map((name) => queue.add('b', work(name))),
      queue.add('c', work('c1')),
    ];
    const results = Promise.allSettled(added);
    await endAll(added);
    const refused = (await results).flatMap((result, index) => (result.status === 'rejected' ? [index] : []));
    expect(refused).toEqual([4]);
    expect(started).toEqual(['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('refuses work as unavailable when it is full and every source has only one piece waiting', async () => {
    const { work, endAll } = openWork();
    const queue = openFairQueue(bounds);
    const added = ['z', 'a', 'b', 'c', 'd', 'e', 'f'].map((source) => queue.add(source, work(source)));
    await expect(queue.add('g', work('g'))).rejects.toMatchObject({ code: 'unavailable' });
    await endAll(added);
    await Promise.all(added);
  });
});
