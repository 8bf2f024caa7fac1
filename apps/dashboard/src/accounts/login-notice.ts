/** Why somebody stands before the log-in: the session is over, or the password was set anew. */
export type LoginNotice = keyof typeof loginNotices;

export const loginNotices = {
  ended: { title: 'Your session has ended', text: 'Log in again, and you are back where you were.' },
  reset: { title: 'The new password is set', text: 'Log in with it. All other sessions have ended.' },
} as const;

export function isLoginNotice(value: unknown): value is LoginNotice {
  return typeof value === 'string' && Object.hasOwn(loginNotices, value);
}
