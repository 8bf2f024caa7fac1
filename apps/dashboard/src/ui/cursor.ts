/** The position of a list page, as in the API and in the URL. */
export type Cursor = { readonly after?: string | undefined; readonly before?: string | undefined };

export function readCursor({ after, before }: Record<string, unknown>): Cursor {
  return {
    ...(typeof after === 'string' && { after }),
    ...(typeof before === 'string' && { before }),
  };
}
