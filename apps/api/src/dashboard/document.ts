import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The build output of apps/dashboard. The relative path is the same from this app's sources as from its build. */
export const dashboardFolder = join(import.meta.dirname, '../../../dashboard/dist');

/**
 * The HTML document of every dashboard page, or null if the dashboard is not built. The document and the list of the
 * files that it loads are both read at startup, so that a running process never serves parts of a later build.
 */
export function readDocument(): string | null {
  const path = join(dashboardFolder, 'index.html');
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
