/** The schema of the database does not fit this version of Posthorn, and neither waiting nor trying again helps. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
