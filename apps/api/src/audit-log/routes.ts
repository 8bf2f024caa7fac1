import { listAuditEntries } from '@posthorn/domain/audit-log';
import { toPagination, viewList } from '../lists.js';
import { route } from '../route.js';
import { type AuditLogQuery, auditLogQuery } from './request.js';
import { viewAuditEntry } from './view.js';

export const auditLogRoutes = [
  route<undefined, AuditLogQuery>({
    operationId: 'listAuditEntries',
    method: 'get',
    path: '/api/v1/audit-log',
    access: 'owner',
    summary: 'List who changed what in the workspace, newest first',
    hasLargePages: true,
    query: auditLogQuery,
    async handle(ctx, { caller, query }) {
      const { action = null, actor: actorId = null, target: targetId = null } = query;
      const filters = { workspaceId: caller.workspace.liveId, action, actorId, targetId };
      const page = await listAuditEntries(ctx.db, filters, toPagination(query));
      return { status: 200, body: viewList(page, viewAuditEntry) };
    },
  }),
];
