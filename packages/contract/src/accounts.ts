export type SignUpRequest = { email: string; password: string; workspace_name?: string };

export type LogInRequest = { email: string; password: string };

export type ForgotPasswordRequest = { email: string };

/** `token` is the one of the mailed link. */
export type ResetPasswordRequest = { token: string; password: string };

/** Who is logged in, and to which workspace. */
export type Session = {
  user: { id: string; email: string };
  workspace: {
    id: string;
    name: string;
    slug: string;
    plan: string;
    /** The address that emails without `from_` are sent from. */
    platform_sender: string;
  };
};

/** An answer that only says something to a person. */
export type Message = { object: 'message'; detail: string };
