/** Of the pages that a mailed link opens. */
export function readTokenSearch({ token }: Record<string, unknown>): { token?: string } {
  return typeof token === 'string' ? { token } : {};
}
