import { readSearch } from '../ui/search';

/**
 * Why the login page was opened: the session ended, or the password was reset. A reset may also remove API keys, other
 * members and invitations.
 */
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

/** `next` is the page to open after login. */
export const readLoginSearch = readSearch({
  next: (value) => (typeof value === 'string' && isSameOriginPath(value) ? value : undefined),
  notice: (value) => (Object.hasOwn(loginNotices, String(value)) ? (value as keyof typeof loginNotices) : undefined),
});

/** Prevents open redirects: `//host`, `/\host` and a tab between the slashes would lead to another site. */
export function isSameOriginPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    URL.canParse(path, location.origin) &&
    new URL(path, location.origin).origin === location.origin &&
    !new URL(path, location.origin).pathname.startsWith('//')
  );
}
