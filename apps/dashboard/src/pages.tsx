import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { readLoginSearch } from './accounts/login-search';
import { workspacesQuery } from './accounts/own-workspaces';
import { sessionQuery } from './accounts/session';
import { readTokenSearch } from './accounts/token-search';
import { queryString } from './api/query-string';
import { emailQuery } from './emails/queries';
import { loadOverview } from './overview/load-overview';
import { readSettingsSearch } from './settings/settings-tab';
import { BrokenPage } from './shell/broken-page';
import { Door } from './shell/door';
import { lazyPage } from './shell/lazy-page';
import { NotFoundPage } from './shell/not-found-page';
import { Shell } from './shell/shell';
import { WaitingPage } from './shell/waiting-page';
import { readVersionsSearch } from './templates/versions/versions-search';
import { readCursor } from './ui/cursor';

type PageContext = { readonly queryClient: QueryClient };

const root = createRootRouteWithContext<PageContext>()({ component: Outlet, notFoundComponent: NotFoundPage });

/** The door, for those who are not logged in. */
const outside = createRoute({ getParentRoute: () => root, id: 'outside', component: Door });

/** For those who are. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  async beforeLoad({ context: { queryClient }, location }) {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null)
      throw redirect({ to: '/login', search: location.href === '/' ? {} : { next: location.href } });
    await queryClient.ensureQueryData(workspacesQuery);
  },
});

// The router hands on what validateSearch leaves out as it was typed: what is not valid must be said to be undefined.

const outsidePages = [
  createRoute({
    getParentRoute: () => outside,
    path: '/login',
    validateSearch: readLoginSearch,
    beforeLoad: ({ context, search }) => leaveWhenLoggedIn(context, search.next),
    component: lazyPage(() => import('./accounts/login-page'), 'LoginPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/signup',
    beforeLoad: ({ context }) => leaveWhenLoggedIn(context),
    component: lazyPage(() => import('./accounts/signup-page'), 'SignupPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/forgot-password',
    component: lazyPage(() => import('./accounts/forgot-password-page'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/reset-password',
    validateSearch: readTokenSearch,
    component: lazyPage(() => import('./accounts/reset-password-page'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/accept-invitation',
    validateSearch: readTokenSearch,
    component: lazyPage(() => import('./accounts/accept-invitation-page'), 'AcceptInvitationPage'),
  }),
] as const;

const insidePages = [
  createRoute({
    getParentRoute: () => inside,
    path: '/',
    loader: ({ context }) => loadOverview(context.queryClient),
    component: lazyPage(() => import('./overview/overview-page'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/emails',
    validateSearch: (search: Record<string, unknown>) => search as Record<string, string | undefined>,
    component: lazyPage(() => import('./emails/emails-page'), 'EmailsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/emails/$id',
    loader: ({ context, params }) => context.queryClient.prefetchQuery(emailQuery(params.id)),
    validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (typeof tab === 'string' ? { tab } : {}),
    component: lazyPage(() => import('./emails/email-page'), 'EmailPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates',
    validateSearch: readCursor,
    component: lazyPage(() => import('./templates/templates-page'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates/new',
    component: lazyPage(() => import('./templates/new-template-page'), 'NewTemplatePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates/$id',
    component: lazyPage(() => import('./templates/template-page'), 'TemplatePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates/$id/versions',
    validateSearch: readVersionsSearch,
    component: lazyPage(() => import('./templates/versions-page'), 'VersionsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/domains',
    component: lazyPage(() => import('./domains/domains-page'), 'DomainsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/domains/$id',
    component: lazyPage(() => import('./domains/domain-page'), 'DomainPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/api-keys',
    component: lazyPage(() => import('./api-keys/api-keys-page'), 'ApiKeysPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/usage',
    component: lazyPage(() => import('./usage/usage-page'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/settings',
    validateSearch: readSettingsSearch,
    component: lazyPage(() => import('./settings/settings-page'), 'SettingsPage'),
  }),
] as const;

const tree = root.addChildren([outside.addChildren(outsidePages), inside.addChildren(insidePages)]);

/** Every page of the dashboard, loaded when it is gone to; the paths are those of dashboardPages, which a test compares. */
export function createPages(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    // Plain query strings, where the router would write JSON
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: queryString,
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
    defaultPendingComponent: WaitingPage,
    defaultPendingMs: 500,
    scrollRestoration: true,
  });
}

/** Who is logged in has nothing to do at the door; whether it is so cannot be known while the API is away. */
async function leaveWhenLoggedIn({ queryClient }: PageContext, next = '/') {
  const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null);
  if (session) throw redirect({ href: next, replace: true });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
