import type { Server, ServerResponse } from 'node:http';
import { type ApiDocument, parseApiDocument } from '@posthorn/testing';
import { readSite } from '../src/docs/routes.js';

let document: ApiDocument | undefined;

/**
 * Compares every response of the server with the OpenAPI document.
 * @returns a function that throws if a response had an undocumented status, header or body
 */
export function checkResponses(server: Server): () => void {
  document ??= parseApiDocument(JSON.parse(`${readSite().get('/openapi.json')}`));
  const { check } = document;
  const faults = new Set<string>();
  server.prependListener('request', ({ method = '', url = '' }, response) => {
    const path = url.split('?')[0] ?? '';
    recordBody(response, (text) => {
      const { statusCode: status } = response;
      const fault = check({ method, path, status, headers: toHeaders(response), text });
      if (fault !== null) faults.add(fault);
    });
  });
  return () => {
    if (faults.size > 0) throw new Error(`Responses that /openapi.json does not describe:\n${[...faults].join('\n')}`);
  };
}

/** Calls `done` with the whole body when the handler has ended the response. */
function recordBody(response: ServerResponse, done: (text: string) => void): void {
  const pieces: Buffer[] = [];
  const add = (piece: unknown) => {
    if (typeof piece === 'string' || piece instanceof Uint8Array) pieces.push(Buffer.from(piece as string));
  };
  const { write, end } = response;
  response.write = ((...args: unknown[]) => {
    add(args[0]);
    return Reflect.apply(write, response, args);
  }) as typeof response.write;
  response.end = ((...args: unknown[]) => {
    add(args[0]);
    const result = Reflect.apply(end, response, args);
    done(Buffer.concat(pieces).toString());
    return result;
  }) as typeof response.end;
}

/** writeHead with a flat list does not fill getHeaders(), so the headers are read from what was sent. */
function toHeaders(response: ServerResponse): Record<string, string> {
  const { _header = '' } = response as { _header?: string };
  const lines = _header.split('\r\n').slice(1);
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
