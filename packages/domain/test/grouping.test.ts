import { flushEachAlone, grouped, Rejection } from '../src/grouping.js';

/** A flush that is under way until it is told to end. */
function heldFlush() {
  const flushes: Array<{ inputs: number[]; end(): void; fail(error: Error): void }> = [];
  const flush = (inputs: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      flushes.push({ inputs, end: () => resolve(inputs.map((input) => input * 10)), fail: reject });
    });
  return { flushes, flush };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('grouped', () => {
  test('does a lone call at once, and what arrives meanwhile together in the next flush', async () => {
    const { flushes, flush } = heldFlush();
    const call = grouped(flush, { max: 10 });
    const first = call(1);
    await turn();
    const others = [call(2), call(3)];
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[1]]);
    flushes[0]?.end();
    expect(await first).toBe(10);
    await turn();
    expect(flushes[1]?.inputs).toEqual([2, 3]);
    flushes[1]?.end();
    expect(await Promise.all(others)).toEqual([20, 30]);
  });

  test('gives no flush more than it may hold and runs no more side by side than it may', async () => {
    const { flushes, flush } = heldFlush();
    const call = grouped(flush, { max: 2, inFlight: 2 });
    const calls = [1, 2, 3, 4, 5].map((input) => call(input));
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    for (const { end } of flushes) end();
    await turn();
    await turn();
    flushes[2]?.end();
    expect(await Promise.all(calls)).toEqual([10, 20, 30, 40, 50]);
  });

  test('gives no flush more than is not too heavy together, and one that is too heavy alone to nobody else', async () => {
    const { flushes, flush } = heldFlush();
    const call = grouped(flush, { max: 3, weigh: (input) => input, maxWeight: 10 });
    const calls = [4, 6, 1, 50, 1, 1, 1, 1].map((input) => call(input));
    await turn();
    for (let ended = 0; ended < 5; ended += 1) {
      flushes[ended]?.end();
      await turn();
      await turn();
    }
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[4, 6], [1], [50], [1, 1, 1], [1]]);
    expect(await Promise.all(calls)).toEqual([40, 60, 10, 500, 10, 10, 10, 10]);
  });

  test('runs a flush beside another only when as many wait as it is worth', async () => {
    const { flushes, flush } = heldFlush();
    const call = grouped(flush, { max: 2, inFlight: 2, minBesideRunning: 2 });
    const calls = [call(1)];
    await turn();
    calls.push(call(2));
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[1]]);
    calls.push(call(3));
    await turn();
    calls.push(call(4));
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[1], [2, 3]]);
    for (const { end } of flushes) end();
    await turn();
    await turn();
    expect(flushes[2]?.inputs).toEqual([4]);
    flushes[2]?.end();
    expect(await Promise.all(calls)).toEqual([10, 20, 30, 40]);
  });

  test('a flush that throws fails its own calls, not those of the next', async () => {
    const { flushes, flush } = heldFlush();
    const call = grouped(flush, { max: 10 });
    const failing = call(1);
    await turn();
    const next = call(2);
    flushes[0]?.fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await turn();
    flushes[1]?.end();
    expect(await next).toBe(20);
  });

  test('a flush that throws what would meet the next as well fails those that wait for it', async () => {
    const { flushes, flush } = heldFlush();
    const call = grouped(flush, { max: 10, failsAllWaiting: (error) => (error as Error).message === 'no connection' });
    const failing = call(1);
    await turn();
    const next = call(2);
    flushes[0]?.fail(new Error('no connection'));
    await expect(failing).rejects.toThrow('no connection');
    await expect(next).rejects.toThrow('no connection');
    expect(flushes).toHaveLength(1);
  });

  test('so does one that breaks off, and the calls that it came to have their results', async () => {
    const { flushes, flush } = heldFlush();
    const away = new Error('no connection');
    const breakOff = async (inputs: number[]) => {
      const [first, ...rest] = await flush(inputs);
      return [first, ...rest.map(() => new Rejection(away))];
    };
    const call = grouped(breakOff, { max: 2, failsAllWaiting: (error) => error === away });
    const settled = Promise.allSettled([call(1), call(2), call(3)]);
    await turn();
    flushes[0]?.end();
    expect(await settled).toEqual([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: away },
      { status: 'rejected', reason: away },
    ]);
    expect(flushes).toHaveLength(1);
  });

  test('a Rejection fails one call, its neighbours have their results', async () => {
    const odd = new Error('odd');
    const call = grouped(async (inputs: number[]) => inputs.map((input) => (input % 2 ? new Rejection(odd) : input)), {
      max: 9,
    });
    const results = await Promise.allSettled([call(1), call(2), call(4)]);
    expect(results).toEqual([
      { status: 'rejected', reason: odd },
      { status: 'fulfilled', value: 2 },
      { status: 'fulfilled', value: 4 },
    ]);
  });
});

describe('flushEachAlone', () => {
  const odd = new Error('odd');
  const away = new Error('away');

  /** A flush that knows one input it will not have, and one that it breaks at; and what it was asked for. */
  function pickyFlush({ refused, breaking }: { refused?: number; breaking?: number }) {
    const asked: number[][] = [];
    const flush = async (inputs: number[]) => {
      asked.push(inputs);
      if (breaking !== undefined && inputs.includes(breaking)) throw away;
      return inputs.map((input) => (input === refused ? new Rejection(odd) : input * 10));
    };
    return { asked, flush };
  }

  test('gives each input a flush of its own, and a result whatever its neighbours meet', async () => {
    const { asked, flush } = pickyFlush({ refused: 2 });
    expect(await flushEachAlone(flush, [1, 2, 3], odd)).toEqual([10, new Rejection(odd), 30]);
    expect(asked).toEqual([[1], [2], [3]]);
  });

  test('does not try again what was alone already', async () => {
    const { asked, flush } = pickyFlush({});
    expect(await flushEachAlone(flush, [1], odd)).toEqual([new Rejection(odd)]);
    expect(asked).toEqual([]);
  });

  test('keeps what is done when a flush throws, and rejects that input and all that follow untried', async () => {
    const { asked, flush } = pickyFlush({ refused: 1, breaking: 3 });
    expect(await flushEachAlone(flush, [1, 2, 3, 4, 5], odd)).toEqual([
      new Rejection(odd),
      20,
      new Rejection(away),
      new Rejection(away),
      new Rejection(away),
    ]);
    expect(asked).toEqual([[1], [2], [3]]);
  });
});
