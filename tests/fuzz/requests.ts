import fc from 'fast-check';
import { fromSchema, type Hints } from './from-schema.js';
import { malformedName, malformedText } from './malformed-values.js';
import type { Operation, Schema } from './read-operations.js';

export type FuzzRequest = {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Names and values as sent, one byte per character. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

/** What requests use besides the schemas: existing ids and credentials. */
export type FuzzInputs = {
  readonly hints: Hints;
  readonly ids: readonly string[];
  readonly credentials: ReadonlyArray<Readonly<Record<string, string>>>;
};

const ENDS_SESSIONS = /^\/auth\/(log|signup|sessions|accept-invitation)/;

/** Valid requests to every operation, and requests that are malformed in many ways. */
export function requestsTo(operations: readonly Operation[], inputs: FuzzInputs): fc.Arbitrary<FuzzRequest> {
  const weighted = operations.map((operation) => ({
    weight: 1 + 2 * countBodyFields(operation.body),
    arbitrary: requestTo(operation, inputs),
  }));
  return fc.oneof(...weighted);
}

/** The columns of a CSV file, which its schema does not name, and ways to break it. */
const CSV_FIELDS = 8;

/** Operations with many fields are tested more often, because there are more ways to combine and break them. */
function countBodyFields(body: Operation['body']): number {
  return body?.contentType === 'text/csv' ? CSV_FIELDS : countFields(body?.schema ?? null);
}

function countFields(schema: Schema | null): number {
  if (schema === null) return 0;
  const fields = Object.values(schema.properties ?? {});
  return fields.length + [...fields, schema.items ?? null].reduce((sum, inner) => sum + countFields(inner), 0);
}

function requestTo(operation: Operation, inputs: FuzzInputs): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      method: mostly(
        fc.constant(operation.method),
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      ),
      path: buildPath(operation, inputs),
      headers: buildHeaders(operation, inputs),
      body: operation.body
        ? buildBody(operation.body, inputs)
        : mostly(fc.constant(null), fc.constant(Buffer.from('{}'))),
    })
    .map(({ headers, ...request }) => ({
      ...request,
      operation: `${operation.method} ${operation.path}`,
      headers: {
        ...(request.body && { 'content-type': operation.body?.contentType ?? 'application/json' }),
        ...headers,
      },
    }));
}

function buildPath({ path, query }: Operation, { ids, hints }: FuzzInputs): fc.Arbitrary<string> {
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    mostly(
      hints.values[name]?.map(toText) ?? fc.constantFrom(...ids),
      fc.oneof(malformedText, fc.uuid(), fc.constantFrom('.', '..', '%', '%2e%2e', '%00', '%ff')),
    ),
  );
  const parameters = Object.fromEntries(
    Object.entries(query).map(([name, schema]) => [name, fromSchema(schema, hints, name)]),
  );
  const search = fc.oneof(
    { weight: 3, arbitrary: fc.record(parameters, { requiredKeys: [] }).map((record) => Object.entries(record)) },
    { weight: 1, arbitrary: fc.array(fc.tuple(malformedName, malformedText), { maxLength: 3 }) },
  );
  return fc
    .tuple(
      fc.tuple(...segments),
      search,
      mostly(fc.constant(''), fc.constantFrom('/', '//', '/..', ';a', '%20', '?', '#')),
    )
    .map(([found, pairs, suffix]) => {
      const rest = found.values();
      const text = pairs.map(([name, value]) => `${encode(name)}=${encode(toText(value))}`).join('&');
      return `${path.replace(/\{\w+\}/g, () => encode(rest.next().value ?? ''))}${suffix}${text && `?${text}`}`.slice(
        0,
        12_000,
      );
    });
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%25', '%');
}

function buildHeaders({ path }: Operation, { credentials }: FuzzInputs): fc.Arbitrary<Record<string, string>> {
  // Logging in or out ends a session that other requests still need.
  const usable = ENDS_SESSIONS.test(path) ? credentials.filter((headers) => !('cookie' in headers)) : credentials;
  const value = malformedText.map(toHeaderValue);
  const unusual = fc.record(
    {
      'content-type': fc.oneof(
        value,
        fc.constantFrom(
          'text/plain',
          'application/json; charset=utf-16',
          'application/json;;',
          'multipart/form-data; boundary=x',
        ),
      ),
      'content-encoding': fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip'),
      'idempotency-key': fc.oneof(value, fc.constantFrom('one', 'two', 'three')),
      authorization: fc.oneof(
        value,
        value.map((text) => `Bearer ${text}`),
      ),
      cookie: fc.oneof(
        value,
        value.map((text) => `posthorn_session=${text}`),
      ),
      origin: fc.oneof(value, fc.constant('https://evil.example')),
      'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'none', ''),
      'x-http-method-override': fc.constantFrom('DELETE', 'GET'),
      expect: fc.constantFrom('100-continue', 'magic'),
      accept: value,
      host: fc.constantFrom('evil.example', 'localhost:3000', '[::1]'),
      'x-forwarded-proto': fc.constantFrom('https', 'gopher'),
      'if-none-match': fc.constantFrom('*', '"a"'),
      range: fc.constantFrom('bytes=0-1', 'bytes=-'),
    },
    { requiredKeys: [] },
  );
  const peer = fc.ipV4().map((address) => ({ 'x-forwarded-for': address }));
  return fc
    .tuple(fc.constantFrom(...usable), peer, mostly(fc.constant({}), unusual))
    .map((parts) => Object.assign({}, ...parts));
}

/** Replaces the characters that a header value cannot contain (RFC 9110, 5.5). */
function toHeaderValue(text: string): string {
  return Buffer.from(text.slice(0, 2_000))
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

function buildBody(
  { contentType, schema }: NonNullable<Operation['body']>,
  { hints }: FuzzInputs,
): fc.Arbitrary<Buffer> {
  const write = writers[contentType];
  if (write === undefined) throw new Error(`There is no writer for bodies of the type ${contentType}.`);
  const regular = fromSchema(schema, hints, contentType).map((value) => Buffer.from(write(value)));
  return fc.oneof({ weight: 14, arbitrary: regular }, { weight: 1, arbitrary: malformedBody(regular) });
}

const writers: Readonly<Record<string, (value: unknown) => string>> = {
  'application/json': (value) => JSON.stringify(value) ?? 'null',
  'application/x-www-form-urlencoded': toForm,
  'text/csv': toText,
  '*/*': (value) => JSON.stringify(value) ?? '',
};

function toForm(value: unknown): string {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return fields.map(([name, field]) => `${encode(name)}=${encode(toText(field))}`).join('&');
}

/** A body that is cut short, has a changed byte or a duplicate member, or is not JSON. */
function malformedBody(regular: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const place = fc.nat({ max: 400 });
  return fc.oneof(
    fc.tuple(regular, place).map(([bytes, at]) => bytes.subarray(0, at)),
    fc.tuple(regular, place, fc.nat({ max: 255 })).map(([bytes, at, byte]) => withByte(bytes, at, byte)),
    regular.map((bytes) => Buffer.from(bytes.toString().replace('{', '{"to":1,"to":2,'))),
    regular.map((bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])),
    fc
      .constantFrom('', 'null', '[', '{"a":1e999}', '{"__proto__":{"a":1}}', '"\\ud800"', `${'['.repeat(5_000)}`)
      .map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );
}

function withByte(bytes: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at % copy.length] = byte;
  return copy;
}

function mostly<Value>(usual: fc.Arbitrary<Value>, unusual: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}
