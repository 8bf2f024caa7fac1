/**
 * Every key name that the service uses in Redis. The braces mark a hash tag. In a Redis Cluster, all keys of one
 * workspace share a slot, so that one script may use them. The handoff markers of one email share a slot too.
 *
 * These keys count attempts of people and clients. They may outlive a restore of the database.
 */
export const keys = {
  /** Emails per minute for an API key or user. */
  rate: (workspaceId: string, callerId: string) => `{${workspaceId}}:rate:${callerId}`,
  /** Other requests per minute for an API key or user, by kind of request. */
  requests: (workspaceId: string, kind: string, callerId: string) => `{${workspaceId}}:requests:${kind}:${callerId}`,
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

/**
 * The names of keys that repeat what Postgres knows. They begin with the incarnation of the database, so that what they
 * say about emails that a restore has removed is never read.
 */
export type IncarnationKeys = {
  idempotency(workspaceId: string, keyHash: string): string;
  usage(workspaceId: string, period: string): string;
  /** The recipient results of an attempt, written before they are stored in Postgres. */
  handoff(emailId: string, attempt: number): string;
};

/** @param incarnation returns the id of the database's incarnation */
export function buildIncarnationKeys(incarnation: () => string): IncarnationKeys {
  return {
    idempotency: (workspaceId, keyHash) => `${incarnation()}:{${workspaceId}}:idem:${keyHash}`,
    usage: (workspaceId, period) => `${incarnation()}:{${workspaceId}}:usage:${period}`,
    handoff: (emailId, attempt) => `${incarnation()}:{${emailId}}:handoff:${attempt}`,
  };
}

/** Workers that send webhooks listen to this channel for new events. */
export const EVENTS_CHANNEL = 'posthorn:events';

/** BullMQ puts every key of a queue under this prefix; the hash tag keeps them in one slot. */
export const QUEUE_PREFIX = '{posthorn}';

/**
 * How long each key in Redis lives. Keys may be lost at any time, because Postgres has the originals. These numbers
 * only decide how soon a copy is refreshed or a leftover disappears.
 */
export const lifetimes = {
  /** A copy of a usage row. Reading the row from Postgres again releases sends that a crash left reserved. */
  usageCounterSeconds: 60,
  /**
   * The lock on an idempotency key, in case the process that set it dies. It is meant to outlive any accept
   * transaction. If a transaction takes longer, Postgres still refuses to use the key twice.
   */
  idempotencyLockSeconds: 10,
  /**
   * The note that an idempotency key has a response in Postgres. A retry within this time reads the response there. A
   * later retry gets it too, but through the accept transaction, which costs more.
   */
  storedKeySeconds: 120,
  /** The lifetime of a handoff marker, as a multiple of an email's lease. */
  handoffMarkerLeases: 20,
} as const;
