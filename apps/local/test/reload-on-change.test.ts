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

/** Writes the source until it has the effect: right after a watch has begun, a change may go unseen. */
async function change(text: string, hasEffect: () => boolean): Promise<void> {
  while (!hasEffect()) {
    writeFileSync(source, text);
    for (let waits = 0; waits < 200 && !hasEffect(); waits += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a change starts the process anew, also after a version that ended by itself', async () => {
  writeFileSync(source, 'exec sleep 60');
  const stop = await reloadOnChange({ name: 'Child', start, tell: (line) => lines.push(line) }, [
    join(folder.path, 'src'),
  ]);
  expect(lines).toEqual(['Child runs.']);

  await change('echo a mistake; exit 1', () => lines.some((line) => /ended unexpectedly.*a mistake/s.test(line)));
  await children[0]?.ended;

  const failed = children.length;
  await change('exec sleep 61', () => children.length > failed);
  await stop();
  await Promise.all(children.map(({ ended }) => ended));
});
