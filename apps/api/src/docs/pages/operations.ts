import type { SampleRequest } from '@posthorn/code-samples';
import type { Json } from '../../openapi/openapi-schemas.js';
import { EXAMPLE_URL } from '../routes.js';

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
};

/** One operation of the OpenAPI document, as its page shows it. */
export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly method: SampleRequest['method'];
  readonly path: string;
  readonly summary: string;
  /** The credential to send: `key` if the operation accepts API keys, even if sessions also work. */
  readonly credential: 'key' | 'session' | 'none';
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: Content | null;
  readonly success: Content & { readonly status: string };
  readonly errors: ReadonlyArray<{ readonly status: string; readonly codes: readonly string[] }>;
};

/** `schema` is null if there is no body, and `example` is undefined if there is no example. */
export type Content = { readonly type: string | null; readonly schema: Json | null; readonly example: unknown };

export type ApiDocument = {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
};

type Media = Readonly<Record<string, { schema: Json; example?: unknown; examples?: Json }>>;

type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Json[];
  readonly parameters?: ReadonlyArray<Parameter | { readonly $ref: string }>;
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>;
};

/** The operations of an OpenAPI document, in document order. */
export function listOperations(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => toOperation(document, { path, method, declared })),
  );
}

type Place = { readonly path: string; readonly method: string; readonly declared: DocumentedOperation };

function toOperation({ components }: ApiDocument, { path, method, declared }: Place): Operation {
  const { operationId, tags, summary, description, security, parameters = [], requestBody, responses } = declared;
  const isSuccess = ([status]: readonly [string, unknown]) => status.startsWith('2');
  const [status = '200', succeeded] = Object.entries(responses).find(isSuccess) ?? [];
  return {
    id: operationId,
    tag: tags[0],
    method: method.toUpperCase() as Operation['method'],
    path,
    summary,
    description,
    credential: toCredential(security),
    parameters: parameters.map((each) =>
      '$ref' in each ? (components.parameters[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each,
    ),
    body: requestBody ? toContent(requestBody.content) : null,
    success: { status, ...toContent(succeeded?.content ?? {}) },
    errors: Object.entries(responses)
      .filter((entry) => !isSuccess(entry))
      .map(([code, { content = {} }]) => ({
        status: code,
        codes: Object.keys(content['application/problem+json']?.examples ?? {}),
      })),
  };
}

function toCredential(security: readonly Json[]): Operation['credential'] {
  if (security.length === 0) return 'none';
  return security.some((alternative) => 'bearer' in alternative) ? 'key' : 'session';
}

function toContent(content: Media): Content {
  const [type, media] = Object.entries(content)[0] ?? [null, null];
  return { type, schema: media?.schema ?? null, example: media?.example };
}

/** Samples and the form on the page cannot send HTML forms, so an operation that takes one has neither. */
export function hasSamples({ body }: Pick<Operation, 'body'>): boolean {
  return body === null || body.type === 'application/json' || body.type === 'text/csv';
}

/** The made-up id and address in the paths of samples. */
export const SAMPLE_ID = '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370';
const SAMPLE_ADDRESS = 'jane@example.com';

/** Requests from one example must not collide with those from another. */
const idempotencyKeys: Readonly<Record<string, string>> = { sendEmail: 'welcome-4711', sendBatch: 'newsletter-12' };

/** The request that the code samples of an operation send. @param baseUrl without a trailing slash */
export function toSampleRequest(operation: Operation, baseUrl = EXAMPLE_URL): SampleRequest {
  const { id, method, credential, body, parameters, success } = operation;
  const idempotencyKey = idempotencyKeys[id];
  // Samples for lists show how to ask for a page size.
  const query = parameters.some(({ name }) => name === 'limit') ? '?limit=10' : '';
  const ofText = success.type === null ? 'nothing' : 'text';
  return {
    method,
    url: `${baseUrl}${fillPath(operation)}${query}`,
    credential,
    ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
    ...(body && { body: body.example }),
    response: success.type === 'application/json' ? 'json' : ofText,
  };
}

function fillPath({ path, parameters }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name === 'address') return SAMPLE_ADDRESS;
    const { enum: values, type } = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    if (Array.isArray(values)) return values[0];
    return type === 'integer' ? '1' : SAMPLE_ID;
  });
}
