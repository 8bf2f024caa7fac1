import type { AuditEntry, List } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';
import type { AuditLogSearch } from './audit-log-search';

export const auditLogQuery = ({ after, before, action, actor, target }: AuditLogSearch) =>
  queryOptions({
    queryKey: ['audit-log', after, before, action, actor, target],
    queryFn: () =>
      get<List<AuditEntry>>(`/api/v1/audit-log${queryString({ after, before, action, actor, target, limit: 50 })}`),
  });
