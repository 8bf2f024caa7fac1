import { existsSync, statfsSync } from 'node:fs';

/**
 * On Linux, files in this folder are in memory. Copying the 600 files of a test database is five times as fast there, and
 * so is creating the clusters that tests start.
 */
const MEMORY_FOLDER = '/dev/shm';
/** Several times what a run of all tests needs. Containers often have only 64 MB. */
const MIN_FREE_BYTES = 2_000_000_000;

/** @returns the folder whose files are in memory, or null if there is none with enough room for a run of all tests */
export function findMemoryFolder(): string | null {
  if (!existsSync(MEMORY_FOLDER)) return null;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : null;
}
