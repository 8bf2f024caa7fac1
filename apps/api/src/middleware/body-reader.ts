import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Caller, limits } from '@posthorn/domain';
import Joi from 'joi';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http-errors.js';
import type { Route } from '../route.js';
import { chargeRefusals } from './charge-refusals.js';
import { checkJson } from './check-json.js';
import { duplicateNameRefusal } from './duplicate-name.js';
import { measureJson } from './measure-json.js';
import { readBytes } from './read-bytes.js';
import { validate } from './validate.js';

/** Reads, parses and validates the JSON body of a request, or refuses it with 413, 415, 400 or 422. */
export function bodyReader(
  ctx: ApiContext,
  route: Route,
): (request: IncomingMessage, caller: Caller | null) => Promise<unknown> {
  const { body: schema, fastPath = () => null } = route;
  if (!schema) return refuseBody;
  const maxBytes = route.access === 'public' ? limits.publicBody.max : ctx.config.maxBodyBytes;
  const read = async (request: IncomingMessage) => {
    const body = await readJson(request, maxBytes);
    return fastPath(body) ?? validate(schema, body);
  };
  return (request, caller) =>
    route.isSend && caller ? chargeRefusals(ctx, caller, () => read(request)) : read(request);
}

/** For a route without a body. `{}` is allowed; any field is refused, because it would be silently ignored. */
async function refuseBody(request: IncomingMessage): Promise<undefined> {
  if (hasBody(request)) validate(noFields, await readJson(request, limits.publicBody.max));
}

const noFields = Joi.object({});

async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const reason = mediaTypeFault(request);
  if (reason !== null) throw new HttpRefusal('unsupported_media_type', { reason });
  // A body whose Content-Length is too large is refused before it is read.
  if (contentLengthOf(request) > maxBytes) throw new HttpRefusal('body_too_large', { maxBytes });
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) throw new HttpRefusal('malformed_json', { reason: 'it is empty' });
  // Decoding would replace invalid bytes with U+FFFD, which would end up in the email.
  if (!isUtf8(bytes)) throw new HttpRefusal('malformed_json', { reason: 'it is not valid UTF-8' });
  const latin1 = bytes.toString('latin1');
  const members = measureJson(latin1);
  const text = isAscii(bytes) ? latin1 : withoutByteOrderMark(bytes.toString());
  const body = parse(text);
  if (checkJson(body) !== members) throw duplicateNameRefusal(text);
  return body;
}

/** Hides the parser's own message, because it quotes the body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal('malformed_json', { reason: 'it has a syntax error' });
  }
}

/** RFC 8259, 8.1 allows parsers to ignore a byte order mark. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Why the headers do not declare the body as JSON in UTF-8; null if they do, or if there is no body. */
function mediaTypeFault(request: IncomingMessage): string | null {
  if (!hasBody(request)) return null;
  const { 'content-type': type = '' } = request.headers;
  if (!isJson(request)) return type ? 'The Content-Type is not JSON' : 'The Content-Type is missing';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(charset) ? null : 'The charset is not UTF-8';
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || contentLengthOf(request) > 0;
}

/** The length that the client declares. Node only accepts digits here. */
function contentLengthOf(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(String(request.headers['content-type'] ?? ''));
}
