import type { SampleRequest } from '@posthorn/code-samples';

export type Json = { readonly [name: string]: unknown };

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
  /** `/api/v1/emails/{id}` */
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

/** Samples and the form on the page cannot send HTML forms, so an operation that takes one has neither. */
export function hasSamples({ body }: Pick<Operation, 'body'>): boolean {
  return body === null || body.type === 'application/json' || body.type === 'text/csv';
}

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
export function readOperations(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => readOperation(document, { path, method, declared })),
  );
}

type Place = { readonly path: string; readonly method: string; readonly declared: DocumentedOperation };

function readOperation(document: ApiDocument, { path, method, declared }: Place): Operation {
  const { operationId, tags, summary, description, security, parameters = [], requestBody, responses } = declared;
  const [status = '200', succeeded] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  return {
    id: operationId,
    tag: tags[0],
    method: method.toUpperCase() as Operation['method'],
    path,
    summary,
    description,
    credential: credentialOf(security),
    parameters: parameters.map((parameter) => resolve(document, parameter)),
    body: requestBody ? readContent(requestBody.content) : null,
    success: { status, ...readContent(succeeded?.content ?? {}) },
    errors: Object.entries(responses)
      .filter(([code]) => !code.startsWith('2'))
      .map(([code, { content = {} }]) => ({ status: code, codes: codesOf(content) })),
  };
}

function credentialOf(security: readonly Json[]): Operation['credential'] {
  if (security.length === 0) return 'none';
  return security.some((alternative) => 'bearer' in alternative) ? 'key' : 'session';
}

function readContent(content: Media): Content {
  const [found] = Object.entries(content);
  return found
    ? { type: found[0], schema: found[1].schema, example: found[1].example }
    : { type: null, schema: null, example: undefined };
}

function codesOf(content: Media): string[] {
  return Object.keys(content['application/problem+json']?.examples ?? {});
}

function resolve({ components }: ApiDocument, parameter: Parameter | { readonly $ref: string }): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[parameter.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`The OpenAPI document lacks ${parameter.$ref}.`);
  return found;
}
