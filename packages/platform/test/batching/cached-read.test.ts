import { setTimeout as sleep } from 'node:timers/promises';
import { createCachedRead } from '../../src/batching/cached-read.js';

let reads = 0;

beforeEach(() => {
  reads = 0;
});

async function read(): Promise<number> {
  reads += 1;
  const number = reads;
  await sleep(1);
  return number;
}

describe('cachedRead', () => {
  test('shares one read among calls, during the read and after it', async () => {
    const readCached = createCachedRead(read, 60_000);
    expect(await Promise.all([readCached(), readCached()])).toEqual([1, 1]);
    expect(await readCached()).toBe(1);
    expect(reads).toBe(1);
  });

  test('reads again when the result is too old', async () => {
    const readCached = createCachedRead(read, 0);
    expect(await readCached()).toBe(1);
    expect(await readCached()).toBe(2);
  });

  test('also shares an error', async () => {
    const readCached = createCachedRead(async () => {
      await read();
      throw new Error('Postgres is down');
    }, 60_000);
    await expect(readCached()).rejects.toThrow('Postgres is down');
    await expect(readCached()).rejects.toThrow('Postgres is down');
    expect(reads).toBe(1);
  });
});
