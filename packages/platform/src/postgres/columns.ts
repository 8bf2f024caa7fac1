/** `workspaceId` -> `workspace_id`. */
export function toColumn(field: string): string {
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
