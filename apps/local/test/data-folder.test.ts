import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ForkedProgram, forkProgram } from '@posthorn/testing';
import { createDataFolder, lockDataFolder } from '../src/data-folder.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const initialDirectory = process.cwd();
const checkout = createTemporaryFolder();
const folder = createDataFolder(checkout.path);

afterEach(() => {
  process.chdir(initialDirectory);
  rmSync(folder.lockFile, { force: true });
});
afterAll(() => checkout.remove());

/** Starts a process in `cwd` and writes its ID into the lock file. */
async function startLockOwner(cwd: string) {
  const other = spawn('sleep', ['60'], { cwd, stdio: 'ignore' });
  await once(other, 'spawn');
  writeFileSync(folder.lockFile, `${other.pid}\n`);
  return other;
}

test('a free folder can be locked and unlocked', () => {
  const unlock = lockDataFolder(folder);
  expect(existsSync(folder.lockFile)).toBe(true);
  unlock();
  expect(existsSync(folder.lockFile)).toBe(false);
});

test('a second start is told which process is running', async () => {
  const other = await startLockOwner(checkout.path);
  expect(() => lockDataFolder(folder)).toThrow(`already running in this folder (process ${other.pid})`);
  expect(existsSync(folder.lockFile)).toBe(true);
  other.kill();
});

test('a stale lock whose process ID now belongs to another program is ignored', async () => {
  const other = await startLockOwner('/');
  lockDataFolder(folder)();
  other.kill();
});

describe('of two processes that start at the same moment', () => {
  const starts: ForkedProgram[] = [];

  beforeAll(() => {
    for (const _ of ['one', 'other'])
      starts.push(forkProgram(join(import.meta.dirname, 'lock-on-message.ts'), [checkout.path]));
  });
  afterAll(() => Promise.all(starts.map((start) => start.stop())));

  /** @returns the error of each process, or null */
  function sendToBoth(at: number | null): Promise<Array<string | null>> {
    return Promise.all(starts.map(async (start) => (await start.ask<{ readonly error: string | null }>({ at })).error));
  }

  test.each([
    ['free', null],
    ['locked by a process that was killed', '999999999\n'],
  ])('exactly one locks a folder that is %s', async (_, staleLock) => {
    await sendToBoth(null);
    for (let round = 0; round < 100; round += 1) {
      if (staleLock !== null) writeFileSync(folder.lockFile, staleLock);
      const errors = await sendToBoth(Date.now() + 5);
      const winner = starts[errors.indexOf(null)];
      const refusal = expect.stringContaining(`already running in this folder (process ${winner?.process.pid})`);
      expect(errors.sort()).toEqual([refusal, null]);
      await sendToBoth(null);
    }
    expect(readdirSync(folder.root)).toEqual(['logs']);
  });
});
