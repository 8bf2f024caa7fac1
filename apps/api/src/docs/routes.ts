import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@posthorn/domain/errors';
import { escapeHtml } from '@posthorn/domain/templates';
import { type Route, type RouteResponse, route } from '../route.js';

/** What apps/api/docs has built. The path is the same from the sources as from the build. */
const folder = join(import.meta.dirname, '../../dist/docs/site');

/** The server that the built pages name. */
const EXAMPLE_URL = 'https://mail.example.com';

/** Files by the path at which they are served. */
export type Site = ReadonlyMap<string, Buffer>;

/** Read at startup, so that a running process never serves parts of a later build. Empty if nothing was built. */
export function readSite(): Site {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) => /\.\w+$/.test(name));
  return new Map(files.map((name) => [`/${name.replace(/\.html$/, '')}`, readFileSync(join(folder, name))]));
}

const JSON_TYPE = 'application/json';
const HTML_TYPE = 'text/html';

/** @param site decides which pages and scripts the paths have */
export function docsRoutes(site: Site): Route[] {
  const listNames = (start: string) =>
    [...site.keys()].filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
  const respond = (path: string, type: string): RouteResponse => {
    const file = site.get(path);
    if (!file) throw new Refusal('not_found', { what: 'path' });
    return { status: 200, pieces: [file], headers: { 'Content-Type': `${type}; charset=utf-8` } };
  };
  const readPage = createPageReader(site);
  const respondPage = (path: string, publicUrl: string): RouteResponse => ({
    ...respond(path, HTML_TYPE),
    pieces: [readPage(path, publicUrl)],
    page: 'docs',
  });
  return [
    route({
      operationId: 'getDocs',
      method: 'get',
      path: '/docs',
      access: 'public',
      summary: 'This guide',
      contentType: HTML_TYPE,
      handle: async ({ config }) => respondPage('/docs', config.publicUrl),
    }),
    route({
      operationId: 'getDocsPage',
      method: 'get',
      path: '/docs/reference/:page',
      pathValues: { page: listNames('/docs/reference/') },
      access: 'public',
      summary: 'The description of one group of endpoints',
      contentType: HTML_TYPE,
      handle: async ({ config }, { params }) => respondPage(`/docs/reference/${params.page}`, config.publicUrl),
    }),
    route({
      operationId: 'getDocsArticle',
      method: 'get',
      path: '/docs/guides/:page',
      pathValues: { page: listNames('/docs/guides/') },
      access: 'public',
      summary: 'A guide for users of another service',
      contentType: HTML_TYPE,
      handle: async ({ config }, { params }) => respondPage(`/docs/guides/${params.page}`, config.publicUrl),
    }),
    route({
      operationId: 'getDocsSearch',
      method: 'get',
      path: '/docs/search.json',
      access: 'public',
      summary: 'The search index of this guide',
      handle: async () => respond('/docs/search.json', JSON_TYPE),
    }),
    route({
      operationId: 'getDocsStyle',
      method: 'get',
      path: '/docs/style.css',
      access: 'public',
      summary: 'Style sheet of this guide',
      contentType: 'text/css',
      rateLimit: 'none',
      handle: async () => respond('/docs/style.css', 'text/css'),
    }),
    route({
      operationId: 'getDocsScript',
      method: 'get',
      path: '/docs/scripts/:file',
      pathValues: { file: listNames('/docs/scripts/') },
      access: 'public',
      summary: 'Script of this guide',
      contentType: 'text/javascript',
      rateLimit: 'none',
      handle: async (_ctx, { params }) => respond(`/docs/scripts/${params.file}`, 'text/javascript'),
    }),
    route({
      operationId: 'getOpenApi',
      method: 'get',
      path: '/openapi.json',
      access: 'public',
      summary: 'This API as OpenAPI 3.1',
      handle: async () => respond('/openapi.json', JSON_TYPE),
    }),
  ];
}

/** Puts the address of this server into the samples, once for each page, because anyone can request them. */
function createPageReader(site: Site): (path: string, publicUrl: string) => Buffer {
  const pages = new Map<string, Buffer>();
  return (path, publicUrl) => {
    const key = `${publicUrl} ${path}`;
    const page = pages.get(key) ?? Buffer.from(`${site.get(path)}`.replaceAll(EXAMPLE_URL, escapeHtml(publicUrl)));
    pages.set(key, page);
    return page;
  };
}
