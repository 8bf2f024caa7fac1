import type { Schema } from 'joi';

/**
 * Names that other services give to a field. Such a name is refused like any unknown field, but the message suggests
 * the right name. Case, underscores and hyphens make no difference.
 */
export function withAliases<Field extends Schema>(field: Field, ...aliases: string[]): Field {
  return field.meta({ aliases }) as Field;
}
