import type { AuditEntry, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, queryString } from '../api/request';
import { type Cursor, readCursor } from '../ui/cursor';

export const auditLogQuery = ({ after, before, action, actor, target }: AuditLogSearch) =>
  queryOptions({
    queryKey: ['audit-log', after, before, action, actor, target],
    queryFn: () =>
      get<List<AuditEntry>>(`/api/v1/audit-log${queryString({ after, before, action, actor, target, limit: 50 })}`),
  });

/** The filters of the audit log, named as in the API and in the URL. */
type AuditLogFilters = {
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
