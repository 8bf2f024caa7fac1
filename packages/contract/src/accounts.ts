export type SignUpRequest = {
  /** A link for confirming the address is sent to it. */
  email: string;
  /** For logging in to the dashboard. */
  password: string;
  /** By default, the workspace is named after the address. */
  workspace_name?: string;
};

export type LogInRequest = {
  /** The address of the account. */
  email: string;
  /** The password of the account. */
  password: string;
};

export type ForgotPasswordRequest = {
  /** The address of the account. The link is mailed to it. */
  email: string;
};

export type ResetPasswordRequest = {
  /** From the link in the email. */
  token: string;
  /** The new password. */
  password: string;
};

export type VerifyEmailRequest = {
  /** From the link in the email. */
  token: string;
};

export type RejectSignUpRequest = {
  /** From the same link as in `VerifyEmailRequest`. */
  token: string;
};

export type ChangePasswordRequest = {
  /** The current password. */
  current_password: string;
  /** The new password. */
  new_password: string;
};

export type SwitchWorkspaceRequest = {
  /** One of the user's workspaces. */
  workspace_id: string;
};

/** If a number of days is null, the service's own retention applies. */
export type UpdateWorkspaceRequest = {
  /** A display name. The address of the platform sender does not change with it. */
  name?: string;
  /** Days until the content of an email is deleted. */
  content_retention_days?: number | null;
  /** Days until an email is deleted with everything that belongs to it. */
  email_retention_days?: number | null;
};

/** The logged-in user and the current workspace. */
export type Session = {
  user: {
    id: string;
    email: string;
    /** Until the address is verified, the account's own workspace can send to this address only. */
    email_verified: boolean;
  };
  workspace: Omit<Workspace, 'object'>;
};

export type Workspace = {
  object: 'workspace';
  id: string;
  name: string;
  /** Does not change when the workspace is renamed. */
  slug: string;
  plan: string;
  /** The sender address of emails without `from_`. */
  platform_sender: string;
  /** Days until the content of an email is deleted; null for the service's own retention. */
  content_retention_days: number | null;
  /** Days until an email is deleted with everything that belongs to it; null for the service's own retention. */
  email_retention_days: number | null;
  /** While the workspace is paused, its new emails are refused. null if it is not paused. */
  paused: WorkspacePause | null;
};

/** Since when a workspace is paused, and why. */
export type WorkspacePause = {
  since: string;
  reason: string;
  /** `system` if too many emails bounced or were marked as spam, `operator` if the operator has paused it. */
  by: 'operator' | 'system';
  /** Whether an owner can resume the workspace. If not, ask the operator. */
  owner_can_resume: boolean;
};

export type ResumeWorkspaceRequest = {
  /** What you have done about the cause. The audit log keeps it. */
  reason: string;
};

export const roles = ['owner', 'member'] as const;

export type Role = (typeof roles)[number];

/** A workspace that the user can switch to. `current` marks the workspace of this session. */
export type OwnWorkspace = Workspace & { role: Role; current: boolean };

/** An open session of the account. `current` marks the session that made the request. */
export type AccountSession = {
  object: 'session';
  id: string;
  workspace_id: string;
  created_at: string;
  last_seen_at: string;
  current: boolean;
};

/**
 * The response to a password reset. If nobody had confirmed the address before, `new_workspace` is true: the account has
 * a new, empty workspace, and the earlier one is deleted.
 */
export type PasswordReset = Message & { new_workspace: boolean };

/** A response that contains only a message for the user. */
export type Message = { object: 'message'; detail: string };

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
