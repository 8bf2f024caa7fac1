import { type Cursor, readCursor } from '../ui/cursor';

/** The list's position and a part of the names to find, as in the URL. */
export type TemplatesSearch = Cursor & { readonly name?: string | undefined };

export function readTemplatesSearch({ name, ...rest }: Record<string, unknown>): TemplatesSearch {
  return { ...readCursor(rest), ...(typeof name === 'string' && name !== '' && { name }) };
}
