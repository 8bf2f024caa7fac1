import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Reads a random secret from a file that only its owner can read, or creates it the first time. The secret contains
 * only hexadecimal digits, so it needs no escaping in a URL.
 */
export function readOrCreateSecret(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
