/** `next` is the page to open after login. */
type LoginSearch = { next?: string | undefined; notice?: LoginNotice | undefined };

export function readLoginSearch({ next, notice }: Record<string, unknown>): LoginSearch {
  return {
    next: typeof next === 'string' && isSameOriginPath(next) ? next : undefined,
    notice: isLoginNotice(notice) ? notice : undefined,
  };
}

/**
 * Why the login page was opened: the session ended, or the password was reset. A reset may also remove API keys, other
 * members and invitations.
 */
type LoginNotice = keyof typeof loginNotices;

export const loginNotices = {
  ended: { title: 'Your session has ended', text: 'Log in again to continue where you left off.' },
  reset: {
    title: 'Your new password is set',
    text: 'Log in with your new password. You have been logged out everywhere.',
  },
  secured: {
    title: 'Your new password is set',
    text: 'Nobody had confirmed this email address before, so someone else could have created the account. To be safe, we removed the API keys, other members and invitations from its workspace. We emailed you the details.',
  },
} as const;

function isLoginNotice(value: unknown): value is LoginNotice {
  return typeof value === 'string' && Object.hasOwn(loginNotices, value);
}

/** Prevents open redirects: `//host`, `/\host` and a tab between the slashes would lead to another site. */
export function isSameOriginPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    URL.canParse(path, location.origin) &&
    new URL(path, location.origin).origin === location.origin &&
    !new URL(path, location.origin).pathname.startsWith('//')
  );
}
