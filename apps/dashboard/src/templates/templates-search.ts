import { type Cursor, readCursor } from '../ui/cursor';

/** The position in the list and the part of a name to search for, as in the URL. */
export type TemplatesSearch = Cursor & { readonly name?: string | undefined };

export function readTemplatesSearch({ name, ...rest }: Record<string, unknown>): TemplatesSearch {
  return { ...readCursor(rest), ...(typeof name === 'string' && name !== '' && { name }) };
}
