import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '@posthorn/contract';
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

/** @param site decides which pages and scripts the paths have */
export function buildDocsRoutes(site: Site): Route[] {
  return [...pageRoutes(site), ...fileRoutes(site)];
}

function pageRoutes(site: Site): Route[] {
  const readPage = createPageReader(site);
  const declare = (path: string, operationId: OperationId, summary: string) =>
    defineRoute({
      operationId,
      method: 'get',
      path,
      ...(path.endsWith(':page') && { pathValues: { page: listNames(site, path.replace(':page', '')) } }),
      access: 'public',
      summary,
      contentType: 'text/html',
      handle: async ({ config }, { params }) => ({
        status: 200,
        pieces: [readPage(path.replace(':page', params.page ?? ''), config.publicUrl)],
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
        page: 'docs',
      }),
    });
  return [
    declare('/docs', 'getDocs', 'This guide'),
    declare('/docs/reference/:page', 'getDocsPage', 'The description of one group of endpoints'),
    declare('/docs/guides/:page', 'getDocsArticle', 'A guide for users of another service'),
  ];
}

function fileRoutes(site: Site): Route[] {
  const declare = (
    path: string,
    operationId: OperationId,
    more: Pick<Route, 'summary' | 'contentType' | 'rateLimit'>,
  ) =>
    defineRoute({
      operationId,
      method: 'get',
      path,
      ...(path.endsWith(':file') && { pathValues: { file: listNames(site, path.replace(':file', '')) } }),
      access: 'public',
      ...more,
      handle: async (_ctx, { params }) => ({
        status: 200,
        pieces: [getFile(site, path.replace(':file', params.file ?? ''))],
        headers: { 'Content-Type': `${more.contentType ?? 'application/json'}; charset=utf-8` },
      }),
    });
  return [
    declare('/docs/search.json', 'getDocsSearch', { summary: 'The search index of this guide' }),
    declare('/docs/style.css', 'getDocsStyle', {
      summary: 'Style sheet of this guide',
      contentType: 'text/css',
      rateLimit: 'none',
    }),
    declare('/docs/scripts/:file', 'getDocsScript', {
      summary: 'Script of this guide',
      contentType: 'text/javascript',
      rateLimit: 'none',
    }),
    declare('/openapi.json', 'getOpenApi', { summary: 'This API as OpenAPI 3.1' }),
  ];
}

function listNames(site: Site, folder: string): string[] {
  return [...site.keys()].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
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
