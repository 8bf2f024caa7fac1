import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The scripts of the documentation. The path to them is the same from the sources as from the build. */
const folder = join(import.meta.dirname, 'browser');

/** The scripts by file name, read at startup, so that a running process never serves parts of a later build. */
export function readScripts(): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
