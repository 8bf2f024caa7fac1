export type ActorType = 'user' | 'api_key' | 'operator' | 'system';

/** Who makes a change, and from where. */
export type Actor = {
  readonly type: ActorType;
  /** The id of the user or API key; null for the operator and the service itself. */
  readonly id: string | null;
  /** The user's email address or the key's name at the time of the change. */
  readonly label: string | null;
  /** The client's IP address; null for a change that no request caused, or if the address is not known. */
  readonly ip: string | null;
};

export function userActor({ id, email }: { id: string; email: string }, ip: string | null): Actor {
  return { type: 'user', id, label: email, ip };
}

/** The person who runs the service, and changes something with the `posthorn` command. */
export const operator: Actor = { type: 'operator', id: null, label: null, ip: null };

/** The service itself, for changes that nobody asked for. */
export const system: Actor = { type: 'system', id: null, label: null, ip: null };

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

/** A value that the log may contain. */
export type AuditValue = string | number | boolean | null | readonly string[];

/**
 * A value that the log must not contain, because it is secret or long. It is compared with the other one, but only the
 * summary is written.
 */
export type Summarized = { readonly value: string; readonly summary: string };

/** The fields of what is changed, named as in the API. `undefined` counts as null. */
export type AuditedFields = Readonly<Record<string, AuditValue | Summarized | undefined>>;

/** The fields that changed. `from` is null for something new, and `to` is null for something deleted. */
export type Changes = Readonly<Record<string, { readonly from: AuditValue; readonly to: AuditValue }>>;
