import { dirname, join, relative } from 'node:path';
import { filesIn, read } from './files.js';

const ROOTS = ['tests', 'bench', ...['apps', 'packages'].flatMap((parent) => listSourceFolders(parent))];

/** The src folders of all apps or packages. */
function listSourceFolders(parent: string): string[] {
  const folders = filesIn(parent).flatMap((path) => /^\w+\/[^/]+\/src(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)];
}

/** The folder directly below the root that contains a file; `.` for files of the root itself. */
function toTopFolder(root: string, path: string): string {
  const [top = '', ...rest] = relative(root, path).split('/');
  return rest.length === 0 ? '.' : top;
}

/** What files of a root import from other folders of it, as `emails -> ui`. Imports of lazy pages count, too. */
function findImports(root: string): Set<string> {
  const imports = new Set<string>();
  for (const path of filesIn(root).filter((file) => /\.(tsx?|mjs)$/.test(file))) {
    for (const [, target = ''] of read(path).matchAll(/(?:\bfrom |\bimport\(|\bimport )'(\.[^']+)'/g)) {
      const imported = join(dirname(path), target);
      if (imported.startsWith(`${root}/`)) imports.add(`${toTopFolder(root, path)} -> ${toTopFolder(root, imported)}`);
    }
  }
  return imports;
}

// dependency-cruiser cannot read the dashboard's TSX, and does not compare a folder with the files above it.
test.each(ROOTS)('no two folders of %s import each other', (root) => {
  const imports = findImports(root);
  const reverse = (pair: string) => pair.split(' -> ').reverse().join(' -> ');
  expect([...imports].filter((pair) => pair < reverse(pair) && imports.has(reverse(pair)))).toEqual([]);
});

test('imports between the folders of the dashboard are found', () => {
  expect(findImports('apps/dashboard/src')).toContain('emails -> ui');
});
