import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = { [name: string]: unknown };

type Header = { readonly $ref?: string; readonly required?: boolean };

type DocumentedResponse = {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
};

type DocumentedOperation = {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
};

/** A response and the request that it answers. `path` has no query string. */
export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};

export type ApiDocument = {
  /** @returns what the document does not allow, or null. Paths and methods that it does not have are allowed. */
  check(exchange: Exchange): string | null;
};

const NO_CONTENT = 204;

/** Reads an OpenAPI document so that responses can be checked against it. Schemas are compiled when first used. */
export function parseApiDocument(document: Json): ApiDocument {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  // A documented object may get more fields later, but a response must not have fields that are not documented.
  ajv.addSchema(closeSchemas({ $id: 'document', components: document.components }) as Json);
  const validators = new Map<string, ValidateFunction>();
  const sharedHeaders = (document.components as { headers?: Record<string, Header> }).headers ?? {};
  const find = buildOperationFinder(document.paths as Record<string, Record<string, DocumentedOperation>>);

  const getValidator = (key: string, schema: Json) => {
    const known = validators.get(key);
    if (known) return known;
    const added = ajv.compile(
      JSON.parse(JSON.stringify(closeSchemas(schema)).replaceAll('"#/components', '"document#/components')),
    );
    validators.set(key, added);
    return added;
  };

  return {
    check(exchange) {
      const operation = find(exchange.method, exchange.path);
      if (!operation) return null;
      const { operationId, responses } = operation;
      const where = `${operationId} ${exchange.status}`;
      const documented = responses[exchange.status];
      const fault = documented
        ? (findWrongHeader(exchange, documented, sharedHeaders) ??
          findWrongBody(exchange, documented, (schema) => getValidator(where, schema)))
        : 'this status is not documented';
      return fault === null ? null : `${where}: ${fault} (${exchange.text.slice(0, 300)})`;
    },
  };
}

/** HTTP's own headers and those for browsers. They are the same for every operation, so no operation describes them. */
const COMMON_HEADERS = new Set([
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['cache-control', 'content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy'],
  ...['origin-agent-cluster', 'referrer-policy', 'strict-transport-security', 'x-content-type-options'],
  ...['x-dns-prefetch-control', 'x-download-options', 'x-frame-options', 'x-permitted-cross-domain-policies'],
  ...['x-robots-tag', 'x-xss-protection'],
]);

function findWrongHeader(
  { headers }: Exchange,
  { headers: documented = {} }: DocumentedResponse,
  shared: Readonly<Record<string, Header>>,
): string | null {
  const isRequired = ({ $ref, ...header }: Header) =>
    ($ref ? shared[$ref.split('/').at(-1) ?? ''] : header)?.required === true;
  for (const [name, header] of Object.entries(documented))
    if (isRequired(header) && headers[name.toLowerCase()] === undefined) return `lacks the header ${name}`;
  const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  const surplus = Object.keys(headers).find((name) => !known.has(name) && !COMMON_HEADERS.has(name));
  return surplus === undefined ? null : `the header ${surplus} is not documented`;
}

function findWrongBody(
  { method, status, headers, text }: Exchange,
  { content = {} }: DocumentedResponse,
  getValidator: (schema: Json) => ValidateFunction,
): string | null {
  if (status === NO_CONTENT || method === 'HEAD') return text === '' || method === 'HEAD' ? null : 'has a body';
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  const schema = content[type]?.schema;
  if (!schema) return `the content type ${type} is not documented`;
  // application/x-ndjson has several documents.
  if (!/[/+]json$/.test(type)) return null;
  const validate = getValidator(schema);
  return validate(JSON.parse(text)) ? null : JSON.stringify(validate.errors?.slice(0, 3));
}

/** Prefers paths without parameters, as the API does: in /emails/stats, `stats` is not an id. */
function buildOperationFinder(paths: Record<string, Record<string, DocumentedOperation>>) {
  const patterns = Object.entries(paths)
    .map(([path, operations]) => ({ pattern: toPattern(path), parameters: path.split('{').length, operations }))
    .sort((a, b) => a.parameters - b.parameters);
  return (method: string, path: string): DocumentedOperation | undefined => {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    return patterns.find(({ pattern }) => pattern.test(path))?.operations[name];
  };
}

function toPattern(path: string): RegExp {
  const escaped = path.replace(/[.]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function closeSchemas(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    value?.type === 'object' && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}
