/**
 * Every name the service gives to something in Redis. The braces are a hash tag: in a cluster all
 * keys of one workspace share a slot, so that one script may touch them, and so do the notes of one email.
 */
export const keys = {
  rate: (workspaceId: string, callerId: string) => `{${workspaceId}}:rate:${callerId}`,
  idempotency: (workspaceId: string, keyHash: string) => `{${workspaceId}}:idem:${keyHash}`,
  usage: (workspaceId: string, period: string) => `{${workspaceId}}:usage:${period}`,
  /** Each recipient's fate by the next hop's answers, noted before Postgres knows it. */
  handover: (emailId: string, attempt: number) => `{${emailId}}:handover:${attempt}`,
  /** Failed log-ins of an account or from an address; `reset`: links asked for from an address. */
  login: (what: 'account' | 'address' | 'reset' | 'sign-up', hash: string) => `login:${what}:${hash}`,
  /** Invitations mailed by a workspace or to an address. */
  invitation: (what: 'workspace' | 'address', hash: string) => `invitation:${what}:${hash}`,
} as const;

/** BullMQ puts every key of a queue under this prefix; the tag keeps them in one slot. */
export const QUEUE_PREFIX = '{posthorn}';
