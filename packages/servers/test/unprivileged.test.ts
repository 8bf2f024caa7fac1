import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dieWithParent, findUnprivilegedIdentity, toUnprivileged } from '../src/unprivileged.js';

/** Starts the command given as its arguments, and prints the process ID. */
const PARENT = `
  const [program, ...args] = process.argv.slice(1);
  const child = require('node:child_process').spawn(program, args, { stdio: 'ignore', detached: true });
  process.stdout.write(String(child.pid));
  setInterval(() => {}, 1000);
`;

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a server ends when its parent is killed, even if it runs as another user', async () => {
  const command = toUnprivileged(
    dieWithParent({ name: 'sleep', program: 'sleep', args: ['60'] }, 'TERM'),
    findUnprivilegedIdentity(),
  );
  const parent = spawn(process.execPath, ['-e', PARENT, command.program, ...command.args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(parent.stdout, 'data');
  while (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'sleep\n') await sleep(20); // until setpriv has executed the command
  parent.kill('SIGKILL');
  while (isAlive(Number(pid))) await sleep(20);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
