import type { AuditAction } from '@posthorn/contract';

/** What was done, before the name of what it was done to. */
export const actionLabels: Readonly<Record<AuditAction, string>> = {
  'api_key.created': 'Created API key',
  'api_key.revoked': 'Revoked API key',
  'domain.created': 'Added domain',
  'domain.updated': 'Changed domain',
  'domain.deleted': 'Deleted domain',
  'domain.key_rotated': 'Created new DKIM key',
  'domain.key_activated': 'Switched to new DKIM key',
  'domain.verified': 'Verified domain',
  'domain.verified_by_operator': 'Verified domain without a check',
  'domain.withdrawn': 'Withdrew domain',
  'template.created': 'Created template',
  'template.updated': 'Changed template',
  'template.deleted': 'Deleted template',
  'template.restored': 'Restored template version',
  'template.duplicated': 'Duplicated template',
  'member.invited': 'Invited member',
  'member.invitation_resent': 'Resent invitation',
  'member.invitation_removed': 'Removed invitation',
  'member.joined': 'Joined workspace',
  'member.role_changed': 'Changed role',
  'member.removed': 'Removed member',
  'workspace.created': 'Created workspace',
  'workspace.updated': 'Changed workspace settings',
  'workspace.plan_changed': 'Changed plan',
  'workspace.limits_changed': 'Changed limits',
  'workspace.paused': 'Paused workspace',
  'workspace.resumed': 'Resumed workspace',
  'workspace.queue_paused': 'Paused sending',
  'workspace.queue_resumed': 'Resumed sending',
  'workspace.emails_canceled': 'Canceled waiting emails',
  'plan.limits_changed': 'Changed limits of a plan',
  'webhook.created': 'Created webhook',
  'webhook.updated': 'Changed webhook',
  'webhook.deleted': 'Deleted webhook',
  'webhook.secret_rotated': 'Rotated webhook secret',
  'suppression.created': 'Suppressed address',
  'suppression.removed': 'Removed suppression',
  'suppression.imported': 'Imported suppressions',
  'recipient.erased': 'Erased recipient',
  'workspace.exported': 'Exported workspace',
};

/** Only the operator sees changes to a plan, because they concern several workspaces. */
export const actionOptions = Object.entries(actionLabels)
  .filter(([action]) => action !== 'plan.limits_changed')
  .map(([value, label]) => ({ value, label }));
