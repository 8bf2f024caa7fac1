import { type Cursor, readCursor } from '../ui/cursor';

/** The filters of the audit log, named as in the API and in the URL. */
export type AuditLogFilters = {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly target?: string | undefined;
};

export type AuditLogSearch = Cursor & AuditLogFilters;

export function readAuditLogSearch(search: Record<string, unknown>): AuditLogSearch {
  return {
    ...readCursor(search),
    action: readText(search.action),
    actor: readText(search.actor),
    target: readText(search.target),
  };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
