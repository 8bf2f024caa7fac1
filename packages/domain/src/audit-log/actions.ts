/** Every change that the audit log contains. The word before the dot is the noun in the API. */
export const auditActions = [
  'api_key.created',
  'api_key.revoked',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'domain.key_rotated',
  'domain.key_activated',
  'domain.verified',
  'domain.verified_by_operator',
  'domain.withdrawn',
  'template.created',
  'template.updated',
  'template.deleted',
  'template.restored',
  'template.duplicated',
  'member.invited',
  'member.invitation_resent',
  'member.invitation_removed',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'workspace.created',
  'workspace.updated',
  'workspace.plan_changed',
  'workspace.limits_changed',
  'workspace.paused',
  'workspace.resumed',
  'workspace.queue_paused',
  'workspace.queue_resumed',
  'workspace.emails_canceled',
  'plan.limits_changed',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'suppression.created',
  'suppression.removed',
  'suppression.imported',
  'recipient.erased',
  'workspace.exported',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** What was changed. Its id is a UUID, except for a plan. */
export type AuditTargetType =
  | 'api_key'
  | 'domain'
  | 'template'
  | 'member'
  | 'invitation'
  | 'workspace'
  | 'plan'
  | 'webhook'
  | 'suppression'
  | 'recipient';

export type AuditTarget = {
  readonly type: AuditTargetType;
  readonly id: string;
  /** What people call it: a name, an email address or a URL. */
  readonly label: string;
};
