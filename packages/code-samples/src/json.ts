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

/** JSON on several lines, but with each short array on one line. */
export function writeJson(value: unknown): string {
  return writeValue(syntax, value);
}
