import type { Role } from '@posthorn/contract';

/** A workspace member, or a person who has been invited. */
export type Member = {
  /** The user's id, or the invitation's id for an invited member. */
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** When the member joined or was invited. */
  readonly createdAt: Date;
  /** When the invitation link stops working; null for a member who has joined. */
  readonly expiresAt: Date | null;
};
