import type { AuditTarget } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import type { Member } from './member.js';

/** What the audit log says about a member or an invitation. */
export function describeMember({ email, role, expiresAt }: Omit<Member, 'id' | 'createdAt'>): AuditedFields {
  return { email, role, expires_at: expiresAt?.toISOString() };
}

/** An invitation has another id than the member that it becomes. */
export function memberTarget({ id, email, expiresAt }: Pick<Member, 'id' | 'email' | 'expiresAt'>): AuditTarget {
  return { type: expiresAt === null ? 'member' : 'invitation', id, label: email };
}
