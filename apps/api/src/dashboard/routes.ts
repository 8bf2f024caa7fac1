import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dashboardPages } from '@posthorn/contract';
import { type Answer, route } from '../route.js';
import { dashboardFolder } from './folder.js';

const NOT_BUILT = '<!doctype html><title>Posthorn</title><p>The dashboard is not built. Run: npm run build';

/** Each page is the same document: its script looks at the address. */
export const dashboardRoutes = dashboardPages.map((path) =>
  route({ method: 'get', path, access: 'public', summary: 'A page of the dashboard', handle: answerIndex }),
);

async function answerIndex(): Promise<Answer> {
  const index = await readFile(join(dashboardFolder, 'index.html'), 'utf8').catch(() => null);
  return {
    status: index === null ? 503 : 200,
    body: index ?? NOT_BUILT,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    for: 'dashboard',
  };
}
