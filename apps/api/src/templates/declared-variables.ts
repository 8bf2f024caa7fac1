import type { DeclaredVariable } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { formatCountOf } from '@posthorn/platform/values';
import Joi from 'joi';
import { withAliases } from '../validation/with-aliases.js';
import { withExample } from '../validation/with-example.js';

const { max: limit } = limits.templateDeclarationsBytes;

/** A default or a sample. Only strings, so that what is stored is exactly what a preview shows. */
const value = Joi.string().allow('').messages({ 'string.base': 'must be a string; leave it out if there is none' });

/** `variables` of a template: defaults and samples. The domain package checks that the template uses the names. */
export const declaredVariables = withExample(
  Joi.array()
    .items(
      Joi.object<DeclaredVariable>({
        name: withAliases(Joi.string().max(limits.templateVarName.max).required(), 'key', 'variable'),
        default: withAliases(value, 'default_value', 'fallback', 'fallback_value'),
        sample: withAliases(value, 'sample_value', 'example', 'example_value'),
      }),
    )
    .max(limits.templateVars.max)
    .unique('name')
    .custom((declared: DeclaredVariable[], { error }) => {
      const bytes = Buffer.byteLength(JSON.stringify(declared));
      return bytes > limit ? error('vars.bytes', { bytes, limit }) : declared;
    })
    .description(
      `Up to ${limits.templateVars.max} variables of the template, each with a default, a sample or both, given as strings. The JSON can be up to ${formatCountOf(limit, 'byte')} long.`,
    ),
  [{ name: 'first_name', default: 'there' }],
);
