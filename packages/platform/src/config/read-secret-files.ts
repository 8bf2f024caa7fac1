import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.js';

/** Variables whose value may contain a secret. */
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'SMTP_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'BLOB_STORE',
  'OTEL_EXPORTER_OTLP_HEADERS',
];

/**
 * Reads secrets that are in files, as container platforms mount them: `SECRET_KEY_FILE` is the path of a file with the
 * value of `SECRET_KEY`.
 * @returns the values by the names of their variables. A file that is empty is left out
 * @throws ConfigError if a file cannot be read, or a variable is given in both ways
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const faults: string[] = [];
  for (const name of SECRETS) {
    const path = env[`${name}_FILE`]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) faults.push(`${name} and ${name}_FILE are both set. Set one of them.`);
    const value = readText(path);
    if (value === null)
      faults.push(`${name}_FILE is not valid. Set it to the path of a file that this process can read.`);
    else if (value !== '') values.set(name, value);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values;
}

/** @returns null if the file cannot be read */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
