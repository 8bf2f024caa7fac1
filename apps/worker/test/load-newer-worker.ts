import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { openContext } from '@posthorn/domain';
import { build, type Plugin } from 'esbuild';
import type { startWorker } from '../src/worker.js';

type Worker = { readonly openContext: typeof openContext; readonly startWorker: typeof startWorker };

const NEEDS = /packages\/domain\/src\/deliveries\/needs\.ts$/;
const ENTRY = `export { openContext } from '@posthorn/domain'; export { startWorker } from '../src/worker.js';`;

/** Loads this version's worker as it will be when it understands one more bit of `deliveries.needs`. */
export async function loadNewerWorker(bit: number): Promise<Worker> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-newer-'));
  const outfile = join(folder, 'worker.mjs');
  try {
    await build({
      stdin: { contents: ENTRY, resolveDir: import.meta.dirname },
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@posthorn/source'],
      plugins: [useInstalledPackages, understand(bit)],
      outfile,
    });
    return await import(outfile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Only our own sources are built again. */
const useInstalledPackages: Plugin = {
  name: 'use-installed-packages',
  setup: (build) =>
    build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (isBuiltin(path) || path.startsWith('@posthorn/') || pluginData === 'installed') return null;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: 'installed' });
      return { path: found.path, external: true };
    }),
};

const understand = (bit: number): Plugin => ({
  name: 'understand-another-bit',
  setup: (build) =>
    build.onLoad({ filter: NEEDS }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('=> all | bit, ', `$&${bit} | `),
      loader: 'ts',
    })),
});
