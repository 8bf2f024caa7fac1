import type { Role } from '../accounts/caller.js';

/** A member of a workspace, or a person who is invited to it. */
export type Member = {
  /** The user's id, or the invitation's id for an invited member. */
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** When the member joined or was invited. */
  readonly createdAt: Date;
  /** When the invitation link stops working; null for a member who joined. */
  readonly expiresAt: Date | null;
};
