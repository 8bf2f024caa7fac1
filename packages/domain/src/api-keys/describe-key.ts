import type { AuditTarget } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import type { ApiKey } from './key-store.js';

/** What the audit log says about a new key. */
export function describeKey({ name, mode, hint, scopes, domainIds, networks, expiresAt }: ApiKey): AuditedFields {
  return { name, mode, hint, scopes, domain_ids: domainIds, networks, expires_at: expiresAt?.toISOString() };
}

export function keyTarget({ id, name }: Pick<ApiKey, 'id' | 'name'>): AuditTarget {
  return { type: 'api_key', id, label: name };
}
