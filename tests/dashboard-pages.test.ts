import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardPages } from '@posthorn/contract';

const ROUTES = join(import.meta.dirname, '../apps/dashboard/src/pages.tsx');

test('the API serves the dashboard at exactly the paths of its pages', () => {
  const routed = [...readFileSync(ROUTES, 'utf8').matchAll(/^ +path: '(.+)',$/gm)].map(([, path = '']) => path);
  const served = dashboardPages.map((path) => path.replace(/:(\w+)/g, '$$$1'));
  expect(routed.sort()).toEqual([...served].sort());
});
