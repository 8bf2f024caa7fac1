import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@posthorn/domain';

export type DataFolder = ReturnType<typeof openDataFolder>;

/** Everything that `npm start` keeps is under `.posthorn/` of the checkout: delete it to begin anew. */
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
    /** SECRET_KEY of the API and the worker. */
    secretKey: join(root, 'secret-key'),
    /** The workspace, login and key to try the service with; every database has its own. */
    demo: (databaseUrl = '') => join(root, `demo${databaseUrl && `-${sha256Hex(databaseUrl).slice(0, 12)}`}.json`),
    /** Where everything is while it runs. */
    runtime: join(root, 'runtime.json'),
    /** The `npm start` that uses this folder. */
    owner: join(root, 'npm-start.pid'),
  };
}

/** Readable by its owner alone, and never seen half written. */
export function writePrivate(file: string, content: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
