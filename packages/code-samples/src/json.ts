import { type ValueSyntax, writeValue } from './write-value.js';

const syntax: ValueSyntax = {
  string: JSON.stringify,
  null: 'null',
  true: 'true',
  false: 'false',
  array: ['[', ']'],
  object: ['{', '}'],
  shortObject: ['{', '}'],
  emptyObject: '{}',
  field: (name) => `${JSON.stringify(name)}: `,
  indent: '  ',
  trailingComma: false,
};

/** JSON in several lines, but with short arrays in one line each. */
export function writeJson(value: unknown): string {
  return writeValue(syntax, value);
}
