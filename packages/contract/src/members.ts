import type { Role } from './accounts.js';

export type InviteMemberRequest = { email: string; role: Role };

export type ChangeRoleRequest = { role: Role };

/** Somebody who belongs to the workspace, or is invited to. */
export type Member = {
  object: 'member';
  /** The user's id, or the invitation's as long as there is one. */
  id: string;
  email: string;
  role: Role;
  /** `expired`: an invitation whose link works no more; it can be sent again. */
  status: 'active' | 'invited' | 'expired';
  /** When the member joined, or was invited. */
  created_at: string;
  /** When the link stops working; null for a member. */
  expires_at: string | null;
};

/** `token` is the one of the mailed link. */
export type ReadInvitationRequest = { token: string };

/** `password` is the account's, or becomes it where the address has none yet. */
export type AcceptInvitationRequest = { token: string; password: string };

/** What the page behind the link shows. */
export type Invitation = {
  object: 'invitation';
  email: string;
  role: Role;
  workspace: { name: string };
  /** Whether the password to be typed is there already. */
  has_account: boolean;
  expires_at: string;
};
