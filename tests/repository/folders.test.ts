import { dirname, join } from 'node:path';
import { filesIn, read } from './files.js';

/** dependency-cruiser cannot read TSX with this version of TypeScript, see `.dependency-cruiser.mjs`. */
test.each(['apps/dashboard/src', 'apps/local/src'])('no two folders of %s import each other', (root) => {
  const imports = new Set(
    filesIn(root)
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => importsOf(root, path)),
  );
  expect(imports.size).toBeGreaterThan(0);
  const mutual = [...imports].filter((pair) => imports.has(pair.split(' -> ').reverse().join(' -> ')));
  expect(mutual).toEqual([]);
});

/** What a file imports from other folders of `root`, as `emails -> ui`. Files beside the folders are in the folder `.`. */
function importsOf(root: string, path: string): string[] {
  // Static imports and those of lazy pages.
  const targets = read(path).matchAll(/(?:\bfrom |\bimport\(|\bimport )'(\.[^']+)'/g);
  return [...targets]
    .map(([, target = '']) => join(dirname(path), target))
    .map((target) => [folderIn(root, path), folderIn(root, target)])
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => `${from} -> ${to}`);
}

function folderIn(root: string, path: string): string {
  const [folder = '', ...rest] = path.slice(root.length + 1).split('/');
  return rest.length === 0 ? '.' : folder;
}
