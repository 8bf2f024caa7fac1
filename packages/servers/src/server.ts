import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Options that all servers have in common. */
export type ServerOptions = {
  /** The folder for the data, the password and the log. It is created if it does not exist. */
  readonly dataDir: string;
  /** The preferred port. If it is in use, the next free port is used. */
  readonly port?: number;
  readonly log?: (line: string) => void;
};

/** A server that is running on 127.0.0.1. */
export type Server = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the server has ended, for whatever reason. */
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
