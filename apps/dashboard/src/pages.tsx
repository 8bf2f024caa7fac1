import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isLoginNotice, type LoginNotice } from './accounts/login-notice';
import { isOwnPath } from './accounts/own-path';
import { sessionQuery, workspacesQuery } from './accounts/session';
import { queryString } from './api/query-string';
import { isSettingsTab, type SettingsTab } from './settings/settings-tab';
import { BrokenPage } from './shell/broken-page';
import { Door } from './shell/door';
import { NotFoundPage } from './shell/not-found-page';
import { Shell } from './shell/shell';
import type { Cursor } from './ui/pager';

type PageContext = { readonly queryClient: QueryClient };
type LoginSearch = { next?: string | undefined; notice?: LoginNotice | undefined };
type TokenSearch = { token?: string };
type SettingsSearch = { tab?: SettingsTab | undefined };
/** `against` is absent for the version before. */
type VersionsSearch = Cursor & { version?: string | undefined; against?: 'current' | undefined };

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

// The router hands on what these leave out as it was typed: what is not valid must be said to be undefined.

const loginSearch = ({ next, notice }: Record<string, unknown>): LoginSearch => ({
  next: typeof next === 'string' && isOwnPath(next) ? next : undefined,
  notice: isLoginNotice(notice) ? notice : undefined,
});

const tokenSearch = ({ token }: Record<string, unknown>): TokenSearch => ({
  ...(typeof token === 'string' && { token }),
});

const settingsSearch = ({ tab }: Record<string, unknown>): SettingsSearch => ({
  tab: isSettingsTab(tab) ? tab : undefined,
});

const cursorSearch = ({ after, before }: Record<string, unknown>): Cursor => ({
  ...(typeof after === 'string' && { after }),
  ...(typeof before === 'string' && { before }),
});

const versionsSearch = (search: Record<string, unknown>): VersionsSearch => ({
  ...cursorSearch(search),
  version: typeof search.version === 'string' && /^[1-9]\d{0,8}$/.test(search.version) ? search.version : undefined,
  against: search.against === 'current' ? 'current' : undefined,
});

const outsidePages = [
  createRoute({
    getParentRoute: () => outside,
    path: '/login',
    validateSearch: loginSearch,
    beforeLoad: ({ context, search }) => leaveWhenLoggedIn(context, search.next),
    component: lazyRouteComponent(() => import('./accounts/login-page'), 'LoginPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/signup',
    beforeLoad: ({ context }) => leaveWhenLoggedIn(context),
    component: lazyRouteComponent(() => import('./accounts/signup-page'), 'SignupPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./accounts/forgot-password-page'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/reset-password',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./accounts/reset-password-page'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/accept-invitation',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./accounts/accept-invitation-page'), 'AcceptInvitationPage'),
  }),
] as const;

const insidePages = [
  createRoute({
    getParentRoute: () => inside,
    path: '/',
    component: lazyRouteComponent(() => import('./overview/overview-page'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/emails',
    validateSearch: (search: Record<string, unknown>) => search as Record<string, string | undefined>,
    component: lazyRouteComponent(() => import('./emails/emails-page'), 'EmailsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/emails/$id',
    validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (typeof tab === 'string' ? { tab } : {}),
    component: lazyRouteComponent(() => import('./emails/email-page'), 'EmailPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates',
    validateSearch: cursorSearch,
    component: lazyRouteComponent(() => import('./templates/templates-page'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates/new',
    component: lazyRouteComponent(() => import('./templates/new-template-page'), 'NewTemplatePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates/$id',
    component: lazyRouteComponent(() => import('./templates/template-page'), 'TemplatePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/templates/$id/versions',
    validateSearch: versionsSearch,
    component: lazyRouteComponent(() => import('./templates/versions-page'), 'VersionsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/domains',
    component: lazyRouteComponent(() => import('./domains/domains-page'), 'DomainsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/domains/$id',
    component: lazyRouteComponent(() => import('./domains/domain-page'), 'DomainPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/api-keys',
    component: lazyRouteComponent(() => import('./api-keys/api-keys-page'), 'ApiKeysPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/usage',
    component: lazyRouteComponent(() => import('./usage/usage-page'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/settings',
    validateSearch: settingsSearch,
    component: lazyRouteComponent(() => import('./settings/settings-page'), 'SettingsPage'),
  }),
] as const;

const tree = root.addChildren([outside.addChildren(outsidePages), inside.addChildren(insidePages)]);

/** Every page of the dashboard, loaded when it is gone to; the paths are those of dashboardPages. */
export function createPages(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    // Plain query strings, where the router would write JSON
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: queryString,
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
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
