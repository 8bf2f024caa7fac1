import { join } from 'node:path';

/** What the build of apps/dashboard makes; beside this app, whether it runs from its sources or built. */
export const dashboardFolder = join(import.meta.dirname, '../../../dashboard/dist');
