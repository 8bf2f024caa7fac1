import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardPages } from '@posthorn/contract';

const ROUTES = ['pages.tsx'].map((name) =>
  join(import.meta.dirname, '../apps/dashboard/src', name),
);

test('the API serves the dashboard at exactly the paths of its pages', () => {
  const source = ROUTES.map((path) => readFileSync(path, 'utf8')).join('\n');
  const routed = [...source.matchAll(/^ +path: '(.+)',$/gm)].map(([, path = '']) => path);
  const served = dashboardPages.map((path) => path.replace(/:(\w+)/g, '$$$1'));
  expect(routed.sort()).toEqual([...served].sort());
});
