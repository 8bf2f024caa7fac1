import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue, runInTurn } from '@posthorn/domain/throttles';

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

/** A line in which sources take turns. */
function openQueue(atOnce = 1) {
  const refusal = { limit: '4 simultaneous logins', retryAfterSeconds: 1 };
  const turns = createFairQueue({ atOnce, line: { maxWaiting: 6, maxWaitingPerSource: 4, refusal } });
  return {
    add: <Result>(source: string, work: () => Promise<Result>) => runInTurn(turns, { owner: 'hashes', source }, work),
  };
}

describe('turns of several sources', () => {
  test('lets the sources take turns', async () => {
    const { started, work, endAll } = openWork();
    const queue = openQueue();
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
    const queue = openQueue(2);
    const added = ['a1', 'a2', 'a3'].map((name) => queue.add('a', work(name)));
    await sleep(1);
    expect(started).toEqual(['a1', 'a2']);
    await endAll(added);
    await Promise.all(added);
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  test('rests after each piece for as long as it took, if more is waiting', async () => {
    const queue = openQueue();
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
    const queue = openQueue();
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
    const queue = openQueue();
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
    const queue = openQueue();
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
    const queue = openQueue();
    const added = ['z', 'a', 'b', 'c', 'd', 'e', 'f'].map((source) => queue.add(source, work(source)));
    await expect(queue.add('g', work('g'))).rejects.toMatchObject({ code: 'unavailable' });
    await endAll(added);
    await Promise.all(added);
  });
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Starts requests that end when they are told to. */
function startRequests(names: readonly string[], workspaceOf: (name: string) => string) {
  const turns = createFairQueue({ atOnce: 4 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  for (const name of names) {
    void turns.begin(workspaceOf(name)).then((turn) => {
      started.push(name);
      ends.set(name, () => turn.end());
    });
  }
  const startedSoFar = async () => {
    await settle();
    return [...started];
  };
  return { started: startedSoFar, end: (name: string) => ends.get(name)?.() };
}

describe('turns', () => {
  test('of a workspace are given to four requests at a time, in order', async () => {
    const { started, end } = startRequests(['1', '2', '3', '4', '5', '6'], () => 'a');
    expect(await started()).toEqual(['1', '2', '3', '4']);
    end('3');
    expect(await started()).toEqual(['1', '2', '3', '4', '5']);
    end('1');
    end('2');
    expect(await started()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('of one workspace do not depend on those of another', async () => {
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'];
    const { started } = startRequests(names, ([workspace = '']) => workspace);
    expect(await started()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  test('are passed on only once, however often end() is called', async () => {
    const { started, end } = startRequests(['1', '2', '3', '4', '5', '6'], () => 'a');
    await started();
    end('1');
    end('1');
    expect(await started()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('are passed on after the pause that was passed to end()', async () => {
    const turns = createFairQueue({ atOnce: 1 });
    const order: string[] = [];
    const first = await turns.begin('a');
    const second = turns.begin('a').then(() => order.push('second'));
    first.end(20);
    setTimeout(() => order.push('timer'), 10);
    await second;
    expect(order).toEqual(['timer', 'second']);
  });

  test('are refused at once if nobody may wait, and free again after one has ended', async () => {
    const refusal = { limit: '1 export', retryAfterSeconds: 10 };
    const turns = createFairQueue({ atOnce: 1, line: { maxWaitingPerSource: 0, refusal } });
    const first = await turns.begin('a');
    await expect(turns.begin('a')).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('1 export'),
      extras: { retryAfterSeconds: 10 },
    });
    await turns.begin('b');
    first.end();
    await turns.begin('a');
  });
});

describe('reserved turns', () => {
  async function beginAll(sources: readonly string[]) {
    const turns = createFairQueue({ atOnce: 3, reserved: 1 });
    const begun: Array<{ source: string; end: () => void }> = [];
    for (const source of sources) void turns.begin('all', source).then(({ end }) => begun.push({ source, end }));
    const listBegun = async () => {
      await sleep(1);
      return begun.map(({ source }) => source).join('');
    };
    const end = (index: number) => begun[index]?.end();
    return { end, listBegun };
  }

  test('are only for sources that have none', async () => {
    const { end, listBegun } = await beginAll(['a', 'a', 'a', 'b', 'c']);
    expect(await listBegun()).toBe('aab');
    end(0);
    expect(await listBegun()).toBe('aabc');
    end(2);
    expect(await listBegun()).toBe('aabc');
    end(3);
    expect(await listBegun()).toBe('aabca');
  });

  test('do not keep a source waiting that has none any more', async () => {
    const { end, listBegun } = await beginAll(['a', 'a', 'a', 'a']);
    expect(await listBegun()).toBe('aa');
    end(0);
    expect(await listBegun()).toBe('aaa');
    end(1);
    expect(await listBegun()).toBe('aaaa');
    end(2);
    end(3);
    end(3);
    expect(await listBegun()).toBe('aaaa');
  });
});
