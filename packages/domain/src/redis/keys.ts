/**
 * Every key name that the service uses in Redis. The braces mark a hash tag. In a Redis Cluster, all keys of one
 * workspace share a slot, so that one script may use them. The handoff markers of one email share a slot too.
 */
export const keys = {
  /** Emails per minute for an API key or user. */
  rate: (workspaceId: string, callerId: string) => `{${workspaceId}}:rate:${callerId}`,
  /** Other requests per minute for an API key or user, by kind of request. */
  requests: (workspaceId: string, kind: string, callerId: string) => `{${workspaceId}}:requests:${kind}:${callerId}`,
  idempotency: (workspaceId: string, keyHash: string) => `{${workspaceId}}:idem:${keyHash}`,
  usage: (workspaceId: string, period: string) => `{${workspaceId}}:usage:${period}`,
  /** The recipient results of an attempt, written before they are stored in Postgres. */
  handoff: (emailId: string, attempt: number) => `{${emailId}}:handoff:${attempt}`,
  /**
   * Failed logins to an account, to an account from one client, or from an IP address; password resets and sign-ups
   * from an IP address.
   */
  login: (what: 'account' | 'attack' | 'client' | 'address' | 'reset' | 'sign-up', hash: string) =>
    `login:${what}:${hash}`,
  /** Invitations from a workspace or to an email address. */
  invitation: (what: 'workspace' | 'address', hash: string) => `invitation:${what}:${hash}`,
  /** Mail to addresses that have not been verified: links, and emails that unverified accounts send to themselves. */
  unverified: (what: 'links' | 'sends', of: 'address' | 'network', hash: string) => `unverified:${what}:${of}:${hash}`,
  unverifiedInTotal: (what: 'links' | 'sends') => `unverified:${what}`,
} as const;

/** Workers that send webhooks listen to this channel for new events. */
export const EVENTS_CHANNEL = 'posthorn:events';

/** BullMQ puts every key of a queue under this prefix; the hash tag keeps them in one slot. */
export const QUEUE_PREFIX = '{posthorn}';
