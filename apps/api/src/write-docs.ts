import { writeFileSync } from 'node:fs';
import { routes } from './app.js';
import { docsFiles } from './docs/files.js';

for (const [name, text] of Object.entries(docsFiles(routes))) {
  writeFileSync(new URL(`../../../docs/${name}`, import.meta.url), text);
}
