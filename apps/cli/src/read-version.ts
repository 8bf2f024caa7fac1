import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this package. The relative path is the same from the sources as from the build. */
export function readVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;
}
