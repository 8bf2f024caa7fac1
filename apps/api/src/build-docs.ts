import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documented } from './app.js';
import type { ApiDocument } from './docs/pages/operations.js';
import { listPagePaths, renderPages } from './docs/pages/pages.js';
import { buildValues } from './docs/pages/placeholders.js';
import { buildDocsRoutes } from './docs/routes.js';
import { buildOpenApiDocument, tagNames } from './openapi/openapi-document.js';

// Makes what /docs and /openapi.json serve. build.mjs runs it.

const BROWSER = join(import.meta.dirname, 'docs/pages/browser');
const SITE = join(import.meta.dirname, '../dist/site');

const scripts = readdirSync(BROWSER).filter((name) => name.endsWith('.js'));
const paths = [...listPagePaths(tagNames), ...scripts.map((name) => `/docs/scripts/${name}`)];
const routes = [...documented, ...buildDocsRoutes(new Map(paths.map((path) => [path, Buffer.alloc(0)])))];
const document = buildOpenApiDocument(routes);
const { pages, search } = renderPages(document as ApiDocument, buildValues(routes));

rmSync(SITE, { recursive: true, force: true });
for (const name of scripts) write(`/docs/scripts/${name}`, (file) => cpSync(join(BROWSER, name), file));
write('/docs/style.css', (file) => cpSync(join(BROWSER, 'style.css'), file));
for (const [path, html] of pages) write(`${path}.html`, (file) => writeFileSync(file, html));
write('/docs/search.json', (file) => writeFileSync(file, JSON.stringify(search)));
// Last, because build.mjs compares the time of this file with those of the sources.
write('/openapi.json', (file) => writeFileSync(file, JSON.stringify(document)));

function write(path: string, to: (file: string) => void): void {
  const file = join(SITE, path);
  mkdirSync(dirname(file), { recursive: true });
  to(file);
}
