import type { Role } from './accounts.js';

export type InviteMemberRequest = {
  /** The invitation is mailed to this address. */
  email: string;
  /** Owners also manage members, keys and domains. */
  role: Role;
};

export type ChangeRoleRequest = { role: Role };

/** A member of the workspace, or a person who was invited. */
export type Member = {
  object: 'member';
  /** The ID of the user, or of the invitation while it is open. */
  id: string;
  email: string;
  role: Role;
  /** `expired` means that the link in the invitation no longer works. The invitation can be sent again. */
  status: 'active' | 'invited' | 'expired';
  /** When the member joined or was invited. */
  created_at: string;
  /** When the invitation link expires. null for a member. */
  expires_at: string | null;
};

export type ReadInvitationRequest = {
  /** From the link in the email. */
  token: string;
};

export type AcceptInvitationRequest = {
  /** From the link in the email. */
  token: string;
  /** The password of the existing account, or the one for the new account. */
  password: string;
};

/** What the invitation page shows. */
export type Invitation = {
  object: 'invitation';
  email: string;
  role: Role;
  workspace: { name: string };
  /** Whether the email address already has an account, and therefore a password. */
  has_account: boolean;
  expires_at: string;
};
