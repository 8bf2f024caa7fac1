import type { IncomingMessage } from 'node:http';
import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Response } from 'express';
import Joi from 'joi';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http/http-errors.js';
import { takeContentTurn } from '../load-limits/take-turn.js';
import type { Route } from '../route.js';
import { acceptsNoFields } from '../validation/accepts-no-fields.js';
import { validate } from '../validation/validate.js';
import { validateEach } from '../validation/validate-each.js';
import { formReader } from './form-reader.js';
import { hasBody } from './has-body.js';
import { type ReadLimits, readBytes } from './read-bytes.js';

/**
 * Reads, parses and validates the JSON body or the form of a request, or refuses it with 413, 415, 400 or 422. The bytes
 * of a CSV file are only read.
 */
export function bodyReader(
  ctx: ApiContext,
  route: Route,
): (request: IncomingMessage, response: Response) => Promise<unknown> {
  if (route.maxCsvBytes !== undefined) return csvReader(ctx, route.maxCsvBytes);
  const { body: schema, fastPath = () => null, isBatch, batchPath } = route;
  if (route.method === 'get') return refuseAnyBody;
  if (route.isForm) return formReader(ctx);
  if (!schema) return (request, response) => refuseBody(ctx, request, response);
  const validateOne = (body: unknown) => fastPath(body) ?? validate(schema, body);
  const readLimits = { maxBytes: maxBytesOf(ctx, route), bodies: ctx.bodies };
  const mayBeEmpty = !isBatch && acceptsNoFields(schema);
  return async (request, response) => {
    const bytes = await readBody(request, response, readLimits);
    if (bytes.length === 0 && mayBeEmpty) return validateOne({});
    assertNotEmpty(bytes);
    if (bytes.length > MAX_BYTES_WITHOUT_TURN) await takeContentTurn(ctx, response);
    const body = await ctx.json.parse(bytes);
    if (isBatch) return validateEach(body, validateOne);
    if (batchPath !== undefined) assertOne(body, batchPath);
    return validateOne(body);
  };
}

function csvReader({ bodies }: Pick<ApiContext, 'bodies'>, maxBytes: number) {
  return async (request: IncomingMessage, response: Response) => {
    const reason = mediaTypeFault(request, 'CSV');
    if (reason !== null)
      throw new HttpRefusal('unsupported_media_type', {
        reason,
        expected: 'CSV in UTF-8 with "Content-Type: text/csv"',
      });
    return readBytes(request, response, { maxBytes, bodies });
  };
}

function assertOne(body: unknown, batchPath: string): void {
  if (!Array.isArray(body)) return;
  throw invalid({ field: '', message: `must be an object; to send several emails, send an array to ${batchPath}` });
}

function maxBytesOf({ config }: ApiContext, { access, hasLargeBody }: Route): number {
  if (access === 'public') return limits.publicBody.max;
  return hasLargeBody ? config.maxBodyBytes : limits.smallBody.max;
}

/** Gives this reason even if the body is not JSON, because the client has to do the same in both cases. */
async function refuseAnyBody(request: IncomingMessage): Promise<undefined> {
  if (!hasBody(request)) return;
  const message = `must be empty, because ${request.method} takes its parameters from the query string, such as ?limit=20`;
  throw invalid({ field: '', message });
}

/**
 * For other routes without a body. An empty body and `{}` are allowed. Any field is refused, because it would otherwise be ignored.
 */
async function refuseBody(
  { json, bodies }: Pick<ApiContext, 'json' | 'bodies'>,
  request: IncomingMessage,
  response: Response,
): Promise<undefined> {
  if (!hasBody(request)) return;
  const bytes = await readBody(request, response, { maxBytes: limits.publicBody.max, bodies });
  if (bytes.length > 0) validate(noFields, await json.parse(bytes));
}

const noFields = Joi.object({});

/** A workspace's larger bodies are parsed and handled one at a time. */
const MAX_BYTES_WITHOUT_TURN = 1_000_000;

async function readBody(request: IncomingMessage, response: Response, readLimits: ReadLimits): Promise<Buffer> {
  const reason = mediaTypeFault(request, 'JSON');
  if (reason !== null) throw new HttpRefusal('unsupported_media_type', { reason });
  return readBytes(request, response, readLimits);
}

function assertNotEmpty(bytes: Buffer): void {
  if (bytes.length === 0) throw new HttpRefusal('malformed_json', { reason: 'it is empty' });
}

const mediaTypes = { JSON: /^application\/json\s*(;|$)/i, CSV: /^text\/csv\s*(;|$)/i } as const;

/** Why the headers do not declare the body as JSON or CSV in UTF-8; null if they do, or if there is no body. */
function mediaTypeFault(request: IncomingMessage, expected: keyof typeof mediaTypes): string | null {
  if (!hasBody(request)) return null;
  const { 'content-type': type = '' } = request.headers;
  if (!mediaTypes[expected].test(type))
    return type ? `The Content-Type is not ${expected}` : 'The Content-Type is missing';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(charset) ? null : 'The charset is not UTF-8';
}
