import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild, stopChild } from '@posthorn/servers';
import { type RunningProcess, reloadOnChange, restartOnExit } from '../src/supervise-process.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();
const logFile = join(folder.path, 'child.log');

afterAll(() => folder.remove());

const startScript = (script: string) => startProgram(['-c', script]);

/** Returns a function that starts `sh` with these arguments, and the list of processes that it started. */
function startProgram(args: readonly string[]) {
  const children: Child[] = [];
  async function start(): Promise<RunningProcess> {
    const child = await startChild({ name: 'child', program: 'sh', args }, logFile);
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

test('a source change restarts the process, even if it has exited', async () => {
  const source = join(folder.path, 'src', 'deeper', 'source.sh');
  mkdirSync(join(folder.path, 'src', 'deeper'), { recursive: true });
  writeFileSync(source, 'exec sleep 60');
  const { children, start } = startProgram([source]);
  const lines: string[] = [];

  /** Writes the source file until the change takes effect. A watcher may miss changes right after it starts. */
  async function change(text: string, hasEffect: () => boolean): Promise<void> {
    while (!hasEffect()) {
      writeFileSync(source, text);
      for (let waits = 0; waits < 200 && !hasEffect(); waits += 1) await sleep(10);
    }
  }

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
