import type { Role } from '../accounts/caller.js';

/** Somebody who belongs to a workspace, or is invited to. */
export type Member = {
  /** The user's id; of somebody invited, the invitation's. */
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** When he joinedMembers, or was invited. */
  readonly createdAt: Date;
  /** When the link of the invitation stops working; null for a member. */
  readonly expiresAt: Date | null;
};
