import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder } from '../src/claim-folder.js';
import { openDataFolder } from '../src/data-folder.js';
import { temporaryFolder } from './temporary-folder.js';

const home = process.cwd();
const checkout = temporaryFolder();
const folder = openDataFolder(checkout.path);

afterEach(() => process.chdir(home));
afterAll(() => checkout.remove());

async function otherIn(cwd: string) {
  const other = spawn('sleep', ['60'], { cwd, stdio: 'ignore' });
  await once(other, 'spawn');
  writeFileSync(folder.owner, `${other.pid}\n`);
  return other;
}

test('a folder that is free is taken and given back', () => {
  const release = claimFolder(folder);
  expect(existsSync(folder.owner)).toBe(true);
  release();
  expect(existsSync(folder.owner)).toBe(false);
});

test('a second start is told which process runs', async () => {
  const other = await otherIn(checkout.path);
  expect(() => claimFolder(folder)).toThrow(`already runs in this checkout (process ${other.pid})`);
  expect(existsSync(folder.owner)).toBe(true);
  other.kill();
});

test('what a killed run left behind does not stand in the way', async () => {
  const stranger = await otherIn('/');
  claimFolder(folder)();
  stranger.kill();
});

describe('of two that start at the same moment', () => {
  const starts: ChildProcess[] = [];

  beforeAll(() => {
    const execArgv = ['--import', require.resolve('tsx'), '--conditions=@posthorn/source'];
    for (const _ of ['one', 'other']) {
      starts.push(fork(join(__dirname, 'claim-when-told.ts'), [checkout.path], { execArgv }));
    }
  });
  afterAll(() => {
    for (const start of starts) start.disconnect();
  });

  /** @returns what each was refused with; null for none */
  function tellBoth(at: number | null): Promise<Array<string | null>> {
    return Promise.all(
      starts.map(async (start) => {
        const answer = once(start, 'message');
        start.send({ at });
        return (await answer)[0].fault;
      }),
    );
  }

  test.each([
    ['free', null],
    ['left behind by a killed run', '999999999\n'],
  ])('one gets a folder that is %s, every time', async (_, leftover) => {
    await tellBoth(null);
    for (let round = 0; round < 100; round += 1) {
      if (leftover !== null) writeFileSync(folder.owner, leftover);
      const faults = await tellBoth(Date.now() + 5);
      const winner = starts[faults.indexOf(null)];
      const refusal = expect.stringContaining(`already runs in this checkout (process ${winner?.pid})`);
      expect(faults.sort()).toEqual([refusal, null]);
      await tellBoth(null);
    }
    expect(readdirSync(folder.root)).toEqual(['logs']);
  });
});
