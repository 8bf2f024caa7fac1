import { parseDatabaseUrl } from '../database/parse-database-url.js';
import { ConfigError } from './config-error.js';
import { readSecretFiles } from './read-secret-files.js';

/**
 * The database that `posthorn workspace move` moves to. It is not a command-line option, because the URL has a password,
 * and everyone on a machine can see the arguments of running commands.
 * @throws ConfigError
 */
export function readMoveDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  const name = 'MOVE_DATABASE_URL';
  const url = readSecretFiles(env).get(name) ?? env[name]?.trim();
  if (url && parseDatabaseUrl(url) !== null) return url;
  throw new ConfigError([
    `${name} is ${url ? 'not valid' : 'missing'}. Set it, or ${name}_FILE, to the database to move to: postgres://user:password@host:5432/database.`,
  ]);
}
