import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet } from '@tanstack/react-router';
import { requireSession } from './accounts/require-session';
import { AuthLayout } from './shell/auth-layout';
import { NotFoundPage } from './shell/not-found-page';
import { Shell } from './shell/shell';

type PageContext = { readonly queryClient: QueryClient };

export const root = createRootRouteWithContext<PageContext>()({ component: Outlet, notFoundComponent: NotFoundPage });

/** Pages for visitors who are not logged in. */
export const authLayout = createRoute({ getParentRoute: () => root, id: 'auth-layout', component: AuthLayout });

/** Pages that need a session. */
export const appLayout = createRoute({
  getParentRoute: () => root,
  id: 'app-layout',
  component: Shell,
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
});
