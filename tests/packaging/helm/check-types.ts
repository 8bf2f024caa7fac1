import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './chart.js';
import { CACHE } from './find-helm.js';

const MODULES: Readonly<Record<string, string>> = { v1: 'core/v1', 'networking.k8s.io/v1': 'networking/v1' };

/** Kinds that are not part of Kubernetes, so that there are no types for them. */
const FOREIGN = ['ServiceMonitor'];

/**
 * Compares manifests with the types of the Kubernetes API. The compiler refuses fields that an object does not have, at
 * every level, which the API's own schema does not.
 * @returns what the compiler says; empty if all fit
 */
export async function checkTypes(manifests: readonly Manifest[]): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'manifests-'));
  const known = manifests.filter(({ kind }) => !FOREIGN.includes(kind));
  const lines = known.map((manifest, index) => {
    const module = MODULES[manifest.apiVersion] ?? manifest.apiVersion;
    const type = `import('kubernetes-types/${module}.js').${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 1)};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
  const output = await new Promise<string>((resolve) => {
    const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc');
    execFile(tsc, ['-p', folder, '--pretty', 'false'], (error, stdout, stderr) => {
      resolve(error ? `${stdout}${stderr}` || error.message : '');
    });
  });
  rmSync(folder, { recursive: true });
  return output;
}
