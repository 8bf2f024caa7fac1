import { type Cursor, readCursor } from '../ui/cursor';

/** The place in the list of bounces, and the class of the listed bounces. */
export type DeliverabilitySearch = Cursor & { readonly reason?: string | undefined };

export function readDeliverabilitySearch(search: Record<string, unknown>): DeliverabilitySearch {
  const { reason } = search;
  return { ...readCursor(search), reason: typeof reason === 'string' && reason !== '' ? reason : undefined };
}
