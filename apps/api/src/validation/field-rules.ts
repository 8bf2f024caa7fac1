import Joi, { type Description, type Schema } from 'joi';
import { type KnownName, wrongTypes } from './validation-messages.js';

/**
 * Names that other services give to a field. Such a name is refused like any unknown field, but the message suggests
 * the right name. Case, underscores and hyphens make no difference.
 */
export function withAliases<Field extends Schema>(field: Field, ...aliases: string[]): Field {
  return field.meta({ aliases }) as Field;
}

/**
 * Adds an example to the error for a value of the wrong type. The example of a list or an object also shows
 * what its items and fields take.
 */
export function withExample<Field extends Schema>(field: Field, example: unknown): Field {
  return field.meta({ example }) as Field;
}

/** Adds what to do instead to the error for a value that is too large. @param wayOut a sentence without a full stop */
export function withWayOut<Field extends Schema>(field: Field, wayOut: string): Field {
  return field.meta({ wayOut }) as Field;
}

/** A field that may be left out is also left out if it is null, as many clients write it. */
export function allowNull(fields: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.empty(null)]));
}

/** A field that must not be sent. @param reason a phrase that follows the field */
export function forbid(reason: string): Joi.Schema {
  return withReason(Joi.forbidden(), reason);
}

/** Avoids `messages`: if a schema has its own messages, joi copies all error messages on every validation. */
export function withReason(schema: Joi.Schema, reason: string): Joi.Schema {
  return schema.error((reports) => {
    for (const report of reports) report.local.reason = reason;
    return reports;
  });
}

/** What a schema says about sizes, names and types, and how it helps a client that gets them wrong. */
export type FieldRules = {
  readonly type: keyof typeof wrongTypes | 'other';
  readonly max: number;
  /** The fields of an object; null if any name is allowed. */
  readonly fields: ReadonlyMap<string, FieldRules> | null;
  /** The fields of an object, with the names that other services give them. */
  readonly names: readonly KnownName[];
  /** The items of an array, or the fields of an object that allows any name. */
  readonly item: FieldRules | null;
  readonly example: unknown;
  readonly wayOut: string | undefined;
};

/** What `withAliases`, `withExample` and `withWayOut` add. */
type Meta = { readonly aliases?: readonly string[]; readonly example?: unknown; readonly wayOut?: string };

type Described = Description & {
  readonly rules?: ReadonlyArray<{ readonly name: string; readonly args: { readonly limit: number } }>;
  readonly keys?: Record<string, Described>;
  readonly items?: readonly Described[];
  readonly patterns?: ReadonlyArray<{ readonly rule: Described }>;
  readonly metas?: Meta[];
  readonly flags?: { readonly presence?: string };
};

/** Cached, because describing a schema takes a millisecond. */
const rulesBySchema = new WeakMap<Schema, FieldRules>();

export function getFieldRules(schema: Schema): FieldRules {
  const rules = rulesBySchema.get(schema) ?? toRules(schema.describe() as Described);
  rulesBySchema.set(schema, rules);
  return rules;
}

/** @returns the rules of the field at this path, such as `['tags', 1, 'name']`; undefined if there is no such field */
export function findFieldRules(schema: Schema, path: ReadonlyArray<string | number>): FieldRules | undefined {
  return path.reduce<FieldRules | undefined>(
    (rules, part) => (rules?.fields ? rules.fields.get(String(part)) : (rules?.item ?? undefined)),
    getFieldRules(schema),
  );
}

/** What a value of the wrong type should have been, as the end of a message; empty if the field has no example. */
export function describeExample({ example }: FieldRules): string {
  return example === undefined ? '' : `, such as ${JSON.stringify(example)}`;
}

/** What to do about a value that is too large, as the end of a message; empty if the field has no way out. */
export function describeWayOut({ wayOut }: FieldRules): string {
  return wayOut === undefined ? '' : `. ${wayOut}`;
}

/** @param inherited the part of the parent's example that shows this field */
function toRules(described: Described, inherited?: unknown): FieldRules {
  const { type, rules = [], keys, items = [], patterns = [], metas = [] } = described;
  const example = metas.find((meta) => 'example' in meta)?.example ?? inherited;
  const item = items[0] ?? patterns[0]?.rule;
  return {
    type: type !== undefined && type in wrongTypes ? (type as FieldRules['type']) : 'other',
    max: rules.find(({ name }) => name === 'max')?.args.limit ?? Number.POSITIVE_INFINITY,
    fields: keys ? toFields(keys, example) : null,
    names: Object.entries(keys ?? {})
      .filter(isAllowed)
      .map(toKnownName),
    item: item ? toRules(item, Object.values(example ?? {})[0]) : null,
    example,
    wayOut: metas.find((meta) => 'wayOut' in meta)?.wayOut,
  };
}

function toFields(keys: Record<string, Described>, example: unknown): Map<string, FieldRules> {
  const examples = new Map(Object.entries(example ?? {}));
  return new Map(Object.entries(keys).map(([name, field]) => [name, toRules(field, examples.get(name))]));
}

/** A field that is only declared in order to be refused is not suggested. */
function isAllowed([, { flags }]: [string, Described]): boolean {
  return flags?.presence !== 'forbidden';
}

function toKnownName([name, { metas = [] }]: [string, Described]): KnownName {
  return { name, aliases: metas.flatMap(({ aliases = [] }) => aliases) };
}
