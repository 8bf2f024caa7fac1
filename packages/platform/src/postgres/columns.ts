import type { Knex } from 'knex';

/** `workspaceId` -> `workspace_id`. */
function toColumn(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of a table for a query, each under the name of its field. @param fields separated by spaces */
export function listColumns(table: string, fields: string): string[] {
  return fields.split(' ').map((field) => `${table}.${toColumn(field)} as ${field}`);
}

/** A row to write: the same values, under the names of their columns. */
export function toColumns(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [toColumn(field), value]));
}

/** Postgres can store neither U+0000 nor lone surrogates, so both are replaced with U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/**
 * Runs a query and reads two text columns of each record as two separate rows. A row is decoded in
 * one go. With both columns in one row, 4 MB of Cyrillic text would delay other requests by 25 ms.
 * @param query its order must not depend on these columns
 * @param fields the two text columns as fields, which the query itself must not select
 */
export async function readTextsApart<Row>(
  query: Knex.QueryBuilder,
  [first, second]: readonly [keyof Row, keyof Row],
): Promise<Row[]> {
  const rows: Array<Row & { text_apart: string | null }> = await query
    .joinRaw('cross join lateral (values (1, ??), (2, ??)) as texts (part, text_apart)', [
      toColumn(String(first)),
      toColumn(String(second)),
    ])
    .select('text_apart')
    .orderBy('part');
  return rows.flatMap(({ text_apart: text, ...row }, index) =>
    index % 2 === 0 ? [{ ...row, [first]: text, [second]: rows[index + 1]?.text_apart } as Row] : [],
  );
}
