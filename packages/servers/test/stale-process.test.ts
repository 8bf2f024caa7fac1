import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stopStaleProcess } from '../src/stale-process.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();
const pidFile = join(folder.path, 'server.pid');

afterAll(() => folder.remove());

async function startIn(cwd: string): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], { cwd, stdio: 'ignore' });
  await once(child, 'spawn');
  writeFileSync(pidFile, `${child.pid}\nmore lines\n`);
  return child;
}

function stop(): Promise<void> {
  return stopStaleProcess({ name: 'Server', pidFile, dataDir: folder.path, signal: 'SIGTERM', log: () => {} });
}

test('a process whose working directory is the data folder is stopped', async () => {
  const ours = await startIn(folder.path);
  const exited = once(ours, 'exit');
  await stop();
  expect(await exited).toEqual([null, 'SIGTERM']);
  expect(existsSync(pidFile)).toBe(false);
});

test('an unrelated process with the same ID is not stopped', async () => {
  const unrelated = await startIn('/');
  await stop();
  expect(unrelated.kill(0)).toBe(true);
  expect(existsSync(pidFile)).toBe(false);
  unrelated.kill();
});

test('a stale PID file is removed', async () => {
  const gone = await startIn(folder.path);
  gone.kill();
  await once(gone, 'exit');
  await stop();
  expect(existsSync(pidFile)).toBe(false);
});

test('nothing happens without a PID file', () => expect(stop()).resolves.toBeUndefined());
