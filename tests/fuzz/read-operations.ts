/** The part of JSON Schema that fuzzing uses. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly pattern?: string;
};

export type Operation = {
  readonly method: string;
  /** `/api/v1/emails/{id}` */
  readonly path: string;
  readonly query: Readonly<Record<string, Schema>>;
  readonly body: { readonly contentType: string; readonly schema: Schema } | null;
};

export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
};

type DocumentedOperation = {
  readonly parameters?: ReadonlyArray<{ readonly name?: string; readonly in?: string; readonly schema?: Schema }>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};

/** Reads the OpenAPI document that the service publishes. */
export async function readDocument(url: string): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document;
}

export function readOperations(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: Object.fromEntries(
        parameters.filter((parameter) => parameter.in === 'query').map(({ name = '', schema = {} }) => [name, schema]),
      ),
      body: toBody(requestBody),
    })),
  );
}

/** The first content type, if an operation accepts several. */
function toBody(requestBody: DocumentedOperation['requestBody']): Operation['body'] {
  const [first] = Object.entries(requestBody?.content ?? {});
  return first ? { contentType: first[0], schema: first[1].schema } : null;
}
