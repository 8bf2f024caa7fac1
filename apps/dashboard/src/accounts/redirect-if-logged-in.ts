import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { sessionQuery } from './session';

/** Redirects logged-in users. If the API is unreachable, the page opens anyway. */
export async function redirectIfLoggedIn(queryClient: QueryClient, next = '/'): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null);
  if (session) throw redirect({ href: next, replace: true });
}
