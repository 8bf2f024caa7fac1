import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram, findProgram } from '@posthorn/servers';
import type { GeneratedBounce } from './generate-bounces.js';

/** A parser of bounces that shares no code with ours. */
export type Oracle = {
  readonly name: 'sisimai' | 'flufl.bounce';
  readonly debianPackage: string;
  /** The interpreters that may have it. */
  readonly interpreters: readonly string[];
  /** Arguments with which an interpreter fails if it does not have the parser. */
  readonly test: readonly string[];
  readonly script: string;
};

export const oracles: readonly Oracle[] = [
  {
    name: 'sisimai',
    debianPackage: 'libsisimai-perl',
    interpreters: ['perl'],
    test: ['-MSisimai', '-MJSON', '-e', '1'],
    script: 'read-with-sisimai.pl',
  },
  {
    name: 'flufl.bounce',
    debianPackage: 'python3-flufl.bounce',
    // Packages of the system belong to its own Python, which may not be the first on PATH.
    interpreters: ['python3', '/usr/bin/python3'],
    test: ['-c', 'from flufl.bounce import all_failures'],
    script: 'read-with-flufl.py',
  },
];

/** What an oracle says about a recipient. The action is empty if it does not know, and the reason null if it gives none. */
export type Reading = { readonly address: string; readonly action: string; readonly reason: string | null };

/**
 * Finds or installs an oracle.
 * @returns the interpreter that has it
 * @throws Error with install instructions if it cannot be installed automatically
 */
export async function ensureInterpreter(
  { name, debianPackage, interpreters, test }: Oracle,
  log: (line: string) => void,
): Promise<string> {
  const find = () => interpreters.map((each) => findProgram(each) ?? each).find((each) => succeeds(each, test)) ?? null;
  const packages = { 'apt-get': [debianPackage] as const };
  const manualInstall = `the Debian package ${debianPackage}`;
  const problem = `The comparison with ${name} needs ${debianPackage}, which is not installed`;
  return await ensureProgram({ name, find, packages, problem, manualInstall }, log);
}

function succeeds(interpreter: string, args: readonly string[]): boolean {
  return spawnSync(interpreter, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;
}

/**
 * Lets an oracle read bounces.
 * @returns what it says about each, in their order
 * @throws Error if it fails
 */
export async function readWithOracle(
  { name, script }: Oracle,
  interpreter: string,
  bounces: readonly GeneratedBounce[],
): Promise<ReadonlyArray<readonly Reading[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-bounces-'));
  try {
    const paths = bounces.map((_, index) => join(folder, `${index}.eml`));
    for (const [index, { raw }] of bounces.entries()) await writeFile(paths[index] as string, raw);
    const { stdout, stderr, status } = spawnSync(interpreter, [join(import.meta.dirname, script)], {
      input: `${paths.join('\n')}\n`,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    });
    if (status !== 0) throw new Error(`${name} failed: ${stderr.slice(0, 1_000)}`);
    const read: Array<{ path: string; recipients: Reading[] }> = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const byPath = new Map(read.map(({ path, recipients }) => [path, recipients]));
    return paths.map((path) => byPath.get(path) ?? []);
  } finally {
    await rm(folder, { recursive: true });
  }
}
