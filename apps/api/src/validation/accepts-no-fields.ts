import type { Schema } from 'joi';

/** Whether `{}` is valid, so that a client can leave out the body. */
export function acceptsNoFields(schema: Schema): boolean {
  return schema.validate({}).error === undefined;
}
