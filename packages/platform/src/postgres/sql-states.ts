/** The SQLSTATEs that are handled by name. Source: PostgreSQL, appendix A, error codes. */
export const sqlStates = {
  protocolViolation: '08P01',
  notNullViolation: '23502',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  unknownStatement: '26000',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  duplicateStatement: '42P05',
  lockNotAvailable: '55P03',
  cannotConnectNow: '57P03',
} as const;

/** @returns the SQLSTATE if Postgres reported the error; another code, or undefined, if it did not */
export function sqlStateOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
