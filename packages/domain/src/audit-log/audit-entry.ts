import type { ActorType } from '@posthorn/contract';

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

export function toUserActor({ id, email }: { id: string; email: string }, ip: string | null): Actor {
  return { type: 'user', id, label: email, ip };
}

/** The person who runs the service, and changes something with the `posthorn` command. */
export const operator: Actor = { type: 'operator', id: null, label: null, ip: null };

/** The service itself, for changes that nobody asked for. */
export const system: Actor = { type: 'system', id: null, label: null, ip: null };

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
