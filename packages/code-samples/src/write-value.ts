type Brackets = readonly [open: string, close: string];

export type ValueSyntax = {
  readonly string: (text: string) => string;
  readonly null: string;
  readonly true: string;
  readonly false: string;
  readonly array: Brackets;
  readonly object: Brackets;
  /** The brackets of an object on one line. */
  readonly shortObject: Brackets;
  readonly emptyObject: string;
  /** The name of a field, followed by what separates it from its value. */
  readonly field: (name: string) => string;
  readonly indent: string;
  /** Whether the last of several lines ends with a comma. */
  readonly trailingComma: boolean;
};

/** Arrays and inner objects that are no longer than this are written on one line. */
const MAX_LINE_CHARACTERS = 60;

/** Writes a JSON value as source code. @param indent how far the line that contains the value is indented */
export function writeValue(syntax: ValueSyntax, value: unknown, indent = ''): string {
  return isPlainObject(value) ? writeObject(syntax, value, indent) : writeInner(syntax, value, indent);
}

function writeInner(syntax: ValueSyntax, value: unknown, indent: string): string {
  const line = writeLine(syntax, value);
  if (typeof value !== 'object' || value === null || line.length <= MAX_LINE_CHARACTERS) return line;
  if (!Array.isArray(value)) return writeObject(syntax, value, indent);
  const items = value.map((each) => writeInner(syntax, each, indent + syntax.indent));
  return writeBlock(syntax, syntax.array, items, indent);
}

function writeObject(syntax: ValueSyntax, value: object, indent: string): string {
  const fields = Object.entries(value).map(
    ([name, each]) => `${syntax.field(name)}${writeInner(syntax, each, indent + syntax.indent)}`,
  );
  return fields.length === 0 ? syntax.emptyObject : writeBlock(syntax, syntax.object, fields, indent);
}

function writeBlock(syntax: ValueSyntax, [open, close]: Brackets, items: readonly string[], indent: string): string {
  const lines = items.map((item) => `${indent}${syntax.indent}${item}`).join(',\n');
  return `${open}\n${lines}${syntax.trailingComma ? ',' : ''}\n${indent}${close}`;
}

function writeLine(syntax: ValueSyntax, value: unknown): string {
  if (typeof value === 'string') return syntax.string(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return syntax[value ? 'true' : 'false'];
  if (Array.isArray(value)) {
    return `${syntax.array[0]}${value.map((each) => writeLine(syntax, each)).join(', ')}${syntax.array[1]}`;
  }
  return isPlainObject(value) ? writeShortObject(syntax, value) : syntax.null;
}

function writeShortObject(syntax: ValueSyntax, value: object): string {
  const [open, close] = syntax.shortObject;
  const fields = Object.entries(value).map(([name, each]) => `${syntax.field(name)}${writeLine(syntax, each)}`);
  return fields.length === 0 ? syntax.emptyObject : `${open}${fields.join(', ')}${close}`;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const json: ValueSyntax = {
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
  return writeValue(json, value);
}
