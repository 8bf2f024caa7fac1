import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stopLeftover } from '../src/stale-process.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
const pidFile = join(folder.path, 'server.pid');

afterAll(() => folder.remove());

async function startIn(cwd: string): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], { cwd, stdio: 'ignore' });
  await once(child, 'spawn');
  writeFileSync(pidFile, `${child.pid}\nmore lines\n`);
  return child;
}

function stop(): Promise<void> {
  return stopLeftover({ name: 'Server', pidFile, dataDir: folder.path, signal: 'SIGTERM', log: () => {} });
}

test('a process that works in the data folder is stopped', async () => {
  const ours = await startIn(folder.path);
  const exited = once(ours, 'exit');
  await stop();
  expect(await exited).toEqual([null, 'SIGTERM']);
  expect(existsSync(pidFile)).toBe(false);
});

test('a stranger who was given the same process id is left alone', async () => {
  const stranger = await startIn('/');
  await stop();
  expect(stranger.kill(0)).toBe(true);
  expect(existsSync(pidFile)).toBe(false);
  stranger.kill();
});

test('a pid file without a process is removed', async () => {
  const gone = await startIn(folder.path);
  gone.kill();
  await once(gone, 'exit');
  await stop();
  expect(existsSync(pidFile)).toBe(false);
});

test('no pid file, nothing to do', () => expect(stop()).resolves.toBeUndefined());
