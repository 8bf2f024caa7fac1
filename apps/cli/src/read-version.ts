import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this package. The path is the same from its sources and from its build. */
export function readVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;
}
