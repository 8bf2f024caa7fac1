const REFUSED = /^2[23]...$|^55P03$|^40P01$/;

/**
 * Whether an error is Postgres' own word that a statement was not executed: its data (SQLSTATE class
 * 22), a constraint (23), a lock it waited too long for, a deadlock. Any other error may have met the
 * reply alone.
 */
export function isRefusedByPostgres(error: unknown): boolean {
  return REFUSED.test(String((error as { code?: unknown }).code));
}
