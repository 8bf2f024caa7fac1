import { isUnavailable, Refusal } from '@posthorn/domain';
import { CommanderError } from 'commander';

/** Why a command failed: a stable code and one line for a person. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function unknownId(what: string, id: string): CommandFailure {
  return new CommandFailure('not_found', `There is no ${what} with the id ${id}.`);
}

const UNDEFINED_TABLE = '42P01';

export function describeFailure(error: unknown): { code: string; message: string } {
  if (error instanceof CommandFailure || error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof CommanderError) return { code: 'usage', message: usageText(error.message) };
  const code = (error as { code?: unknown }).code;
  if (code === UNDEFINED_TABLE) {
    return { code: 'not_migrated', message: 'The database is not up to date; run: posthorn db migrate' };
  }
  if (isUnavailable(error))
    return { code: 'unavailable', message: `The database cannot be reached: ${reasonOf(error)}` };
  return { code: 'internal', message: reasonOf(error) };
}

/** Commander's text in one line, its suggestion included. */
function usageText(message: string): string {
  return message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
}

/**
 * The first line of an error's own words. A host with several addresses fails with one error for
 * each, and knex puts the statement in front of what Postgres said.
 */
function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const message = first instanceof Error ? first.message : String(first);
  return message.split(' - ').at(-1)?.split('\n')[0] ?? message;
}
