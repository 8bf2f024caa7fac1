import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild, stopChild } from '@posthorn/servers';
import { keepRunning, type Running } from '../src/keep-running.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
const logFile = join(folder.path, 'child.log');

afterAll(() => folder.remove());

/** Starts `sh -c <script>` and remembers every process. */
function starter(script: string) {
  const children: Child[] = [];
  async function start(): Promise<Running> {
    const child = await startChild({ name: 'child', program: 'sh', args: ['-c', script] }, logFile);
    children.push(child);
    return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGKILL', 1_000) };
  }
  return { children, start };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('what ends by itself is said, with its last words, and started again', async () => {
  const { children, start } = starter('echo goodbye; exec sleep 60');
  const lines: string[] = [];
  const stop = await keepRunning({ name: 'Child', start, tell: (line) => lines.push(line), pauseMs: 1 }, () => {});
  await until(() => readFileSync(logFile, 'utf8') !== '');
  children[0]?.process.kill('SIGKILL');
  await until(() => lines.length === 2);
  await stop();
  expect(lines).toEqual([expect.stringMatching(/^Child ended unexpectedly\. .*goodbye$/s), 'Child runs again.']);
  expect(children).toHaveLength(2);
});

test('what we stop ourselves stays stopped', async () => {
  const { children, start } = starter('exec sleep 60');
  const stop = await keepRunning({ name: 'Child', start, tell: () => {}, pauseMs: 1 }, () => {});
  await stop();
  await children[0]?.ended;
  expect(children).toHaveLength(1);
});

test('what is just being started again when we stop it is stopped too', async () => {
  const { children, start } = starter('exec sleep 60');
  let openGate = () => {};
  const gate = new Promise<void>((resolve) => {
    openGate = resolve;
  });
  const startSlowly = async () => {
    const running = await start();
    if (children.length > 1) await gate;
    return running;
  };
  const stop = await keepRunning({ name: 'Child', start: startSlowly, tell: () => {}, pauseMs: 1 }, () => {});
  children[0]?.process.kill('SIGKILL');
  await until(() => children.length === 2);
  const stopped = stop();
  openGate();
  await stopped;
  expect(children.map((child) => child.process.signalCode)).toEqual(['SIGKILL', 'SIGKILL']);
});

test('what waits to be started again when we stop it is not started', async () => {
  const { children, start } = starter('exec sleep 60');
  const lines: string[] = [];
  const plan = { name: 'Child', start, tell: (line: string) => lines.push(line), pauseMs: 60_000 };
  const stop = await keepRunning(plan, () => {});
  children[0]?.process.kill('SIGKILL');
  await until(() => lines.length === 1);
  await stop();
  expect(children).toHaveLength(1);
});

test('what ends again and again is given up', async () => {
  const { children, start } = starter('exit 1');
  const lines: string[] = [];
  await new Promise<void>((givenUp) => {
    void keepRunning({ name: 'Child', start, tell: (line) => lines.push(line), pauseMs: 1 }, givenUp);
  });
  expect(lines.at(-1)).toContain('has ended 6 times within a minute');
  expect(children).toHaveLength(6);
});

test('what does not start the first time is reported to who asked', async () => {
  const start = () => Promise.reject(new Error('no such thing'));
  await expect(keepRunning({ name: 'Child', start, tell: () => {} }, () => {})).rejects.toThrow('no such thing');
});
