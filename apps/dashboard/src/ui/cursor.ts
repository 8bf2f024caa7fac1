/** Where a page of a list begins, as the API and the address of the page have it. */
export type Cursor = { readonly after?: string | undefined; readonly before?: string | undefined };

export function readCursor({ after, before }: Record<string, unknown>): Cursor {
  return {
    ...(typeof after === 'string' && { after }),
    ...(typeof before === 'string' && { before }),
  };
}
