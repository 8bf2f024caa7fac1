import type { AuditTarget } from '@posthorn/contract';
import type { SendingDomain } from './domain/sending-domain.js';

/** How the audit log refers to a domain. */
export function domainTarget({ id, name }: Pick<SendingDomain, 'id' | 'name'>): AuditTarget {
  return { type: 'domain', id, label: name };
}
