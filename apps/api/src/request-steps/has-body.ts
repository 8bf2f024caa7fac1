import type { IncomingMessage } from 'node:http';

/** Whether the headers announce a body. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || contentLengthOf(request) > 0;
}

/** The Content-Length that the client declares, or 0 if there is none. Node accepts only digits here. */
export function contentLengthOf(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}
