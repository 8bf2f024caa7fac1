/** Why somebody stands before the log-in: the session is over, or the password was set anew. */
export type LoginNotice = keyof typeof loginNotices;

export const loginNotices = {
  ended: { title: 'Your session has ended', text: 'Log in again to continue where you left off.' },
  reset: { title: 'Your new password is set', text: 'Log in with your new password. All other sessions have ended.' },
} as const;

export function isLoginNotice(value: unknown): value is LoginNotice {
  return typeof value === 'string' && Object.hasOwn(loginNotices, value);
}
