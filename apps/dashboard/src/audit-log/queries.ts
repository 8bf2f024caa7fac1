import type { AuditEntry, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, queryString } from '../api/request';
import { cursor, readSearch, text } from '../ui/search';

export const auditLogQuery = ({ after, before, action, actor, target }: AuditLogSearch) =>
  queryOptions({
    queryKey: ['audit-log', after, before, action, actor, target],
    queryFn: () =>
      get<List<AuditEntry>>(`/api/v1/audit-log${queryString({ after, before, action, actor, target, limit: 50 })}`),
  });

/** The filters are named as in the API and in the URL. */
export const readAuditLogSearch = readSearch({ ...cursor, action: text, actor: text, target: text });

export type AuditLogSearch = ReturnType<typeof readAuditLogSearch>;
