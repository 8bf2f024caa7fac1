import { randomUUID } from 'node:crypto';
import type { Operation, Schema } from '../../fuzz/read-operations.js';
import type { TestData } from './create-test-data.js';
import type { RequestToMeasure } from './measure-request.js';
import { attachments, csvFiles, inBatch, invalidBodies, type Shape, shapesOfField, slowAddresses } from './shapes.js';

export type Candidate = { readonly shape: string; readonly bytes: number; readonly request: RequestToMeasure };

/**
 * Sizes on both sides of the threshold above which a second thread parses bodies, up to the largest that is accepted.
 */
const FIELD_BYTES = [20_000, 250_000, 1_900_000];
const BODY_BYTES = [20_000, 250_000, 2_000_000, 9_900_000];
const CSV_BYTES = [20_000, 240_000, 990_000];
const SMALL_BYTES = [15_000, 60_000];
/** The largest is still below the size limit for a message. */
const ATTACHMENT_BYTES = [40_000, 2_000_000, 9_000_000];

const NEEDS_SESSION = /^\/(auth|billing)\/|^\/api\/v1\/(members|api-keys)/;

/** With the session cookie, requests to these routes would end the session that other requests need. */
const ENDS_SESSION = /^\/auth\/(log|signup|sessions|reset|accept)/;

/** By path: a valid body for each route that accepts large bodies; for a batch, one of its emails. */
const VALID: Readonly<Record<string, object>> = {
  '/api/v1/emails': { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' },
  '/api/v1/emails/batch': { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' },
  '/api/v1/templates': { name: 'T', subject: 's', html_body: 'h', text_body: 't' },
  '/api/v1/templates/preview': { subject: 's', html_body: 'h', text_body: 't' },
};
const HAS_LARGE_BODY = /^\/api\/v1\/(emails(\/batch)?|templates.*)$/;

const SENDS = /^POST \/api\/v1\/emails(\/batch)?$/;

let address = 0;

/** The candidates for the most expensive request of a route. */
export function candidateRequests(operation: Operation, data: TestData): Candidate[] {
  const { method, body } = operation;
  const paths = listPaths(operation, data);
  const headersFor = () => buildHeaders(operation, data);
  const request = (text: string | null, path = paths[0] ?? '') => ({
    method,
    path,
    headers: { ...headersFor(), ...(body && { 'Content-Type': body.contentType }) },
    body: text,
  });
  if (body === null)
    return paths.flatMap((path, index) => [
      {
        shape: paths.length > 1 ? `large content, kind ${index + 1}` : 'no body',
        bytes: 0,
        request: request(null, path),
      },
      ...('limit' in operation.query
        ? [{ shape: 'a page of 100', bytes: 0, request: request(null, `${path}?limit=100${cursorFor(path, data)}`) }]
        : []),
      { shape: '600 parameters', bytes: 0, request: request(null, `${path}?${'a=1&b=2&c=3&'.repeat(200)}`) },
    ]);
  const sized = (shapes: readonly Shape[], sizes: readonly number[]) =>
    shapes.flatMap(({ name, build }) => sizes.map((bytes) => ({ shape: name, bytes, request: request(build(bytes)) })));
  if (body.contentType === 'text/csv') return sized(csvFiles, CSV_BYTES);
  const valid = VALID[operation.path] ?? {};
  const isLarge = HAS_LARGE_BODY.test(operation.path);
  const listShapes = ({ properties = {} }: Schema) =>
    Object.keys(properties).flatMap((field) => shapesOfField(field, valid));
  const { items } = body.schema;
  const ofFields = items ? listShapes(items).map(inBatch) : listShapes(body.schema);
  const largeSizes = items ? BODY_BYTES : FIELD_BYTES;
  return [
    ...sized(invalidBodies, isLarge ? BODY_BYTES : SMALL_BYTES),
    ...sized(ofFields, isLarge ? largeSizes : SMALL_BYTES),
    ...(operation.path === '/api/v1/emails' ? sized(slowAddresses, [0]) : []),
    ...(/^\/api\/v1\/emails(\/check)?$/.test(operation.path) ? sized(attachments, ATTACHMENT_BYTES) : []),
  ];
}

/** Skips the emails that the search itself has sent, which are newer than the large ones. */
function cursorFor(path: string, { emailIds }: TestData): string {
  return path === '/api/v1/emails' ? `&before=${emailIds[0]}` : '';
}

function listPaths(operation: Operation, data: TestData): string[] {
  const { path } = operation;
  if (!path.includes('{id}')) return [path];
  return idsFor(operation, data).map((id) => path.replace('{id}', id).replace('{version}', '1'));
}

function idsFor({ method, path }: Operation, { emailIds, templateIds }: TestData): readonly string[] {
  // A resource that a request deletes would be missing from the next measurement.
  if (method === 'DELETE') return [randomUUID()];
  if (path.includes('/emails/')) return emailIds;
  return path.includes('/templates/') ? templateIds : [randomUUID()];
}

function buildHeaders({ method, path }: Operation, { authorization, cookie }: TestData): Record<string, string> {
  address += 1;
  return {
    'X-Forwarded-For': `198.18.${Math.floor(address / 250) % 250}.${address % 250}`,
    ...(NEEDS_SESSION.test(path) && !ENDS_SESSION.test(path) ? { Cookie: cookie } : { Authorization: authorization }),
    ...(SENDS.test(`${method} ${path}`) && { 'Idempotency-Key': randomUUID() }),
  };
}
