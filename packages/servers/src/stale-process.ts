import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

type StaleProcess = {
  readonly name: string;
  /** The first line of this file is the process ID. */
  readonly pidFile: string;
  readonly dataDir: string;
  readonly signal: NodeJS.Signals;
  readonly log: (line: string) => void;
};

/**
 * Stops a server that outlived its parent. The server is identified by its working directory, because Postgres and
 * Redis both change to their data folder. The PID file is removed too, because Postgres would refuse to start if
 * another process had this ID by now.
 */
export async function stopStaleProcess({ name, pidFile, dataDir, signal, log }: StaleProcess): Promise<void> {
  const pid = findRunningProcess(pidFile, dataDir);
  if (pid !== null) {
    log(`Stopping ${name}, which an earlier run left running (process ${pid}).`);
    await stopProcess(pid, signal);
  }
  rmSync(pidFile, { force: true });
}

/**
 * Returns the process ID from a PID file if that process is running with `folder` as its working
 * directory. Another process may have the same ID by now, but not the same working directory.
 */
export function findRunningProcess(pidFile: string, folder: string): number | null {
  const pid = readPid(pidFile);
  return pid !== null && isAlive(pid) && findWorkingDirectory(pid) === realpathSync(folder) ? pid : null;
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

function findWorkingDirectory(pid: number): string | null {
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
