/** @returns `from`: the ID of the email to send again */
export function readComposeSearch({ from }: Record<string, unknown>): { from?: string } {
  return typeof from === 'string' ? { from } : {};
}
