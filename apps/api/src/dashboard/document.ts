import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build of apps/dashboard makes; beside this app, whether it runs from its sources or built. */
export const dashboardFolder = join(import.meta.dirname, '../../../dashboard/dist');

/**
 * What every page of the dashboard is answered with, null where it is not built. To be read once, when the
 * files are listed that it loads: a build that comes later is served whole from the next start on.
 */
export function readDocument(): string | null {
  const path = join(dashboardFolder, 'index.html');
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
