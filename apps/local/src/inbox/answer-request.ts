import type { IncomingMessage } from 'node:http';
import { textAnswer } from './answers.js';
import { isCrossSite, isLocalHost } from './local-requests.js';
import type { Answer, Inbox, Route } from './route.js';
import { routes } from './routes.js';

const MAX_BODY_BYTES = 64 * 1024;

const patterns = routes.map((route) => ({ route, pattern: toPattern(route.path) }));

/** Finds the route of a request and has it answered, unless the request comes from where it must not. */
export async function answerRequest(inbox: Inbox, request: IncomingMessage): Promise<Answer> {
  if (!isLocalHost(request.headers)) return textAnswer(403, 'The inbox answers to localhost and 127.0.0.1 only.');
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  const matching = patterns.filter(({ pattern }) => pattern.test(path));
  if (matching.length === 0) return textAnswer(404, 'There is no such page in the inbox.');

  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const found = matching.find(({ route }) => route.method === method);
  if (!found) return refuseMethod(matching.map(({ route }) => route.method));
  if (method !== 'GET' && isCrossSite(request.headers)) return textAnswer(403, 'Another site may not do this.');

  const body = method === 'GET' ? '' : await readBody(request);
  if (body === null) return closing(textAnswer(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`));
  const params = found.pattern.exec(path)?.groups ?? {};
  return found.route.handle(inbox, { params, query: new URLSearchParams(search), body });
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

function refuseMethod(allowed: readonly Route['method'][]): Answer {
  const refusal = textAnswer(405, `This address takes ${allowed.join(' and ')} only.`);
  return { ...refusal, headers: { ...refusal.headers, Allow: allowed.join(', ') } };
}

/** @returns null when there is too much of it */
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

/** What was not read of the body must not be taken for the next request. */
function closing(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, Connection: 'close' } };
}
