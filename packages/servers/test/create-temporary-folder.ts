import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a temporary folder. Stop every process that runs in it before you remove it. */
export function createTemporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'posthorn-servers-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
