import type { DeclaredVariable } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { forbiddenNames, type TemplateVars } from '@posthorn/domain/templates';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import Joi from 'joi';
import { withAliases, withExample, withWayOut } from '../validation/field-rules.js';

const vars = Joi.object<TemplateVars>()
  .max(limits.templateVars.max)
  .custom(checkVars)
  .description(
    `Up to ${limits.templateVars.max} names, each with a string, number, boolean or null (null counts as missing). The JSON can be up to ${formatCount(limits.templateVarsBytes.max)} bytes long.`,
  );

/** `template_vars` of an email or a preview: strings, numbers, booleans or null by name. */
export const templateVars = withWayOut(vars, 'Move text that is always the same into the template');

export function isTemplateVars(value: unknown): value is TemplateVars {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const vars = Object.entries(value);
  return (
    vars.length <= limits.templateVars.max &&
    vars.every(([name, item]) => isName(name) && findValueFault(item) === null) &&
    countCharacters(value) <= limits.templateVarsBytes.max &&
    Buffer.byteLength(JSON.stringify(value)) <= limits.templateVarsBytes.max
  );
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= limits.templateVarName.max && !forbiddenNames.includes(name);
}

function checkVars(copy: TemplateVars, { error, original, state }: Joi.CustomHelpers<TemplateVars>) {
  // Reads the original, because joi's copy loses an own property __proto__.
  for (const [name, value] of Object.entries(original as object)) {
    const { length } = name;
    if (length === 0 || length > limits.templateVarName.max)
      return error('vars.name', { length, limit: limits.templateVarName.max });
    const code = forbiddenNames.includes(name) ? 'vars.reserved' : findValueFault(value);
    if (code) return error(code, {}, state.localize?.([...(state.path ?? []), name]));
  }
  const { max: limit } = limits.templateVarsBytes;
  // Values never get shorter as JSON. Writing the JSON of values that are much too long would be slow.
  const length = countCharacters(copy);
  if (length > 2 * limit) return error('vars.characters', { length, limit });
  const bytes = Buffer.byteLength(JSON.stringify(copy));
  return bytes > limit ? error('vars.bytes', { bytes, limit }) : copy;
}

function countCharacters(vars: object): number {
  return Object.values(vars).reduce<number>((sum, value) => sum + String(value).length, 0);
}

function findValueFault(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      // JSON.parse turns 1e400 into Infinity, and 12345678901234567890 into another number.
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? null : 'vars.number';
    default:
      return value === null ? null : 'vars.value';
  }
}

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
