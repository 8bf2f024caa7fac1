export type SignUpRequest = { email: string; password: string; workspace_name?: string };

export type LogInRequest = { email: string; password: string };

export type ForgotPasswordRequest = { email: string };

/** `token` is the one of the mailed link. */
export type ResetPasswordRequest = { token: string; password: string };

export type ChangePasswordRequest = { current_password: string; new_password: string };

export type SwitchWorkspaceRequest = { workspace_id: string };

export type UpdateWorkspaceRequest = { name: string };

/** Who is logged in, and to which workspace. */
export type Session = {
  user: { id: string; email: string };
  workspace: Omit<Workspace, 'object'>;
};

export type Workspace = {
  object: 'workspace';
  id: string;
  name: string;
  /** Stays as it is when the name is changed. */
  slug: string;
  plan: string;
  /** The address that emails without `from_` are sent from. */
  platform_sender: string;
};

export type Role = 'owner' | 'member';

/** One of the workspaces that the user may switch to; `current` is the one the session acts for. */
export type OwnWorkspace = Workspace & { role: Role; current: boolean };

/** A log-in that has not ended; `current` is the one that asks. */
export type AccountSession = {
  object: 'session';
  id: string;
  workspace_id: string;
  created_at: string;
  last_seen_at: string;
  current: boolean;
};

/** An answer that only says something to a person. */
export type Message = { object: 'message'; detail: string };
