import type { Schema } from 'joi';

/**
 * Adds an example to the error for a value of the wrong type. The example of a list or an object also shows
 * what its items and fields take.
 */
export function withExample<Field extends Schema>(field: Field, example: unknown): Field {
  return field.meta({ example }) as Field;
}
