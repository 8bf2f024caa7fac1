import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild, stopChild } from '@posthorn/servers';
import { reloadOnChange } from '../src/reload-on-change.js';
import type { RunningProcess } from '../src/restart-on-exit.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();
const source = join(folder.path, 'src', 'deeper', 'source.sh');
mkdirSync(join(folder.path, 'src', 'deeper'), { recursive: true });

afterAll(() => folder.remove());

const children: Child[] = [];
const lines: string[] = [];

async function start(): Promise<RunningProcess> {
  const logFile = join(folder.path, 'child.log');
  const child = await startChild({ name: 'Child', program: 'sh', args: [source] }, logFile);
  children.push(child);
  return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGKILL', 1_000) };
}

/** Writes the source file until the change takes effect. A watcher may miss changes right after it starts. */
async function change(text: string, hasEffect: () => boolean): Promise<void> {
  while (!hasEffect()) {
    writeFileSync(source, text);
    for (let waits = 0; waits < 200 && !hasEffect(); waits += 1) await sleep(10);
  }
}

test('a source change restarts the process, even if it has exited', async () => {
  writeFileSync(source, 'exec sleep 60');
  const stop = await reloadOnChange({ name: 'Child', start, print: (line) => lines.push(line) }, [
    join(folder.path, 'src'),
  ]);
  expect(lines).toEqual(['Child is running.']);

  await change('echo a mistake; exit 1', () => lines.some((line) => /exited unexpectedly.*a mistake/s.test(line)));
  await children[0]?.ended;

  const failed = children.length;
  await change('exec sleep 61', () => children.length > failed);
  await stop();
  await Promise.all(children.map(({ ended }) => ended));
});
