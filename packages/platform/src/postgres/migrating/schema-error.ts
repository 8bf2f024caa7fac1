/** The schema of the database does not fit this version of Posthorn, and neither waiting nor trying again helps. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** A migration cannot run through the connection pooler. A process waits until the operator has migrated the database. */
export class DirectConnectionError extends SchemaError {
  constructor(migration: string) {
    super(
      `Migration ${migration} builds an index, which cannot be done through a connection pooler in transaction mode. Run \`posthorn db migrate\` with a DATABASE_URL that leads to Postgres itself.`,
    );
  }
}
