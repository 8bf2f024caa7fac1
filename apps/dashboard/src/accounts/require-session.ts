import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { sessionQuery } from './session';
import { workspacesQuery } from './workspaces';

/** Redirects visitors who are not logged in. After the login, they come back. @param href of the page that they opened */
export async function requireSession(queryClient: QueryClient, href: string): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session === null) throw redirect({ to: '/login', search: href === '/' ? {} : { next: href } });
  await queryClient.ensureQueryData(workspacesQuery);
}
