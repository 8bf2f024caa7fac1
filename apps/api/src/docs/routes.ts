import { type Route, route } from '../route.js';
import { describeApi } from './describe-api.js';
import { guide } from './guide.js';
import { reference } from './reference.js';
import { style } from './style.js';
import { toHtml } from './to-html.js';

/** @param documented all other routes. The docs describe these routes and the routes of the docs themselves. */
export function docsRoutes(documented: readonly Route[]): Route[] {
  // Rendered and encoded only once, because anyone can request them without a credential.
  const pages = new Map<string, Buffer>();
  const own: Route[] = [
    route({
      operationId: 'getDocs',
      method: 'get',
      path: '/docs',
      access: 'public',
      summary: 'This guide',
      contentType: 'text/html',
      async handle({ config: { publicUrl } }) {
        const page = pages.get(publicUrl) ?? Buffer.from(writeGuide(publicUrl));
        pages.set(publicUrl, page);
        return { status: 200, pieces: [page], headers: { 'Content-Type': 'text/html; charset=utf-8' } };
      },
    }),

    route({
      operationId: 'getDocsStyle',
      method: 'get',
      path: '/docs/style.css',
      access: 'public',
      summary: 'Style sheet of this guide',
      contentType: 'text/css',
      async handle() {
        return { status: 200, body: style, headers: { 'Content-Type': 'text/css; charset=utf-8' } };
      },
    }),

    route({
      operationId: 'getOpenApi',
      method: 'get',
      path: '/openapi.json',
      access: 'public',
      summary: 'This API as OpenAPI 3.1',
      async handle() {
        return { status: 200, pieces: [description], headers: { 'Content-Type': 'application/json; charset=utf-8' } };
      },
    }),
  ];
  const all: readonly Route[] = [...documented, ...own];
  const description = Buffer.from(JSON.stringify(describeApi(all)));
  const writeGuide = (publicUrl: string) => toHtml('Posthorn API', [...guide(publicUrl), ...reference(all, publicUrl)]);
  return own;
}
