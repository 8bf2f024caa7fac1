import type { IncomingMessage } from 'node:http';
import { apiRoutes } from './api-routes.js';
import { isCrossSite, isLocalHost } from './local-requests.js';
import { pageRoutes } from './page-routes.js';
import { textResponse } from './responses.js';
import type { Inbox, Route, RouteResponse } from './route.js';

const MAX_BODY_BYTES = 64 * 1024;

const patterns = [...pageRoutes, ...apiRoutes].map((route) => ({ route, pattern: toPattern(route.path) }));

/** Runs the route that matches, after the checks against DNS rebinding and cross-site requests. */
export async function handleRequest(inbox: Inbox, request: IncomingMessage): Promise<RouteResponse> {
  if (!isLocalHost(request.headers))
    return textResponse(403, 'The inbox only accepts requests for localhost and 127.0.0.1.');
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  const matching = patterns.filter(({ pattern }) => pattern.test(path));
  if (matching.length === 0) return textResponse(404, 'Not found.');

  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const found = matching.find(({ route }) => route.method === method);
  if (!found) return methodNotAllowed(matching.map(({ route }) => route.method));
  if (method !== 'GET' && isCrossSite(request.headers))
    return textResponse(403, 'Cross-site requests are not allowed.');

  const body = method === 'GET' ? '' : await readBody(request);
  if (body === null)
    return closeConnection(textResponse(413, `The request body is larger than ${MAX_BODY_BYTES} bytes.`));
  const params = found.pattern.exec(path)?.groups ?? {};
  return found.route.handle(inbox, { params, query: new URLSearchParams(search), body });
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

function methodNotAllowed(allowed: readonly Route['method'][]): RouteResponse {
  const response = textResponse(405, `Method not allowed. Use ${allowed.join(' or ')}.`);
  return { ...response, headers: { ...response.headers, Allow: allowed.join(', ') } };
}

/** @returns null if the body is too large */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** If the connection stayed open, the unread rest of the body would be parsed as the next request. */
function closeConnection(response: RouteResponse): RouteResponse {
  return { ...response, headers: { ...response.headers, Connection: 'close' } };
}
