import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { runningProcess } from '@posthorn/servers';
import type { DataFolder } from './data-folder.js';

type Claimed = Pick<DataFolder, 'owner' | 'checkout'>;

/**
 * Makes sure that one `npm start` uses the folder at a time: a second one would stop the database
 * of the first.
 * @returns gives the folder free again
 * @throws Error that says which process has it
 */
export function claimFolder({ owner, checkout }: Claimed): () => void {
  // A process is known by its working directory as well as by its number, which others get in time.
  process.chdir(checkout);
  const mine = `${owner}.${process.pid}`;
  writeFileSync(mine, `${process.pid}\n`);
  try {
    while (!linkNew(mine, owner)) removeLeftover({ owner, checkout });
  } finally {
    rmSync(mine);
  }
  return () => rmSync(owner, { force: true });
}

/**
 * A link appears with what its file holds; a new file could be read before its first line is written.
 * @returns false when there is one already
 */
function linkNew(file: string, link: string): boolean {
  return unless('EEXIST', () => linkSync(file, link));
}

/** @throws Error when the owner still runs */
function removeLeftover({ owner, checkout }: Claimed): void {
  refuseWhileRuns(owner, checkout);
  // Moved, then looked at: somebody faster may have put his own in the place of what we saw.
  const removed = `${owner}.${process.pid}.removed`;
  if (!unless('ENOENT', () => renameSync(owner, removed))) return;
  try {
    refuseWhileRuns(removed, checkout);
  } catch (error) {
    linkNew(removed, owner);
    throw error;
  } finally {
    rmSync(removed);
  }
}

function refuseWhileRuns(pidFile: string, checkout: string): void {
  const pid = runningProcess(pidFile, checkout);
  if (pid === null || pid === process.pid) return;
  throw new Error(
    `Posthorn already runs in this checkout (process ${pid}). Stop it with Ctrl-C where it was started, or with: kill ${pid}`,
  );
}

/** @returns false when the work fails with this code */
function unless(code: string, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}
