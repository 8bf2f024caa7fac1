import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild, stopChild } from '@posthorn/servers';
import type { Running } from '../src/keep-running.js';
import { reloadOnChange } from '../src/reload-on-change.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
const source = join(folder.path, 'src', 'deeper', 'source.sh');
mkdirSync(join(folder.path, 'src', 'deeper'), { recursive: true });

afterAll(() => folder.remove());

const children: Child[] = [];
const lines: string[] = [];

async function start(): Promise<Running> {
  const logFile = join(folder.path, 'child.log');
  const child = await startChild({ name: 'Child', program: 'sh', args: [source] }, logFile);
  children.push(child);
  return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGKILL', 1_000) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('a change starts the process anew, also after a version that ended by itself', async () => {
  writeFileSync(source, 'exec sleep 60');
  const stop = await reloadOnChange({ name: 'Child', start, tell: (line) => lines.push(line) }, [
    join(folder.path, 'src'),
  ]);
  expect(lines).toEqual(['Child runs.']);

  writeFileSync(source, 'echo a mistake; exit 1');
  await children[0]?.ended;
  await until(() => lines.some((line) => /ended unexpectedly.*a mistake/s.test(line)));

  writeFileSync(source, 'exec sleep 61');
  await until(() => children.length === 3);
  await stop();
  await Promise.all(children.map(({ ended }) => ended));
  expect(children).toHaveLength(3);
});
