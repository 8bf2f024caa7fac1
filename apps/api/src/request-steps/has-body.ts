import type { IncomingMessage } from 'node:http';

/** Whether the headers announce a body. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || contentLengthOf(request) > 0;
}

/** The length that the client declares; 0 without one. Node only accepts digits here. */
export function contentLengthOf(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}
