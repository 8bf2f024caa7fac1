import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export type ServerOptions = {
  /** The folder for the data, the password and the log. It is created if it does not exist. */
  readonly dataDir: string;
  readonly port?: number;
  readonly log?: (line: string) => void;
};

export type Server = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  readonly ended: Promise<void>;
  /** Shuts down cleanly: disconnects the clients and writes the data to disk. */
  stop(): Promise<void>;
};

/**
 * Reads a random secret from a file that only its owner can read, or creates it the first time. The secret contains
 * only hexadecimal digits, so it needs no escaping in a URL.
 */
export function readOrCreateSecret(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
