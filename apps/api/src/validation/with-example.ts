import type { Schema } from 'joi';

/**
 * Shows in the refusal of a value of the wrong type what the field takes. The example of a list or an object also shows
 * what its items and fields take.
 */
export function withExample<Field extends Schema>(field: Field, example: unknown): Field {
  return field.meta({ example }) as Field;
}
