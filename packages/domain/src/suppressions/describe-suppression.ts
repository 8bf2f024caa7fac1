import type { AuditTarget } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import type { Config } from '@posthorn/platform/config';
import { shortAddressHash } from './address-hash.js';
import type { Suppression } from './suppression.js';

/** The audit log names the hash of an address, because it is kept for longer than an erased address may be. */
export function suppressionTarget(config: Pick<Config, 'secretKey'>, suppression: Suppression): AuditTarget {
  const { id, workspaceId, address } = suppression;
  const label = address === null ? 'an erased address' : shortAddressHash(config, workspaceId, address);
  return { type: 'suppression', id, label };
}

export function suppressionFields({ reason, topic }: Suppression): AuditedFields {
  return { reason, topic };
}

/** The workspace whose audit log names the suppression; null for one that concerns all workspaces. */
export function auditedWorkspaceOf({ workspaceId }: Pick<Suppression, 'workspaceId'>): string | null {
  return workspaceId === EVERY_WORKSPACE ? null : workspaceId;
}
