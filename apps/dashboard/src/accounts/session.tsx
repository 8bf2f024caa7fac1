import { Text } from '@mantine/core';
import type { OwnWorkspace, Session } from '@posthorn/contract';
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { get, isApiError, toQueryString } from '../api/request';

const sessionKey = ['session'] as const;

/**
 * The current session, or null for a visitor. When a known session ends, the query fails and keeps its data,
 * so that pages can still render until the login page replaces them.
 */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ client }): Promise<Session | null> =>
    get<Session>('/auth/session').catch((error) => {
      if (isApiError(error, 'unauthenticated') && !client.getQueryData(sessionKey)) return null;
      throw error;
    }),
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
});

/** For pages of the app layout, which the router opens only with a session. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('You must be logged in to view this page.');
  return data;
}

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: () => get<{ data: OwnWorkspace[] }>('/auth/workspaces'),
  staleTime: 60_000,
});

/** Only owners can manage members, API keys and domains. */
export function useIsOwner(): boolean {
  const { data } = useSuspenseQuery(workspacesQuery);
  return data.data.some(({ current, role }) => current && role === 'owner');
}

type OwnersOnlyProps = {
  /** Completes "Only workspace owners can …". */
  readonly action: string;
};

/** Tells members why a page has no buttons. Owners see nothing. */
export function OwnersOnly({ action }: OwnersOnlyProps) {
  return !useIsOwner() && <Text>Only workspace owners can {action}. Ask an owner for help.</Text>;
}

/** Redirects visitors who are not logged in. After the login, they come back. @param href of the page that they opened */
export async function requireSession(queryClient: QueryClient, href: string): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session === null) throw redirect({ to: '/login', search: href === '/' ? {} : { next: href } });
  await queryClient.ensureQueryData(workspacesQuery);
}

/** Redirects logged-in users. If the API is unreachable, the page opens anyway. */
export async function redirectIfLoggedIn(queryClient: QueryClient, next = '/'): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null);
  if (session) throw redirect({ href: next, replace: true });
}

/**
 * Sends the user to the login page. Does nothing for visitors who had no session.
 * @param href the page to return to after login
 */
export function handleSessionEnd(queryClient: QueryClient, href: string): void {
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  reloadAllTabs(`/login${toQueryString({ next: href, notice: 'ended' })}`);
}

/**
 * Reloads the page when another tab has switched the user or the workspace, because the page would show the wrong data.
 */
export function useReloadOnSessionChange(): void {
  const { workspace, user } = useSession();
  const current = `${user.id} ${workspace.id}`;
  const [initial] = useState(current);
  useEffect(() => {
    if (current !== initial) location.reload();
  }, [current, initial]);
}

/** Call after logging out. Drafts and sample values in session storage must not reach the next user. */
export function goToLogin(): void {
  sessionStorage.clear();
  reloadAllTabs('/login');
}

/** All tabs share the session cookie, so logging in or out in one tab affects the others. */
const tabs = new BroadcastChannel('posthorn-session');

tabs.addEventListener('message', () => location.reload());

/** Call after the session cookie has changed. Every tab reloads, so that no data of the previous session remains. */
export function reloadAllTabs(path = '/'): void {
  tabs.postMessage(null);
  location.assign(path);
}
