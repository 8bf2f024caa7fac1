import { groupCalls, toRejection } from '../../src/batching/grouping.js';

/** A flush that runs until the test ends it. */
function controlledFlush() {
  const flushes: Array<{ inputs: number[]; end(): void; fail(error: Error): void }> = [];
  const flush = (inputs: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      flushes.push({ inputs, end: () => resolve(inputs.map((input) => input * 10)), fail: reject });
    });
  return { flushes, flush };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('grouped', () => {
  test('flushes a lone call at once, and groups calls that arrive during that flush into the next one', async () => {
    const { flushes, flush } = controlledFlush();
    const call = groupCalls(flush, { max: 10 });
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

  test('starts the next flush even if a result of the last one is a pending promise', async () => {
    const later: Array<(output: string) => void> = [];
    const call = groupCalls<string, string>(
      async (inputs) =>
        inputs.map((input) => (input === 'slow' ? new Promise((resolve) => later.push(resolve)) : input)),
      { max: 10 },
    );
    const slow = call('slow');
    expect(await call('fast')).toBe('fast');
    expect(await call('next')).toBe('next');
    later[0]?.('done');
    expect(await slow).toBe('done');
  });

  test('respects the maximum number of inputs per flush and of concurrent flushes', async () => {
    const { flushes, flush } = controlledFlush();
    const call = groupCalls(flush, { max: 2, inFlight: 2 });
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

  test('starts a flush beside a running one only if it is full', async () => {
    const { flushes, flush } = controlledFlush();
    const call = groupCalls(flush, { max: 3, countIn: (input) => input, inFlight: 2, onlyFullBeside: true });
    const calls = [call(1)];
    await turn();
    calls.push(call(2));
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[1]]);
    calls.push(call(1), call(2));
    flushes[0]?.end();
    await turn();
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[1], [2, 1]]);
    calls.push(call(4));
    await turn();
    flushes[1]?.end();
    await turn();
    await turn();
    expect(flushes.map(({ inputs }) => inputs)).toEqual([[1], [2, 1], [2], [4]]);
    for (const { end } of flushes) end();
    expect(await Promise.all(calls)).toEqual([10, 20, 10, 20, 40]);
  });

  test('respects the maximum weight per flush, and flushes an input that exceeds it on its own', async () => {
    const { flushes, flush } = controlledFlush();
    const call = groupCalls(flush, { max: 3, weigh: (input) => input, maxWeight: 10 });
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

  test('rejects only the calls in a flush that throws, not those in the next one', async () => {
    const { flushes, flush } = controlledFlush();
    const call = groupCalls(flush, { max: 10 });
    const failing = call(1);
    await turn();
    const next = call(2);
    flushes[0]?.fail(new Error('unavailable'));
    await expect(failing).rejects.toThrow('unavailable');
    await turn();
    flushes[1]?.end();
    expect(await next).toBe(20);
  });

  test('also rejects waiting calls if they would fail with the same error', async () => {
    const { flushes, flush } = controlledFlush();
    const call = groupCalls(flush, {
      max: 10,
      failsAllWaiting: (error) => (error as Error).message === 'no connection',
    });
    const failing = call(1);
    await turn();
    const next = call(2);
    flushes[0]?.fail(new Error('no connection'));
    await expect(failing).rejects.toThrow('no connection');
    await expect(next).rejects.toThrow('no connection');
    expect(flushes).toHaveLength(1);
  });

  test('also rejects waiting calls if a flush fails halfway, but resolves the calls that had succeeded', async () => {
    const { flushes, flush } = controlledFlush();
    const unavailable = new Error('no connection');
    const breakOff = async (inputs: number[]) => {
      const [first, ...rest] = await flush(inputs);
      return [first, ...rest.map(() => toRejection(unavailable))];
    };
    const call = groupCalls(breakOff, { max: 2, failsAllWaiting: (error) => error === unavailable });
    const settled = Promise.allSettled([call(1), call(2), call(3)]);
    await turn();
    flushes[0]?.end();
    expect(await settled).toEqual([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: unavailable },
      { status: 'rejected', reason: unavailable },
    ]);
    expect(flushes).toHaveLength(1);
  });

  test('rejects only the call whose result is a Rejection', async () => {
    const invalid = new Error('invalid');
    const call = groupCalls(
      async (inputs: number[]) => inputs.map((input) => (input % 2 ? toRejection(invalid) : input)),
      {
        max: 9,
      },
    );
    const results = await Promise.allSettled([call(1), call(2), call(4)]);
    expect(results).toEqual([
      { status: 'rejected', reason: invalid },
      { status: 'fulfilled', value: 2 },
      { status: 'fulfilled', value: 4 },
    ]);
  });
});
