import type { AuditTarget, SuppressionReason } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import type { Config } from '@posthorn/platform/config';
import { toShortAddressHash } from './address-hash.js';

/** An address that gets no mail, or no mail of one topic. */
export type Suppression = {
  readonly id: string;
  /** The live workspace, or `EVERY_WORKSPACE`. */
  readonly workspaceId: string;
  /** In lower case; null after the recipient was erased. */
  readonly address: string | null;
  /** null for all mail, as for every bounce and complaint. An `unsubscribe` without a topic is for all topics. */
  readonly topic: string | null;
  readonly reason: SuppressionReason;
  /** The email that led to it; null if none did. */
  readonly emailId: string | null;
  /** What the mail server or the user said about it. */
  readonly detail: string | null;
  readonly createdAt: Date;
};

/** The audit log names the hash of an address, because it is kept for longer than an erased address may be. */
export function toAuditTarget(config: Pick<Config, 'secretKey'>, suppression: Suppression): AuditTarget {
  const { id, workspaceId, address } = suppression;
  const label = address === null ? 'an erased address' : toShortAddressHash(config, workspaceId, address);
  return { type: 'suppression', id, label };
}

export function toAuditedSuppression({ reason, topic }: Suppression): AuditedFields {
  return { reason, topic };
}

/** The workspace whose audit log names the suppression; null for one that concerns all workspaces. */
export function findAuditedWorkspace({ workspaceId }: Pick<Suppression, 'workspaceId'>): string | null {
  return workspaceId === EVERY_WORKSPACE ? null : workspaceId;
}
