import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the tests of a file; what runs in it must be stopped before it is removed. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-local-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
