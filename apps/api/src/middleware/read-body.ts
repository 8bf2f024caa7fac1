import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Caller, limits } from '@posthorn/domain';
import Joi from 'joi';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http-errors.js';
import type { Route } from '../route.js';
import { chargeRefusals } from './charge-refusals.js';
import { measureJson } from './json-shape.js';
import { assertPlain } from './plain-json.js';
import { readBytes } from './read-bytes.js';
import { refuseRepeatedName } from './repeated-names.js';
import { validate } from './validate.js';

/** Reads, parses and validates a JSON body: 413, 415, 400 or 422. */
export function bodyReader(
  ctx: ApiContext,
  route: Route,
): (request: IncomingMessage, caller: Caller | null) => Promise<unknown> {
  const { body: schema, readPlain = () => null } = route;
  if (!schema) return refuseFields;
  const maxBytes = route.access === 'public' ? limits.publicBody.max : ctx.config.maxBodyBytes;
  const read = async (request: IncomingMessage) => {
    const body = await readJson(request, maxBytes);
    return readPlain(body) ?? validate(schema, body);
  };
  return (request, caller) =>
    route.isSend && caller ? chargeRefusals(ctx, caller, () => read(request)) : read(request);
}

/** Nothing is asked for: an empty object is nothing, anything else would be dropped in silence. */
async function refuseFields(request: IncomingMessage): Promise<undefined> {
  if (hasBody(request)) validate(NOTHING, await readJson(request, limits.publicBody.max));
}

const NOTHING = Joi.object({});

async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const reason = mediaFault(request);
  if (reason !== null) throw new HttpRefusal('unsupported_media_type', { reason });
  // It would have to be read to its end before that is known otherwise.
  if (lengthOf(request) > maxBytes) throw new HttpRefusal('body_too_large', { maxBytes });
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) throw new HttpRefusal('malformed_json', { reason: 'it is empty' });
  // A byte that is not UTF-8 would become U+FFFD in somebody's mail.
  if (!isUtf8(bytes)) throw new HttpRefusal('malformed_json', { reason: 'it is not valid UTF-8' });
  const latin1 = bytes.toString('latin1');
  const members = measureJson(latin1);
  const text = isAscii(bytes) ? latin1 : withoutByteOrderMark(bytes.toString());
  const body = parse(text);
  if (assertPlain(body) !== members) throw refuseRepeatedName(text);
  return body;
}

/** The parser's own message would quote the body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal('malformed_json', { reason: 'it cannot be parsed' });
  }
}

/** RFC 8259, 8.1: it may be ignored. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** What keeps the body, if there is one, from being JSON in UTF-8. */
function mediaFault(request: IncomingMessage): string | null {
  if (!hasBody(request)) return null;
  const { 'content-type': type = '' } = request.headers;
  if (!isJson(request)) return type ? 'The Content-Type is not JSON' : 'The Content-Type is missing';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(charset) ? null : 'The charset is not UTF-8';
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0;
}

/** As announced; Node lets nothing but digits through. */
function lengthOf(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(String(request.headers['content-type'] ?? ''));
}
