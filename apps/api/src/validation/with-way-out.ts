import type { Schema } from 'joi';

/** Adds what to do instead to the error for a value that is too large. @param wayOut a sentence without a full stop */
export function withWayOut<Field extends Schema>(field: Field, wayOut: string): Field {
  return field.meta({ wayOut }) as Field;
}
