import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@posthorn/domain/errors';
import { escapeHtml } from '@posthorn/domain/templates';
import { defineRoute, type Route } from '../routing/route.js';

/** What build-docs.ts has built. The path is the same from the sources as from the build. */
const folder = join(import.meta.dirname, '../../dist/site');

/** The server that the built pages name. */
export const EXAMPLE_URL = 'https://mail.example.com';

/** Files by the path at which they are served. */
export type Site = ReadonlyMap<string, Buffer>;

/** Read at startup, so that a running process never serves parts of a later build. Empty if nothing was built. */
export function readSite(): Site {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) => /\.\w+$/.test(name));
  return new Map(files.map((name) => [`/${name.replace(/\.html$/, '')}`, readFileSync(join(folder, name))]));
}

type ServedPath = Pick<Route, 'operationId' | 'path' | 'summary' | 'contentType' | 'rateLimit'>;

/** The last part of a path may be a parameter. Its values are the names of the built files. */
const servedPaths: readonly ServedPath[] = [
  { operationId: 'getDocs', path: '/docs', summary: 'This guide', contentType: 'text/html' },
  {
    operationId: 'getDocsPage',
    path: '/docs/reference/:page',
    summary: 'The description of one group of endpoints',
    contentType: 'text/html',
  },
  {
    operationId: 'getDocsArticle',
    path: '/docs/guides/:page',
    summary: 'A guide for users of another service',
    contentType: 'text/html',
  },
  { operationId: 'getDocsSearch', path: '/docs/search.json', summary: 'The search index of this guide' },
  {
    operationId: 'getDocsStyle',
    path: '/docs/style.css',
    summary: 'Style sheet of this guide',
    contentType: 'text/css',
    rateLimit: 'none',
  },
  {
    operationId: 'getDocsScript',
    path: '/docs/scripts/:file',
    summary: 'Script of this guide',
    contentType: 'text/javascript',
    rateLimit: 'none',
  },
  { operationId: 'getOpenApi', path: '/openapi.json', summary: 'This API as OpenAPI 3.1' },
];

/** @param site decides which pages and scripts the paths have */
export function buildDocsRoutes(site: Site): Route[] {
  const readPage = createPageReader(site);
  return servedPaths.map((served) => {
    const { path, contentType = 'application/json' } = served;
    const [parent = path, parameter] = path.split(':');
    const isPage = contentType === 'text/html';
    return defineRoute({
      ...served,
      method: 'get',
      access: 'public',
      ...(parameter && { pathValues: { [parameter]: listNames(site, parent) } }),
      async handle({ config }, { params }) {
        const file = parameter ? parent + params[parameter] : path;
        return {
          status: 200,
          pieces: [isPage ? readPage(file, config.publicUrl) : getFile(site, file)],
          headers: { 'Content-Type': `${contentType}; charset=utf-8` },
          ...(isPage && { page: 'docs' }),
        };
      },
    });
  });
}

function listNames(site: Site, parent: string): string[] {
  return [...site.keys()].filter((path) => path.startsWith(parent)).map((path) => path.slice(parent.length));
}

function getFile(site: Site, path: string): Buffer {
  const file = site.get(path);
  if (!file) throw new Refusal('not_found', { what: 'path' });
  return file;
}

/** Puts the address of this server into the samples, once for each page, because anyone can request them. */
function createPageReader(site: Site): (path: string, publicUrl: string) => Buffer {
  const pages = new Map<string, Buffer>();
  return (path, publicUrl) => {
    const key = `${publicUrl} ${path}`;
    const page = pages.get(key) ?? Buffer.from(`${getFile(site, path)}`.replaceAll(EXAMPLE_URL, escapeHtml(publicUrl)));
    pages.set(key, page);
    return page;
  };
}
