import type { Json } from '../../openapi/openapi-schemas.js';

export type Field = {
  readonly name: string;
  readonly type: string;
  /** Such as `at most 998 characters`; empty if there are no limits. */
  readonly limits: string;
  readonly isRequired: boolean;
  readonly description: string;
};

type Schemas = Readonly<Record<string, Json>>;

type Shape = Json & {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly additionalProperties?: Json | boolean;
  readonly anyOf?: readonly Json[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
};

/** The fields of a JSON body, with those of nested objects below them. */
export function listFields(schema: Json, schemas: Schemas, prefix = ''): Field[] {
  const shape = resolve(schema, schemas);
  if (shape.items) return listFields(shape.items, schemas, `${prefix}[].`);
  const { properties = {}, required = [] } = shape;
  return Object.entries(properties).flatMap(([name, declared]) => [
    toField(`${prefix}${name}`, { declared, isRequired: required.includes(name) }, schemas),
    ...listInnerFields(`${prefix}${name}`, resolve(declared, schemas), schemas),
  ]);
}

function listInnerFields(name: string, shape: Shape, schemas: Schemas): Field[] {
  if (shape.items) return listFields(shape.items, schemas, `${name}[].`);
  return listFields(shape, schemas, `${name}.`);
}

export function toField(
  name: string,
  { declared, isRequired }: { readonly declared: Json; readonly isRequired: boolean },
  schemas: Schemas,
): Field {
  const shape = resolve(declared, schemas);
  const description = (declared as Shape).description ?? shape.description ?? '';
  return { name, type: describeType(shape, schemas), limits: describeLimits(shape, schemas), isRequired, description };
}

/** The schema that a reference points to. If the reference is nullable, `null` is kept as one of the types. */
function resolve(schema: Json, schemas: Schemas): Shape {
  if (typeof schema.$ref === 'string') return resolve(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  const { anyOf = [] } = schema as Shape;
  const others = anyOf.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (anyOf.length !== 2 || others.length !== 1 || !only) return schema;
  const found = resolve(only, schemas);
  const description = (schema as Shape).description ?? found.description;
  return { ...found, type: [...[found.type ?? 'object'].flat(), 'null'], ...(description && { description }) };
}

function describeType(shape: Shape, schemas: Schemas): string {
  const { type, anyOf = [], items, additionalProperties, properties } = shape;
  if (type === undefined)
    return anyOf.map((choice) => describeType(resolve(choice, schemas), schemas)).join(' or ') || 'any';
  const names = [type].flat().map((name) => {
    if (name === 'array' && items) return `array of ${toPlural(describeType(resolve(items, schemas), schemas))}`;
    const isMap = name === 'object' && !properties && typeof additionalProperties === 'object';
    return isMap ? `object of ${toPlural(describeType(resolve(additionalProperties, schemas), schemas))}` : name;
  });
  return names.join(' or ');
}

function toPlural(type: string): string {
  return type
    .split(' or ')
    .filter((name) => name !== 'null')
    .map((name) => (name === 'any' ? 'any values' : `${name}s`))
    .join(', ');
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'RFC 3339',
  uuid: 'UUID',
  uri: 'URL',
};

function describeLimits(shape: Shape, schemas: Schemas): string {
  const { enum: values, const: only, format, pattern, items } = shape;
  const parts = [
    values && `one of ${values.map((value) => `\`${value}\``).join(', ')}`,
    only !== undefined && `always \`${only}\``,
    typeof format === 'string' && (FORMATS[format] ?? format),
    describeRange(shape, ['minimum', 'maximum'], ''),
    describeRange(shape, ['minLength', 'maxLength'], ' characters'),
    describeRange(shape, ['minItems', 'maxItems'], ' items'),
    describeRange(shape, ['minProperties', 'maxProperties'], ' fields'),
    typeof pattern === 'string' && `matches \`${pattern}\``,
    items && describeLimitsOfItems(resolve(items, schemas)),
  ];
  return parts.filter(Boolean).join('; ');
}

function describeLimitsOfItems({ enum: values }: Shape): string {
  return values ? `each one of ${values.map((value) => `\`${value}\``).join(', ')}` : '';
}

/** A minimum of 1 character only means that text cannot be empty. */
function describeRange(shape: Json, [low, high]: readonly [string, string], unit: string): string {
  const [min, max] = [shape[low], shape[high]] as [number?, number?];
  const [from, to] = [min?.toLocaleString('en-US'), max?.toLocaleString('en-US')];
  if (max === undefined) return min === undefined || unit !== '' ? '' : `at least ${from}`;
  return min === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
}
