import type { AuditEntry as AuditEntryJson } from '@posthorn/contract';
import type { AuditEntry } from '@posthorn/domain/audit-log';

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
