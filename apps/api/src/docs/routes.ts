import { type Route, route } from '../route.js';
import { describeApi } from './describe-api.js';
import { guide } from './guide.js';
import { reference } from './reference.js';
import { style } from './style.js';
import { toHtml } from './to-html.js';

/** @param documented every other route. The docs describe these routes and their own. */
export function docsRoutes(documented: readonly Route[]): Route[] {
  const own = [
    route({
      method: 'get',
      path: '/docs',
      access: 'public',
      summary: 'This guide',
      async handle({ config }) {
        const page = toHtml('Posthorn API', [...guide(config.publicUrl), ...reference(all, config.publicUrl)]);
        return { status: 200, body: page, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
      },
    }),

    route({
      method: 'get',
      path: '/docs/style.css',
      access: 'public',
      summary: 'Style sheet of this guide',
      async handle() {
        return { status: 200, body: style, headers: { 'Content-Type': 'text/css; charset=utf-8' } };
      },
    }),

    route({
      method: 'get',
      path: '/openapi.json',
      access: 'public',
      summary: 'This API as OpenAPI 3.1',
      async handle() {
        return { status: 200, body: description };
      },
    }),
  ];
  const all = [...documented, ...own];
  const description = describeApi(all);
  return own;
}
