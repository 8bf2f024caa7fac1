import type { IncomingMessage } from 'node:http';
import type { Caller } from '@posthorn/domain/accounts';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Request, Response } from 'express';
import Joi, { type Schema } from 'joi';
import type { ApiContext } from '../context/api-context.js';
import { HttpRefusal } from '../http/http-errors.js';
import { type FormFields, parseForm } from '../http/parse-form.js';
import { hasBody, type ReadLimits, readBytes } from '../http/request-body.js';
import { JsonError } from '../json/json-fault.js';
import { toJsonRefusal } from '../json/json-refusals.js';
import { checkValues, type JsonLimits, parseJson } from '../json/parse-json.js';
import type { Route } from '../routing/route.js';
import { validate, validateEach } from '../validation/validate.js';
import { assertAccess } from './authenticate.js';
import { countRefusedSends } from './count-request.js';
import { takeContentTurn } from './take-turn.js';

type ReadRequest = { readonly body: unknown; readonly query: unknown };

/**
 * Checks the caller's access, then reads and validates the body and the query string. A request to send email that is
 * refused here still counts against the rate limit.
 */
export function buildRequestReader(
  ctx: ApiContext,
  route: Route,
): (request: Request, response: Response, caller: Caller) => Promise<ReadRequest> {
  const readBody = buildBodyReader(ctx, route);
  const readQuery = buildQueryReader(route);
  const read = async (request: Request, response: Response, caller: Caller) => {
    assertAccess(caller, route);
    const body = await readBody(request, response);
    return { body, query: readQuery(request) };
  };
  if (!route.isSend) return read;
  return (request, response, caller) => countRefusedSends(ctx, caller, () => read(request, response, caller));
}

/**
 * Reads, parses and validates the JSON body or the form of a request, or refuses it with 413, 415, 400 or 422. The bytes
 * of a CSV file are only read.
 */
function buildBodyReader(ctx: ApiContext, route: Route): (request: Request, response: Response) => Promise<unknown> {
  if (route.maxCsvBytes !== undefined) return buildCsvReader(ctx, route.maxCsvBytes);
  const { body: schema, fastPath = () => null, isBatch, batchPath } = route;
  if (route.readsBodyItself) return async () => undefined;
  if (route.method === 'get') return refuseAnyBody;
  if (route.isForm) return buildFormReader(ctx);
  if (!schema) return (request, response) => refuseBody(ctx, request, response);
  const validateOne = (body: unknown) => fastPath(body) ?? validate(schema, body, { now: ctx.now() });
  const readLimits = { maxBytes: getMaxBytes(ctx, route), bodies: ctx.bodies };
  const mayBeEmpty = !isBatch && acceptsNoFields(schema);
  return async (request, response) => {
    const bytes = await readBody(request, response, readLimits);
    if (bytes.length === 0 && mayBeEmpty) return validateOne({});
    assertNotEmpty(bytes);
    if (bytes.length > MAX_BYTES_WITHOUT_TURN) await takeContentTurn(ctx, response);
    const body = await parseJsonBody(ctx, bytes);
    if (isBatch) return validateEach(body, validateOne, isPermissive(request));
    if (batchPath !== undefined) assertOne(body, batchPath);
    return validateOne(body);
  };
}

/** The query string is read after the body, so this only asks whether an invalid email may be an error of its own. */
function isPermissive(request: Request): boolean {
  return request.url.includes('?') && request.query.mode === 'permissive';
}

/** Parsing a larger body can take several milliseconds; 10 MB of escape sequences take a tenth of a second. */
const MAX_BYTES_ON_MAIN_THREAD = limits.smallBody.max;

const jsonLimits: JsonLimits = {
  maxDepth: limits.jsonDepth.max,
  maxValues: limits.jsonValues.max,
  maxFields: limits.jsonFields.max,
  maxCharactersOutsideStrings: limits.jsonCharactersOutsideStrings.max,
};

/**
 * @param bytes a body that is not empty. A large buffer is transferred to another thread and must not be used afterwards
 * @throws HttpRefusal malformed_json, or Refusal validation_failed
 */
export async function parseJsonBody(
  { threads }: { readonly threads: Pick<ApiContext['threads'], 'parsing'> },
  bytes: Buffer,
): Promise<unknown> {
  if (bytes.length <= MAX_BYTES_ON_MAIN_THREAD) return refuseFaults(() => parseJson(bytes, jsonLimits));
  const result = await threads.parsing.run({ bytes, limits: jsonLimits }, [bytes.buffer as ArrayBuffer]);
  if ('fault' in result) throw toJsonRefusal(result.fault);
  return result.value;
}

function refuseFaults<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof JsonError ? toJsonRefusal(error.fault) : error;
  }
}

function buildCsvReader({ bodies }: Pick<ApiContext, 'bodies'>, maxBytes: number) {
  return async (request: IncomingMessage, response: Response) => {
    const reason = findMediaTypeFault(request, 'CSV');
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

function getMaxBytes({ config }: ApiContext, { access, hasLargeBody }: Route): number {
  if (access === 'public') return limits.publicBody.max;
  return hasLargeBody ? config.maxBodyBytes : limits.smallBody.max;
}

/** Gives this reason even if the body is not JSON, because the client has to do the same in both cases. */
async function refuseAnyBody(request: IncomingMessage): Promise<undefined> {
  if (!hasBody(request)) return;
  const message = `must be empty, because ${request.method} takes its parameters from the query string, such as ?limit=20`;
  throw invalid({ field: '', message });
}

/** For other routes without a body. `{}` is allowed too. Any field is refused, because it would otherwise be ignored. */
async function refuseBody(
  ctx: Pick<ApiContext, 'bodies' | 'threads'>,
  request: IncomingMessage,
  response: Response,
): Promise<undefined> {
  if (!hasBody(request)) return;
  const bytes = await readBody(request, response, { maxBytes: limits.publicBody.max, bodies: ctx.bodies });
  if (bytes.length > 0) validate(noFields, await parseJsonBody(ctx, bytes));
}

const noFields = Joi.object({});

/** A workspace's larger bodies are parsed and handled one at a time. */
const MAX_BYTES_WITHOUT_TURN = 500_000;

async function readBody(request: IncomingMessage, response: Response, readLimits: ReadLimits): Promise<Buffer> {
  const reason = findMediaTypeFault(request, 'JSON');
  if (reason !== null) throw new HttpRefusal('unsupported_media_type', { reason });
  return readBytes(request, response, readLimits);
}

function assertNotEmpty(bytes: Buffer): void {
  if (bytes.length === 0) throw new HttpRefusal('malformed_json', { reason: 'it is empty' });
}

const mediaTypes = { JSON: /^application\/json\s*(;|$)/i, CSV: /^text\/csv\s*(;|$)/i } as const;

/** Why the headers do not declare the body as JSON or CSV in UTF-8; null if they do, or if there is no body. */
function findMediaTypeFault(request: IncomingMessage, expected: keyof typeof mediaTypes): string | null {
  if (!hasBody(request)) return null;
  const { 'content-type': type = '' } = request.headers;
  if (!mediaTypes[expected].test(type))
    return type ? `The Content-Type is not ${expected}` : 'The Content-Type is missing';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(charset) ? null : 'The charset is not UTF-8';
}

/** Whether `{}` is valid, so that a client can leave out the body. */
export function acceptsNoFields(schema: Schema): boolean {
  return schema.validate({}).error === undefined;
}

const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;
/** The type in requests of mail programs that do not name the type of the form. */
const UNNAMED_TYPE = /^(text\/plain\s*(;|$)|$)/i;

/** Reads a form in one of the two types that RFC 8058, section 3.2 names. @throws Refusal with 413, 415 or 422 */
function buildFormReader({
  bodies,
}: Pick<ApiContext, 'bodies'>): (request: IncomingMessage, response: Response) => Promise<FormFields> {
  return async (request, response) => {
    const named = request.headers['content-type'] ?? '';
    const type = UNNAMED_TYPE.test(named) ? 'application/x-www-form-urlencoded' : named;
    if (!FORM_TYPE.test(type)) {
      const expected = 'a form with "Content-Type: application/x-www-form-urlencoded" or multipart/form-data';
      throw new HttpRefusal('unsupported_media_type', { reason: 'The Content-Type is not that of a form', expected });
    }
    const bytes = await readBytes(request, response, { maxBytes: limits.publicBody.max, bodies });
    const fields = parseForm(bytes.toString(), type);
    if (fields === null) throw invalid({ field: '', message: 'is not a valid form' });
    return fields;
  };
}

const noParameters = Joi.object({});

/** Validates the query string. An unknown parameter is refused with 422, not ignored. */
function buildQueryReader({ query, ignoresQuery }: Route): (request: Request) => unknown {
  if (ignoresQuery) return () => undefined;
  const schema = query ?? noParameters;
  const none = schema.validate({});
  return (request) => {
    if (none.error === undefined && !request.url.includes('?')) return none.value;
    assertNoNulInNames(request.query);
    refuseFaults(() => checkValues(request.query, jsonLimits));
    assertGivenOnce(request.query);
    return validate(schema, { ...request.query }, { kind: 'query parameter' });
  };
}

function assertNoNulInNames(query: Request['query']): void {
  if (!Object.keys(query).some((name) => name.includes('\0'))) return;
  const message = 'has a parameter whose name contains a NUL character; remove it';
  throw new Refusal('validation_failed', { faults: [{ field: '', message }], input: 'The query string' });
}

function assertGivenOnce(query: Request['query']): void {
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
  if (repeated.length > 0)
    throw invalid(...repeated.map((field) => ({ field, message: 'appears more than once; send it once' })));
}
