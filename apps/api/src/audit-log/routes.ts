import { type AuditAction, type AuditEntry as AuditEntryJson, auditActions } from '@posthorn/contract';
import { type AuditEntry, listAuditEntries } from '@posthorn/domain/audit-log';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { buildParsed } from '../validation/field-schemas.js';

type AuditLogQuery = PaginationQuery & { action?: AuditAction; actor?: string; target?: string };

const id = buildParsed(
  (text) => (isId(text) ? text.toLowerCase() : null),
  'must be an id, as in actor.id and target.id of an entry',
);

export const auditLogRoutes = [
  defineRoute<undefined, AuditLogQuery>({
    operationId: 'listAuditEntries',
    method: 'get',
    path: '/api/v1/audit-log',
    access: 'owner',
    summary: 'List who changed what in the workspace, newest first',
    hasLargePages: true,
    query: buildListQuery<AuditLogQuery>({ action: Joi.valid(...auditActions), actor: id, target: id }),
    async handle(ctx, { caller, query }) {
      const { action = null, actor: actorId = null, target: targetId = null } = query;
      const filters = { workspaceId: caller.workspace.liveId, action, actorId, targetId };
      const page = await listAuditEntries(ctx.db, filters, toPagination(query));
      return { status: 200, body: viewList(page, viewAuditEntry) };
    },
  }),
];

export function viewAuditEntry({ id, actor, action, target, createdAt, changes }: AuditEntry): AuditEntryJson {
  return {
    object: 'audit_entry',
    id,
    actor: { type: actor.type, id: actor.id, label: actor.label },
    action,
    target,
    ip: actor.ip,
    created_at: createdAt.toISOString(),
    changes: changes as AuditEntryJson['changes'],
  };
}
