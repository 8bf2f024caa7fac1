import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogProgress, readAhead } from '../../src/webhooks/delivery-reader.js';

const place = (position: number) => ({ position: String(position), eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' });

test('a place is reached only when every event before it is recorded', () => {
  const progress = createLogProgress(place(1));
  progress.add(['a', 'b'], place(2));
  progress.add(['c'], place(3));
  progress.add([], place(4));
  progress.count('c');
  progress.count('a');
  expect(progress.place()).toEqual(place(1));
  progress.count('b');
  expect(progress.place()).toEqual(place(4));
});

test('events that were not read from the log do not count', () => {
  const progress = createLogProgress(place(1));
  progress.add(['a'], place(2));
  progress.count('replayed');
  expect(progress.place()).toEqual(place(1));
});

test('an event counts once, even if it is recorded again', () => {
  const progress = createLogProgress(place(1));
  progress.add(['a', 'b'], place(2));
  progress.count('a');
  progress.count('a');
  expect(progress.place()).toEqual(place(1));
});

/** Numbers up to `count`, three to a page. */
function openNumbers(count: number) {
  const begun: number[] = [];
  const next = readAhead(0, async (after: number) => {
    begun.push(after);
    await nextTurn();
    const items = [1, 2, 3].map((step) => after + step).filter((number) => number <= count);
    const last = after + items.length;
    return { items, next: last < count ? last : null };
  });
  return { next, begun };
}

async function readAll(next: () => number | null | Promise<number | null>): Promise<number[]> {
  const read: number[] = [];
  for (let item = await next(); item !== null; item = await next()) read.push(item);
  return read;
}

test('items come in their order, and null after the last one', async () => {
  const { next } = openNumbers(7);
  expect(await readAll(next)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await next()).toBeNull();
});

test('many callers at once get each item once', async () => {
  const { next } = openNumbers(100);
  const read = await Promise.all(Array.from({ length: 16 }, () => readAll(next)));
  expect(read.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});

test('the next page is read while the current one is being used', async () => {
  const { next, begun } = openNumbers(9);
  await next();
  expect(begun).toEqual([0, 3]);
});

test('an empty page that is not the last one is skipped', async () => {
  const pages = [
    { items: [], next: 1 },
    { items: ['found'], next: null },
  ];
  const next = readAhead(0, async (after: number) => pages[after] as (typeof pages)[number]);
  expect(await next()).toBe('found');
  expect(await next()).toBeNull();
});

test('an error reaches the caller', async () => {
  const next = readAhead(0, async () => {
    throw new Error('Postgres is unavailable');
  });
  await expect(next()).rejects.toThrow('Postgres is unavailable');
});
