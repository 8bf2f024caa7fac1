import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@posthorn/platform/secrets';

export type DataFolder = ReturnType<typeof openDataFolder>;

/** `npm start` keeps all its data in `.posthorn/` in the checkout. Deleting that folder resets everything. */
export function openDataFolder(checkout: string, root = join(checkout, '.posthorn')) {
  const logs = join(root, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  return {
    checkout,
    root,
    logs,
    postgres: join(root, 'postgres'),
    redis: join(root, 'redis'),
    inbox: join(root, 'inbox'),
    /** The SECRET_KEY of the API and the worker. */
    secretKeyFile: join(root, 'secret-key'),
    /** The file with the demo login and API key. Each database has a file of its own. */
    demoFile: (databaseUrl = '') => join(root, `demo${databaseUrl && `-${sha256Hex(databaseUrl).slice(0, 12)}`}.json`),
    /** The addresses of the running services. Exists only while `npm start` is running. */
    runtimeFile: join(root, 'runtime.json'),
    /** The process ID of the `npm start` that uses this folder. */
    lockFile: join(root, 'npm-start.pid'),
  };
}

/** Writes the file atomically. Only its owner can read it. */
export function writePrivateJson(file: string, content: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
