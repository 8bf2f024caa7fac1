import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@posthorn/platform/secrets';
import { findRunningProcess } from '@posthorn/servers';

export type DataFolder = ReturnType<typeof createDataFolder>;

/** `npm start` keeps all its data in `.posthorn/` in the checkout. Deleting that folder resets everything. */
export function createDataFolder(checkout: string, root = join(checkout, '.posthorn')) {
  const logs = join(root, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  return {
    checkout,
    root,
    logs,
    postgres: join(root, 'postgres'),
    redis: join(root, 'redis'),
    inbox: join(root, 'inbox'),
    /** The SECRET_KEY of the API and the worker. */
    secretKeyFile: join(root, 'secret-key'),
    /** The file with the demo login and API key. Each database has a file of its own. */
    demoFile: (databaseUrl = '') => join(root, `demo${databaseUrl && `-${sha256Hex(databaseUrl).slice(0, 12)}`}.json`),
    /** The addresses of the running services. Exists only while `npm start` is running. */
    runtimeFile: join(root, 'runtime.json'),
    lockFile: join(root, 'npm-start.pid'),
  };
}

/** Writes the file atomically. Only its owner can read it. */
export function writePrivateJson(file: string, content: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

type LockOptions = Pick<DataFolder, 'lockFile' | 'checkout'>;

/**
 * Locks the data folder for one `npm start`, because a second one would stop the database of the first.
 * @returns a function that unlocks the folder
 * @throws Error with the process ID if another `npm start` holds the lock
 */
export function lockDataFolder({ lockFile, checkout }: LockOptions): () => void {
  // A process ID may be reused, so the lock owner is recognized by its working directory as well.
  process.chdir(checkout);
  const ownFile = `${lockFile}.${process.pid}`;
  writeFileSync(ownFile, `${process.pid}\n`);
  try {
    while (!createLink(ownFile, lockFile)) removeStaleLock({ lockFile, checkout });
  } finally {
    rmSync(ownFile);
  }
  return () => rmSync(lockFile, { force: true });
}

/**
 * Creates a lock file atomically. Another process could read a new file before its content is
 * written, but a link has its content from the start.
 * @returns false if the link already exists
 */
function createLink(file: string, link: string): boolean {
  return succeedsUnless('EEXIST', () => linkSync(file, link));
}

function removeStaleLock({ lockFile, checkout }: LockOptions): void {
  assertOwnerStopped(lockFile, checkout);
  // Moves the file before checking it again: another process may have just replaced the stale lock with its own.
  const movedFile = `${lockFile}.${process.pid}.removed`;
  if (!succeedsUnless('ENOENT', () => renameSync(lockFile, movedFile))) return;
  try {
    assertOwnerStopped(movedFile, checkout);
  } catch (error) {
    createLink(movedFile, lockFile);
    throw error;
  } finally {
    rmSync(movedFile);
  }
}

function assertOwnerStopped(pidFile: string, checkout: string): void {
  const pid = findRunningProcess(pidFile, checkout);
  if (pid === null || pid === process.pid) return;
  throw new Error(
    `Posthorn is already running in this folder (process ${pid}). Press Ctrl-C in its terminal, or run: kill ${pid}`,
  );
}

function succeedsUnless(code: string, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}
