/** Whether the dialog that creates a key is open. It is in the URL, so that other pages can link to it. */
export function readApiKeysSearch({ create }: Record<string, unknown>): { create?: 'true' | undefined } {
  return create === 'true' ? { create } : { create: undefined };
}
