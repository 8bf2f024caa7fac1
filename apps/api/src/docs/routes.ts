import { Refusal } from '@posthorn/domain/errors';
import { type Route, type RouteResponse, route } from '../routing/route.js';
import { articles } from './articles.js';
import { describeApi, tags } from './describe-api.js';
import { guide } from './guide.js';
import type { ApiDocument } from './operations.js';
import { articlePath, docsPages, pageName } from './pages/docs-pages.js';
import { style } from './pages/style.js';
import { readScripts } from './read-scripts.js';
import { reference } from './reference.js';
import { searchIndex } from './search-index.js';

type Files = { readonly pages: ReadonlyMap<string, Buffer>; readonly search: Buffer };

/** @param documented all other routes. The docs describe these routes and the routes of the docs themselves. */
export function docsRoutes(documented: readonly Route[]): Route[] {
  const scripts = readScripts();
  const pageNames = Object.values(tags).map(([tag]) => pageName(tag));
  const own: Route[] = [
    ...pageRoutes(readFiles, pageNames),
    ...assetRoutes(scripts),
    descriptionRoute(() => description),
  ];
  const all: readonly Route[] = [...documented, ...own];
  const document = describeApi(all);
  const description = Buffer.from(JSON.stringify(document));
  // Rendered and encoded only once, because anyone can request them without a credential.
  const rendered = new Map<string, Files>();
  function readFiles(baseUrl: string): Files {
    const files = rendered.get(baseUrl) ?? render(all, document as ApiDocument, baseUrl);
    rendered.set(baseUrl, files);
    return files;
  }
  return own;
}

function render(routes: readonly Route[], document: ApiDocument, baseUrl: string): Files {
  const content = {
    document,
    guide: guide(baseUrl),
    reference: reference(routes, baseUrl),
    articles: articles(baseUrl),
    baseUrl,
  };
  const pages = [...docsPages(content)].map(([path, html]) => [path, Buffer.from(html)] as const);
  return { pages: new Map(pages), search: Buffer.from(JSON.stringify(searchIndex(content))) };
}

function pageRoutes(readFiles: (baseUrl: string) => Files, pageNames: readonly string[]): Route[] {
  const respond = (baseUrl: string, path: string): RouteResponse => {
    const page = readFiles(baseUrl).pages.get(path);
    if (!page) throw new Refusal('not_found', { what: 'path' });
    return { status: 200, pieces: [page], headers: { 'Content-Type': 'text/html; charset=utf-8' }, page: 'docs' };
  };
  return [
    route({
      operationId: 'getDocs',
      method: 'get',
      path: '/docs',
      access: 'public',
      summary: 'This guide',
      contentType: 'text/html',
      handle: async ({ config }) => respond(config.publicUrl, '/docs'),
    }),
    route({
      operationId: 'getDocsPage',
      method: 'get',
      path: '/docs/reference/:page',
      pathValues: { page: pageNames },
      access: 'public',
      summary: 'The description of one group of endpoints',
      contentType: 'text/html',
      handle: async ({ config }, { params }) => respond(config.publicUrl, `/docs/reference/${params.page}`),
    }),
    route({
      operationId: 'getDocsArticle',
      method: 'get',
      path: '/docs/guides/:page',
      pathValues: { page: articles('').map(({ name }) => name) },
      access: 'public',
      summary: 'A guide for users of another service',
      contentType: 'text/html',
      handle: async ({ config }, { params }) => respond(config.publicUrl, articlePath(params.page ?? '')),
    }),
    route({
      operationId: 'getDocsSearch',
      method: 'get',
      path: '/docs/search.json',
      access: 'public',
      summary: 'The search index of this guide',
      async handle({ config }) {
        return { status: 200, pieces: [readFiles(config.publicUrl).search], headers: JSON_HEADERS };
      },
    }),
  ];
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };

function assetRoutes(scripts: ReadonlyMap<string, string>): Route[] {
  return [
    route({
      operationId: 'getDocsStyle',
      method: 'get',
      path: '/docs/style.css',
      access: 'public',
      summary: 'Style sheet of this guide',
      contentType: 'text/css',
      rateLimit: 'none',
      async handle() {
        return { status: 200, body: style, headers: { 'Content-Type': 'text/css; charset=utf-8' } };
      },
    }),
    route({
      operationId: 'getDocsScript',
      method: 'get',
      path: '/docs/scripts/:file',
      pathValues: { file: [...scripts.keys()] },
      access: 'public',
      summary: 'Script of this guide',
      contentType: 'text/javascript',
      rateLimit: 'none',
      async handle(_ctx, { params }) {
        const body = scripts.get(params.file ?? '');
        if (body === undefined) throw new Refusal('not_found', { what: 'path' });
        return { status: 200, body, headers: { 'Content-Type': 'text/javascript; charset=utf-8' } };
      },
    }),
  ];
}

function descriptionRoute(read: () => Buffer): Route {
  return route({
    operationId: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    access: 'public',
    summary: 'This API as OpenAPI 3.1',
    handle: async () => ({ status: 200, pieces: [read()], headers: JSON_HEADERS }),
  });
}
