import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild, stopChild } from '@posthorn/servers';
import { type RunningProcess, restartOnExit } from '../src/restart-on-exit.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();
const logFile = join(folder.path, 'child.log');

afterAll(() => folder.remove());

/** Returns a function that starts `sh -c <script>`, and the list of processes that it started. */
function startScript(script: string) {
  const children: Child[] = [];
  async function start(): Promise<RunningProcess> {
    const child = await startChild({ name: 'child', program: 'sh', args: ['-c', script] }, logFile);
    children.push(child);
    return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGKILL', 1_000) };
  }
  return { children, start };
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

test('a process that exits is reported with its last output and restarted', async () => {
  const { children, start } = startScript('echo goodbye; exec sleep 60');
  const lines: string[] = [];
  const stop = await restartOnExit(
    { name: 'Child', start, print: (line) => lines.push(line), restartDelayMs: 1 },
    () => {},
  );
  await waitUntil(() => readFileSync(logFile, 'utf8') !== '');
  children[0]?.process.kill('SIGKILL');
  await waitUntil(() => lines.length === 2);
  await stop();
  expect(lines).toEqual([expect.stringMatching(/^Child exited unexpectedly\. .*goodbye$/s), 'Child is running again.']);
  expect(children).toHaveLength(2);
});

test('a process that was stopped is not restarted', async () => {
  const { children, start } = startScript('exec sleep 60');
  const stop = await restartOnExit({ name: 'Child', start, print: () => {}, restartDelayMs: 1 }, () => {});
  await stop();
  await children[0]?.ended;
  expect(children).toHaveLength(1);
});

test('stopping also stops a process that is currently restarting', async () => {
  const { children, start } = startScript('exec sleep 60');
  let finishRestart = () => {};
  const restartFinished = new Promise<void>((resolve) => {
    finishRestart = resolve;
  });
  const startSlowly = async () => {
    const running = await start();
    if (children.length > 1) await restartFinished;
    return running;
  };
  const stop = await restartOnExit({ name: 'Child', start: startSlowly, print: () => {}, restartDelayMs: 1 }, () => {});
  children[0]?.process.kill('SIGKILL');
  await waitUntil(() => children.length === 2);
  const stopped = stop();
  finishRestart();
  await stopped;
  expect(children.map((child) => child.process.signalCode)).toEqual(['SIGKILL', 'SIGKILL']);
});

test('a process that is waiting to restart is not restarted after a stop', async () => {
  const { children, start } = startScript('exec sleep 60');
  const lines: string[] = [];
  const options = { name: 'Child', start, print: (line: string) => lines.push(line), restartDelayMs: 60_000 };
  const stop = await restartOnExit(options, () => {});
  children[0]?.process.kill('SIGKILL');
  await waitUntil(() => lines.length === 1);
  await stop();
  expect(children).toHaveLength(1);
});

test('a process that exits 6 times within a minute is not restarted again', async () => {
  const { children, start } = startScript('exit 1');
  const lines: string[] = [];
  await new Promise<void>((giveUp) => {
    void restartOnExit({ name: 'Child', start, print: (line) => lines.push(line), restartDelayMs: 1 }, giveUp);
  });
  expect(lines.at(-1)).toContain('exited 6 times within a minute');
  expect(children).toHaveLength(6);
});

test('an error during the first start is thrown to the caller', async () => {
  const start = () => Promise.reject(new Error('no such thing'));
  await expect(restartOnExit({ name: 'Child', start, print: () => {} }, () => {})).rejects.toThrow('no such thing');
});
