/** For the pages that emailed links open. */
export function readTokenSearch({ token }: Record<string, unknown>): { token?: string } {
  return typeof token === 'string' ? { token } : {};
}
