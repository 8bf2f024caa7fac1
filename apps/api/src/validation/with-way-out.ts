import type { Schema } from 'joi';

/** Says in the refusal of a value that is too large what to do instead. @param wayOut a sentence without a full stop */
export function withWayOut<Field extends Schema>(field: Field, wayOut: string): Field {
  return field.meta({ wayOut }) as Field;
}
