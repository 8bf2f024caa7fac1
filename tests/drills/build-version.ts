import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../rig/servers.js';

/** Packages that are part of the repository, so that each version has its own. */
const OWN_SCOPE = '@posthorn';

const run = (command: string, args: readonly string[], cwd: string) => promisify(execFile)(command, args, { cwd });

/** The commit to upgrade from: where this branch left the last release, or the previous one if there is no release. */
export async function findPreviousCommit(): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, ROOT)).stdout.trim();
  const tag = await git('describe', '--tags', '--abbrev=0', 'HEAD~1').catch(() => null);
  return tag === null ? git('rev-parse', 'HEAD~1') : git('merge-base', 'HEAD', tag);
}

/** @returns why there is no previous commit to build, for example in a shallow clone; null if there is one */
export function whyNoPreviousCommit(): string | null {
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD~1^{tree}'], { cwd: ROOT });
  return status === 0 ? null : 'This clone has no commit before the current one. Clone the full history.';
}

/**
 * Builds the API, the worker and the command of another commit in a temporary folder, which is deleted when this
 * process exits. Installs its packages only if its lockfile differs from ours.
 * @returns the folder
 */
export async function buildVersion(ref: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-version-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, 'version.tar');
  await run('git', ['archive', '--output', archive, ref], ROOT);
  await run('tar', ['-xf', archive], folder);
  const lockfiles = [ROOT, folder].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (lockfiles[0] === lockfiles[1]) linkPackages(folder);
  else await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], folder);
  await run(join(folder, 'node_modules/.bin/tsc'), ['-b', 'apps/api', 'apps/worker', 'apps/cli'], folder);
  return folder;
}

/** Uses our packages, except the repository's own: those links stay relative, so they lead to the other version. */
function linkPackages(folder: string): void {
  const [ours, theirs] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(theirs, OWN_SCOPE), { recursive: true });
  for (const name of readdirSync(ours)) if (name !== OWN_SCOPE) symlinkSync(join(ours, name), join(theirs, name));
  for (const name of readdirSync(join(ours, OWN_SCOPE)))
    symlinkSync(readlinkSync(join(ours, OWN_SCOPE, name)), join(theirs, OWN_SCOPE, name));
  for (const parent of ['apps', 'packages'])
    for (const name of readdirSync(join(folder, parent))) {
      const nested = join(ROOT, parent, name, 'node_modules');
      if (existsSync(nested)) cpSync(nested, join(folder, parent, name, 'node_modules'), { recursive: true });
    }
}
