import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const IGNORED = new Set(['dist', 'dist-inbox', 'node_modules', 'test']);

/**
 * When a file or anything in a folder last changed, for builds that do nothing if their sources are unchanged. The
 * folder's own modification time shows when something was removed.
 */
export function changedAt(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0;
  const names = readdirSync(path);
  // A build replaces its output, which changes the modification time of the folder.
  const own = names.some((name) => IGNORED.has(name)) ? 0 : stats.mtimeMs;
  return Math.max(own, ...names.filter((name) => !IGNORED.has(name)).map((name) => changedAt(join(path, name))));
}
