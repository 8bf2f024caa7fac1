/** The result of a command: plain data. Fields are printed in snake_case, as in the API. */
export type Result = object;

type Row = Record<string, unknown>;

/** Where a result or an error is written. */
export type Output = { write(text: string): unknown };

type Format = { readonly json: boolean; readonly to?: Output };

/** Prints one JSON document with `--json`, and aligned fields and tables without it. */
export function printResult(result: Result, { json, to = process.stdout }: Format): void {
  to.write(`${json ? JSON.stringify(toSnakeCase(result)) : formatResult(result)}\n`);
}

function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const rename = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [rename(name), toSnakeCase(field)]));
}

/** Only these fields, in this order. */
export function pick<Item, Field extends keyof Item>(item: Item, fields: readonly Field[]): Pick<Item, Field> {
  return Object.fromEntries(fields.map((field) => [field, item[field]])) as Pick<Item, Field>;
}

/** Prints one line of a command that goes on printing. */
export function printLine(fields: Row, { json }: { json: boolean }): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const text = json ? JSON.stringify(fields) : given.map(([name, value]) => `${name}=${formatValue(value)}`).join('  ');
  process.stdout.write(`${text}\n`);
}

export function printError(error: { code: string; message: string }, { json, to = process.stderr }: Format): void {
  to.write(`${json ? JSON.stringify({ error }) : `posthorn: ${error.message}`}\n`);
}

export function formatResult(result: Result): string {
  return format(toSnakeCase(result) as Result);
}

function format(result: Result): string {
  return Array.isArray(result) ? formatTable(result) : formatFields(result as Row);
}

/** One line per field, then one section per nested object, list of objects, or text of several lines. */
function formatFields(fields: Row): string {
  const entries = Object.entries(fields);
  const plain = entries.filter(([, value]) => !isSection(value));
  const sections = entries.filter(([, value]) => isSection(value));
  const lines = align(plain.map(([name, value]) => [name, formatValue(value)]));
  return [lines, ...sections.map(([name, value]) => `\n${name}\n${formatSection(value)}`)].join('\n');
}

function formatSection(value: unknown): string {
  if (typeof value !== 'string') return format(value as Result);
  return value.split(/\r?\n/).map(hideControls).join('\n');
}

function formatTable(rows: Row[]): string {
  const [first] = rows;
  if (!first) return '(none)';
  const names = Object.keys(first);
  return align([names, ...rows.map((row) => names.map((name) => formatValue(row[name])))]);
}

function isSection(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n');
  if (Array.isArray(value)) return value.every((item) => typeof item === 'object' && isSection(item));
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(formatValue).join(', ') || '-';
  return String(value);
}

/** Pads every column but the last. Line breaks become spaces, because they would break the table. */
function align(lines: string[][]): string {
  const columns = Math.max(...lines.map((cells) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) => (column === columns - 1 ? cell : cell.padEnd(widths[column] ?? 0));
  return lines
    .map((cells) =>
      hideControls(
        cells
          .map(pad)
          .join('  ')
          .replaceAll(/[\r\n]+/g, ' '),
      ),
    )
    .join('\n');
}

/** An SMTP reply or a received mail may contain escape sequences for the terminal. */
function hideControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}
