import { isId } from '@posthorn/platform/values';
import Joi from 'joi';

export const idSchema = Joi.string().custom((text: string, helpers) =>
  isId(text) ? text : helpers.message({ custom: 'must be an id' }),
);

/** Between 1 and `max` ids, each at most once. */
export function idList(max: number): Joi.ArraySchema<string[]> {
  return Joi.array().items(idSchema).min(1).max(max).unique();
}
