const REFUSED = /^2[23]...$|^55P03$|^40P01$/;
const REFUSED_BY_ERROR = /^53...$|^57014$/;

/**
 * Whether an error is Postgres' own word that a statement was not executed: its data (SQLSTATE class
 * 22), a constraint (23), a lock it waited too long for, a deadlock; also resources (53) and a timeout,
 * unless the server went down with it, perhaps in the midst of a commit. Any other error may have met
 * the reply alone.
 */
export function isRefusedByPostgres(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  // Where the server speaks another language this is another word: the commit is then looked for.
  return REFUSED.test(String(code)) || (severity === 'ERROR' && REFUSED_BY_ERROR.test(String(code)));
}
