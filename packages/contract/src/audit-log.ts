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
  'relay.added',
  'relay.updated',
  'relay.removed',
  'route.added',
  'route.removed',
] as const;

/** What was done. */
export type AuditAction = (typeof auditActions)[number];

/** One change in the workspace. It stays readable after its actor and its target have been deleted. */
export type AuditEntry = {
  object: 'audit_entry';
  id: string;
  /** Who made the change. */
  actor: AuditActor;
  action: AuditAction;
  /** What was changed. */
  target: AuditTarget;
  /** The IP address that the request came from. null if the operator or the service itself made the change. */
  ip: string | null;
  created_at: string;
  /** The fields that changed, by name. Secrets are left out, and long texts are replaced with their length. */
  changes: Record<string, AuditChange>;
};

export type AuditActor = {
  /** `operator` for the person who runs the service, `system` for the service itself. */
  type: 'user' | 'api_key' | 'operator' | 'system';
  /** null for the operator and the service itself. */
  id: string | null;
  /** The email address of the user or the name of the API key at the time of the change. */
  label: string | null;
};

export type AuditTarget = {
  type:
    | 'api_key'
    | 'domain'
    | 'template'
    | 'member'
    | 'invitation'
    | 'workspace'
    | 'plan'
    | 'webhook'
    | 'suppression'
    | 'recipient'
    | 'relay'
    | 'route';
  id: string;
  /** Its name or address at the time of the change. */
  label: string;
};

export type AuditChange = {
  /** null if the field had no value, such as every field of something new. */
  from: AuditValue;
  /** null if the field has no value, such as every field of something deleted. */
  to: AuditValue;
};

export type AuditValue = string | number | boolean | string[] | null;

export type ActorType = AuditActor['type'];

export type AuditTargetType = AuditTarget['type'];
