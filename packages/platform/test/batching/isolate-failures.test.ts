import { toRejection } from '../../src/batching/grouping.js';
import { assertNoOutage, isolateFailures } from '../../src/batching/isolate-failures.js';

const invalid = new Error('invalid');
const unavailable = new Error('Connection terminated');
const locked = Object.assign(new Error('lock timeout'), { code: '55P03' });

/** Fails on groups with one of these items, and records the groups. */
function failingAct(failures: Readonly<Record<number, Error>>) {
  const groups: number[][] = [];
  const act = async (items: number[]) => {
    groups.push(items);
    const bad = items.find((item) => item in failures);
    if (bad !== undefined) throw failures[bad];
    return items.map((item) => item * 10);
  };
  return { groups, act };
}

describe('isolateFailures', () => {
  test('acts on all items together', async () => {
    const { groups, act } = failingAct({});
    expect(await isolateFailures([1, 2, 3], act)).toEqual([10, 20, 30]);
    expect(groups).toEqual([[1, 2, 3]]);
    expect(await isolateFailures([], act)).toEqual([]);
    expect(groups).toHaveLength(1);
  });

  test('halves a group that fails, until the failing item is alone, and acts on the others in order', async () => {
    const { groups, act } = failingAct({ 2: invalid });
    expect(await isolateFailures([1, 2, 3, 4], act)).toEqual([10, toRejection(invalid), 30, 40]);
    expect(groups).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [3, 4]]);
  });

  test('reports an item that failed on its own before it acts on later ones', async () => {
    const { groups, act } = failingAct({ 1: invalid });
    const refused: unknown[] = [];
    const onRefused = async (item: number, error: unknown) => void refused.push([item, error, groups.length]);
    await isolateFailures([1, 2], act, { onRefused });
    expect(refused).toEqual([[1, invalid, 2]]);
    expect(groups).toEqual([[1, 2], [1], [2]]);
  });

  test('does not repeat a single item', async () => {
    const { groups, act } = failingAct({ 1: invalid });
    expect(await isolateFailures([1], act)).toEqual([toRejection(invalid)]);
    expect(groups).toEqual([[1]]);
  });

  test('keeps results that reject single items of a group that succeeds', async () => {
    const act = async (items: number[]) => items.map((item) => (item === 2 ? toRejection(invalid) : item));
    expect(await isolateFailures([1, 2, 3], act)).toEqual([1, toRejection(invalid), 3]);
  });

  test('stops at an outage, keeps earlier results, and rejects the items that it did not get to', async () => {
    const { groups, act } = failingAct({ 1: invalid, 3: unavailable });
    const results = await isolateFailures([1, 2, 3, 4, 5], act);
    const stopped = toRejection(unavailable);
    expect(results).toEqual([toRejection(invalid), 20, stopped, stopped, stopped]);
    expect(groups).toEqual([[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [1], [2], [3]]);
    expect(() => assertNoOutage(results)).toThrow(unavailable);
    expect(() => assertNoOutage([10, toRejection(invalid)])).not.toThrow();
  });

  test('throws the error of an outage that came before any result', async () => {
    const { groups, act } = failingAct({ 1: unavailable });
    await expect(isolateFailures([1, 2], act)).rejects.toBe(unavailable);
    expect(groups).toEqual([[1, 2]]);
  });

  test('takes a lock timeout for an outage, unless one item may be the cause: then it tries each one alone', async () => {
    const outage = failingAct({ 2: locked });
    await expect(isolateFailures([1, 2], outage.act)).rejects.toBe(locked);
    expect(outage.groups).toEqual([[1, 2]]);
    const { groups, act } = failingAct({ 2: locked });
    const results = await isolateFailures([1, 2, 3, 4], act, { isolatesLocks: true });
    expect(results).toEqual([10, toRejection(locked), 30, 40]);
    expect(groups).toEqual([[1, 2, 3, 4], [1], [2], [3], [4]]);
  });
});
