import { isUnavailable, Refusal } from '@posthorn/domain';
import { CommanderError } from 'commander';

/** A failed command: a stable code for programs and one line of text for the operator. */
export class CliError extends Error {
  override name = 'CliError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function notFound(what: string, id: string): CliError {
  return new CliError('not_found', `No ${what} has the ID ${id}.`);
}

const UNDEFINED_TABLE = '42P01';

export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof CliError || error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof CommanderError) return { code: 'usage', message: toOneLine(error.message) };
  const code = (error as { code?: unknown }).code;
  if (code === UNDEFINED_TABLE) {
    return { code: 'not_migrated', message: 'The database schema is out of date. Run: posthorn db migrate' };
  }
  if (isUnavailable(error))
    return { code: 'unavailable', message: `Cannot connect to the database: ${reasonOf(error)}` };
  return { code: 'internal', message: reasonOf(error) };
}

/** Commander puts its suggestion on a second line, but we print each error on one line. */
function toOneLine(message: string): string {
  return message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
}

/**
 * The first line of the error message. Node throws one AggregateError if a host has several
 * addresses, and knex puts the SQL statement before the message from Postgres.
 */
function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const message = first instanceof Error ? first.message : String(first);
  return message.split(' - ').at(-1)?.split('\n')[0] ?? message;
}
