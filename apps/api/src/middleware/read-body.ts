import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { limits, Refusal } from '@posthorn/domain';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';
import { chargeRefusals } from './charge-refusals.js';
import { measureJson } from './json-shape.js';
import { assertPlain } from './plain-json.js';
import { refuseRepeatedName } from './repeated-names.js';
import { validate } from './validate.js';

/** The body before it was parsed, and how many members it had then. */
type ReadBytes = { readonly bytes: Buffer; readonly members: number };

/** Reads, parses and validates a JSON body into `request.body`: 413, 415, 400 or 422. */
export function readBody(ctx: ApiContext, route: Route): RequestHandler {
  const { body: schema } = route;
  if (!schema) return (_request, _response, next) => next();
  const parse = jsonParser(route.access === 'public' ? limits.publicBody.max : ctx.config.maxBodyBytes);
  return async (request, response, next) => {
    const read = async () => {
      await parse(request, response);
      if (request.body === undefined) throw new Refusal('malformed_json', { reason: 'it is empty' });
      const { bytes, members } = response.locals.read as ReadBytes;
      delete response.locals.read;
      if (assertPlain(request.body) !== members) throw refuseRepeatedName(bytes.toString());
      request.body = validate(schema, request.body);
    };
    await (route.isSend ? chargeRefusals(ctx, response.locals.caller, read) : read());
    next();
  };
}

function jsonParser(maxBytes: number) {
  const parse = express.json({ limit: maxBytes, strict: false, type: isJson, verify: assertText });
  return (request: Request, response: Response) =>
    new Promise<void>((resolve, reject) => {
      const reason = mediaFault(request);
      if (reason !== null) reject(new Refusal('unsupported_media_type', { reason }));
      // The parser would read it to its end before it says so.
      else if (lengthOf(request) > maxBytes) reject(new Refusal('body_too_large', { maxBytes }));
      else parse(request, response, (error) => (error ? reject(toRefusal(error, maxBytes)) : resolve()));
    });
}

/** What keeps the body, if there is one, from being JSON in UTF-8. */
function mediaFault(request: Request): string | null {
  const { 'transfer-encoding': chunked, 'content-type': type = '' } = request.headers;
  const hasBody = chunked !== undefined || lengthOf(request) > 0;
  if (!hasBody) return null;
  if (!isJson(request)) return type ? 'The Content-Type is not JSON' : 'The Content-Type is missing';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(charset) ? null : 'The charset is not UTF-8';
}

/** As announced; Node lets nothing but digits through. */
function lengthOf(request: Request): number {
  return Number(request.headers['content-length'] ?? 0);
}

function isJson(request: { headers: NodeJS.Dict<string | string[]> }): boolean {
  return /^application\/json\s*(;|$)/i.test(String(request.headers['content-type'] ?? ''));
}

/** An empty body would become {}, and a byte that is not UTF-8 U+FFFD in somebody's mail. */
function assertText(_request: unknown, response: ServerResponse, bytes: Buffer): void {
  if (bytes.length === 0) throw new Refusal('malformed_json', { reason: 'it is empty' });
  if (!isUtf8(bytes)) throw new Refusal('malformed_json', { reason: 'it is not valid UTF-8' });
  (response as Response).locals.read = { bytes, members: measureJson(bytes) } satisfies ReadBytes;
}

/** The parser's own messages quote the body; only the kind of fault is passed on. */
function toRefusal(error: unknown, maxBytes: number): unknown {
  if (error instanceof Refusal) return error;
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return new Refusal('body_too_large', { maxBytes });
    case 'encoding.unsupported':
      return new Refusal('unsupported_media_type', { reason: 'The Content-Encoding is not known' });
    case 'entity.parse.failed':
      return new Refusal('malformed_json', { reason: 'it cannot be parsed' });
    case 'request.aborted':
    case 'request.size.invalid':
      return new Refusal('malformed_json', { reason: 'it ended before its Content-Length' });
    default:
      return (error as { status?: number }).status === 400
        ? new Refusal('malformed_json', { reason: 'it could not be read' })
        : error;
  }
}
