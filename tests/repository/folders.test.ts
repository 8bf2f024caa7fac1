import { dirname, join, relative } from 'node:path';
import { filesIn, read } from './files.js';

/** These do not pass yet. */
const EXCEPTIONS = [
  'apps/api/src',
  'apps/worker/src',
  'apps/inbound/src',
  'packages/message/src',
  'packages/code-samples/src',
];
const ROOTS = ['tests', 'bench', ...['apps', 'packages'].flatMap((parent) => sourcesIn(parent))];

/** The src folders of all apps or packages. The dashboard's folders are its own matter, because its pages link each other. */
function sourcesIn(parent: string): string[] {
  const folders = filesIn(parent).flatMap((path) => /^\w+\/[^/]+\/src(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].filter((folder) => folder !== 'apps/dashboard/src');
}

/** The folder directly below the root that contains a file; `.` for files of the root itself. */
function topFolder(root: string, path: string): string {
  const [top = '', ...rest] = relative(root, path).split('/');
  return rest.length === 0 ? '.' : top;
}

function findTwoWayPairs(root: string): string[] {
  const imports = new Set<string>();
  for (const path of filesIn(root).filter((file) => /\.(ts|mjs)$/.test(file))) {
    for (const [, target = ''] of read(path).matchAll(/from '(\.[^']+)'/g)) {
      const imported = join(dirname(path), target);
      if (imported.startsWith(`${root}/`)) imports.add(`${topFolder(root, path)} -> ${topFolder(root, imported)}`);
    }
  }
  const reverse = (pair: string) => pair.split(' -> ').reverse().join(' -> ');
  return [...imports].filter((pair) => pair < reverse(pair) && imports.has(reverse(pair)));
}

// dependency-cruiser does not compare a folder with the files above it.
test.each(ROOTS.filter((root) => !EXCEPTIONS.includes(root)))('no two folders of %s import each other', (root) => {
  expect(findTwoWayPairs(root)).toEqual([]);
});
