import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

type Leftover = {
  readonly name: string;
  /** Its first line is the process id. */
  readonly pidFile: string;
  readonly dataDir: string;
  readonly signal: NodeJS.Signals;
  readonly log: (line: string) => void;
};

/**
 * Stops a server that outlived its parent. Postgres and Redis both make their data folder their
 * working directory. The pid file of one that is gone is removed: Postgres would take whoever has
 * the number now for itself.
 */
export async function stopLeftover({ name, pidFile, dataDir, signal, log }: Leftover): Promise<void> {
  const pid = runningProcess(pidFile, dataDir);
  if (pid !== null) {
    log(`Stopping the ${name} that an earlier run left behind (process ${pid}).`);
    await stopProcess(pid, signal);
  }
  rmSync(pidFile, { force: true });
}

/**
 * The process that a pid file names, if it lives and is the one meant: its id may have been given to
 * somebody else since, but that one does not work in our folder.
 */
export function runningProcess(pidFile: string, folder: string): number | null {
  const pid = readPid(pidFile);
  return pid !== null && isAlive(pid) && workingDirectory(pid) === realpathSync(folder) ? pid : null;
}

async function stopProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  process.kill(pid, signal);
  while (isAlive(pid)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function workingDirectory(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`);
    const { stdout } = spawnSync('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'], {
      encoding: 'utf8',
      timeout: 5_000,
    });
    return /^n(.*)$/m.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
