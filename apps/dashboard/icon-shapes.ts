import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const ICONS = join(import.meta.dirname, 'src/ui/icons.tsx');
const MODULE = 'virtual:icon-shapes';

type Tabler = { readonly icons: Readonly<Record<string, { readonly body: string }>> };

/** Gives the dashboard the shapes of the Tabler icons that icons.tsx names, out of 6,000. */
export function iconShapes(): Plugin {
  return {
    name: 'icon-shapes',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load(id) {
      if (id !== `\0${MODULE}`) return null;
      this.addWatchFile(ICONS);
      return `export default ${JSON.stringify(readShapes())}`;
    },
  };
}

/** @throws Error if Tabler has no icon of that name */
function readShapes(): Record<string, string[]> {
  const names = [...readFileSync(ICONS, 'utf8').matchAll(/ icon\('(.+)'\)/g)].map(([, name = '']) => name);
  const { icons } = createRequire(import.meta.url)('@iconify-json/tabler/icons.json') as Tabler;
  return Object.fromEntries(
    names.map((name) => {
      const paths = [...(icons[name]?.body ?? '').matchAll(/ d="(.+?)"/g)].map(([, path = '']) => path);
      if (paths.length === 0) throw new Error(`Tabler has no icon named ${name}.`);
      return [name, paths];
    }),
  );
}
