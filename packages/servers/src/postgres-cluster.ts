import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './child-process.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { readOrCreateSecret } from './server.js';
import { type Identity, toUnprivileged } from './unprivileged.js';

export const DATABASE = 'posthorn';
export const DATABASE_USER = 'posthorn';

const INITDB_TIMEOUT_MS = 120_000;
const CREATE_TIMEOUT_MS = 60_000;

/** A database cluster on disk, the system user that owns it, and the password of its database user. */
export type Cluster = { readonly folder: string; readonly password: string; readonly identity: Identity | null };

type ClusterOptions = {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  readonly identity: Identity | null;
  /** Whether to sync the files to disk. A temporary cluster does not need that. */
  readonly durable: boolean;
};

/** Opens the cluster in a data folder, or creates it the first time. */
export async function prepareCluster({ dataDir, binaries, identity, durable }: ClusterOptions): Promise<Cluster> {
  const passwordFile = join(dataDir, 'password');
  const folder = join(dataDir, 'cluster');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const password = readOrCreateSecret(passwordFile);
  for (const path of identity ? [dataDir, passwordFile] : []) chownSync(path, identity?.uid ?? 0, identity?.gid ?? 0);
  if (!existsSync(folder)) await createCluster({ binaries, identity, durable, folder, passwordFile });
  return { folder, password, identity };
}

/**
 * Creates the cluster under a temporary name, so that no incomplete cluster is left behind if the process is killed.
 */
async function createCluster(
  options: Omit<ClusterOptions, 'dataDir'> & { folder: string; passwordFile: string },
): Promise<void> {
  const { binaries, identity, durable, folder, passwordFile } = options;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const initdb = {
    name: 'initdb',
    program: binaries.initdb,
    args: [
      ...['-D', unfinished, '-U', DATABASE_USER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ],
  };
  await run(toUnprivileged(initdb, identity), { timeoutMs: INITDB_TIMEOUT_MS });
  const createDatabase = {
    name: 'postgres --single',
    program: binaries.postgres,
    args: ['--single', '-D', unfinished, 'postgres'],
  };
  await run(toUnprivileged(createDatabase, identity), {
    timeoutMs: CREATE_TIMEOUT_MS,
    input: `create database ${DATABASE};\n`,
  });
  renameSync(unfinished, folder);
}
