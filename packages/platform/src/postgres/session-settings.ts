/** The longest time, in milliseconds, that Postgres may spend on a statement or wait for a lock or for us. */
const MAX_MS = { statement_timeout: 5_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 10_000 };

/**
 * What every session needs, by name. Each wait has a limit.
 *
 * Sequential scans are off, because a connection plans each statement only once, and a plan made while a table was
 * empty would keep scanning the whole table after it has grown. Every statement has an index to use instead. For the
 * few that read a whole table anyway, the planner then expects so high a cost that it compiles them, which takes seconds
 * (jit). Warnings tell us when Postgres gave up waiting for a standby (see open-client.ts).
 */
export const SESSION_SETTINGS: Readonly<Record<string, string | number>> = {
  ...MAX_MS,
  enable_seqscan: 'off',
  jit: 'off',
  client_min_messages: 'warning',
};

/**
 * @param defaults the values that new sessions have, as `reset_val` in pg_settings
 * @returns the names of the settings that are missing or too weak
 */
export function findMissingSettings(defaults: ReadonlyMap<string, string>): string[] {
  return Object.keys(SESSION_SETTINGS).filter((name) => !isStrictEnough(name, defaults.get(name) ?? ''));
}

function isStrictEnough(name: string, value: string): boolean {
  if (name in MAX_MS) return Number(value) > 0 && Number(value) <= MAX_MS[name as keyof typeof MAX_MS];
  // Every other level includes warnings.
  if (name === 'client_min_messages') return value !== '' && value !== 'error';
  return value === SESSION_SETTINGS[name];
}
