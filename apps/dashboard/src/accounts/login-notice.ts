/** Why the login page was opened: the session ended, or the password was reset. */
export type LoginNotice = keyof typeof loginNotices;

export const loginNotices = {
  ended: { title: 'Your session has ended', text: 'Log in again to continue where you left off.' },
  reset: { title: 'Your new password is set', text: 'Log in with your new password. All other sessions have ended.' },
} as const;

export function isLoginNotice(value: unknown): value is LoginNotice {
  return typeof value === 'string' && Object.hasOwn(loginNotices, value);
}
