import { Refusal } from '@posthorn/domain/errors';
import { isUnavailable, SchemaError } from '@posthorn/platform/postgres';
import { isId } from '@posthorn/platform/values';
import { CommanderError } from 'commander';
import type { Result } from './print.js';

/**
 * A failed command: a stable code for programs and one line of text for the operator.
 * @param result what the command found out or did before it failed, which is printed too
 */
export class CliError extends Error {
  override name = 'CliError';

  constructor(
    readonly code: string,
    message: string,
    readonly result: Result | null = null,
  ) {
    super(message);
  }
}

/** Repeats only what looks like an ID, because people paste keys and passwords into the wrong place. */
export function notFound(what: string, id: string): CliError {
  const message = isId(id)
    ? `No ${what} has the ID ${id}.`
    : 'This is not an ID. IDs are UUIDs, such as 0198c5d2-7e3a-7b41-9c06-52f1e8a4d370.';
  return new CliError('not_found', message);
}

const UNDEFINED_TABLE = '42P01';

export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof CliError || error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof SchemaError) return { code: 'wrong_version', message: error.message };
  if (error instanceof CommanderError) return { code: 'usage', message: toOneLine(withoutValues(error)) };
  const code = (error as { code?: unknown }).code;
  if (code === UNDEFINED_TABLE) {
    return { code: 'not_migrated', message: 'The database schema is out of date. Run: posthorn db migrate' };
  }
  if (isUnavailable(error)) return { code: 'unavailable', message: describeOutage(describeReason(error)) };
  return { code: 'internal', message: describeReason(error) };
}

/** A change whose confirmation did not arrive may have been made, or may still be. */
function describeOutage(reason: string): string {
  return reason.startsWith('Connection terminated')
    ? `The database did not answer in time. If the command changes something, that may still happen: look before you repeat it. ${reason}`
    : `Cannot connect to the database: ${reason}`;
}

/** What Commander says about a fault, without the values that the operator typed: one of them may be a secret. */
function withoutValues({ code, message }: CommanderError): string {
  switch (code) {
    case 'commander.invalidArgument':
      // The match is greedy, because the value may contain quotes and line breaks. The sentence that we append to it
      // contains neither.
      return message
        .replace(/ (?:argument|value) '.*' is invalid/s, ' is invalid')
        .replace('command-argument', 'The value');
    case 'commander.unknownOption':
      return message.replace(/'(--[\w-]+|-\w).*'/s, "'$1'");
    case 'commander.unknownCommand':
      return message.replace(/ '(.*)'/s, (quoted, name) => (COMMAND_NAME.test(name) ? quoted : ''));
    default:
      return message;
  }
}

const COMMAND_NAME = /^[a-z-]{1,20}$/;

/** Commander puts its suggestion on a second line, but we print each error on one line. */
function toOneLine(message: string): string {
  return message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
}

/**
 * The first line of the error message, because knex puts the SQL statement before the message from Postgres. With several
 * hosts, or several addresses of one, each has its own reason.
 */
export function describeReason(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(describeReason))].join('; ');
  const message = error instanceof Error ? error.message : String(error);
  return message.split(' - ').at(-1)?.split('\n')[0] ?? message;
}
