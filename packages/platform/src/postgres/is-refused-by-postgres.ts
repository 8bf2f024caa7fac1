const REFUSED = /^2[23]...$|^25006$|^55P03$|^40P01$/;
const REFUSED_BY_ERROR = /^53...$|^57014$/;

/**
 * Whether Postgres itself says that a statement was not executed, because of invalid data (SQLSTATE class 22), a
 * constraint (23), a read-only server, a lock timeout or a deadlock. Lack of resources (53) and a statement timeout
 * count only if the server stays up, because a server that goes down may do so during a commit. After any other error,
 * the statement may have been executed and only the reply may have been lost.
 */
export function isRefusedByPostgres(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  // If the server's messages are not in English, the severity is translated, and the error does not count as a refusal.
  // The caller then checks whether the commit happened.
  return REFUSED.test(String(code)) || (severity === 'ERROR' && REFUSED_BY_ERROR.test(String(code)));
}
