import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { redirectIfLoggedIn, requireSession } from './accounts/session';
import { toQueryString } from './api/request';
import { readApiKeysSearch } from './api-keys/queries';
import { emailQuery } from './emails/queries';
import { loadOverview } from './overview/load-overview';
import { AuthLayout } from './shell/auth-layout';
import { ErrorPage, LoadingPage, NotFoundPage } from './shell/fallback-pages';
import { Shell } from './shell/shell';
import { readSuppressionsSearch } from './suppressions/queries';
import { readTemplatesSearch, readVersionsSearch } from './templates/queries';
import { cursor, oneOf, pagePath, readSearch, text } from './ui/search';
import { readDeliverySearch, readWebhooksSearch } from './webhooks/queries';

type PageContext = { readonly queryClient: QueryClient };

const root = createRootRouteWithContext<PageContext>()({ component: Outlet, notFoundComponent: NotFoundPage });

const authLayout = createRoute({ getParentRoute: () => root, id: 'auth-layout', component: AuthLayout });

const appLayout = createRoute({
  getParentRoute: () => root,
  id: 'app-layout',
  component: Shell,
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
});

const LOAD_FAILED =
  'This page could not be loaded. The server may be unreachable, or a new release may have replaced the page. Reload it to try again.';

/** Loads a page's code on the first visit. If that fails, the router's default behavior would leave the dashboard. */
function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadOrThrow = () =>
    load().catch((cause) => {
      throw new Error(LOAD_FAILED, { cause });
    });
  return lazyRouteComponent(loadOrThrow, name);
}

/** The page to open after login, and why the login page was opened. */
const readLoginSearch = readSearch({ next: pagePath, notice: oneOf('ended', 'reset', 'replaced') });

const authPages = [
  createRoute({
    getParentRoute: () => authLayout,
    path: '/login',
    validateSearch: readLoginSearch,
    beforeLoad: ({ context, search }) => redirectIfLoggedIn(context.queryClient, search.next),
    component: lazyPage(() => import('./accounts/login-page'), 'LoginPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/signup',
    beforeLoad: ({ context }) => redirectIfLoggedIn(context.queryClient),
    component: lazyPage(() => import('./accounts/signup-page'), 'SignupPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/forgot-password',
    component: lazyPage(() => import('./accounts/password-reset-pages'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/reset-password',
    validateSearch: readSearch({ token: text }),
    component: lazyPage(() => import('./accounts/password-reset-pages'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/verify-email',
    validateSearch: readSearch({ token: text }),
    component: lazyPage(() => import('./accounts/verify-email-page'), 'VerifyEmailPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/accept-invitation',
    validateSearch: readSearch({ token: text }),
    component: lazyPage(() => import('./accounts/accept-invitation-page'), 'AcceptInvitationPage'),
  }),
] as const;

const appPages = [
  createRoute({
    getParentRoute: () => appLayout,
    path: '/',
    loader: ({ context }) => loadOverview(context.queryClient),
    component: lazyPage(() => import('./overview/overview-page'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/emails',
    validateSearch: (search: Record<string, unknown>) => search as Record<string, string | undefined>,
    component: lazyPage(() => import('./emails/emails-page'), 'EmailsPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/emails/new',
    validateSearch: readSearch({ from: text }),
    component: lazyPage(() => import('./emails/compose/new-email-page'), 'NewEmailPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/emails/$id',
    loader: ({ context, params }) => context.queryClient.prefetchQuery(emailQuery(params.id)),
    validateSearch: readSearch({ tab: text }),
    component: lazyPage(() => import('./emails/email-page'), 'EmailPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/templates',
    validateSearch: readTemplatesSearch,
    component: lazyPage(() => import('./templates/templates-page'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/templates/new',
    component: lazyPage(() => import('./templates/template-page'), 'NewTemplatePage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/templates/$id',
    component: lazyPage(() => import('./templates/template-page'), 'TemplatePage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/templates/$id/versions',
    validateSearch: readVersionsSearch,
    component: lazyPage(() => import('./templates/versions-page'), 'VersionsPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/suppressions',
    validateSearch: readSuppressionsSearch,
    component: lazyPage(() => import('./suppressions/suppressions-page'), 'SuppressionsPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/deliverability',
    validateSearch: readSearch({ ...cursor, reason: text }),
    component: lazyPage(() => import('./deliverability/deliverability-page'), 'DeliverabilityPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/domains',
    component: lazyPage(() => import('./domains/domains-page'), 'DomainsPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/domains/$id',
    component: lazyPage(() => import('./domains/domain-page'), 'DomainPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/webhooks',
    validateSearch: readWebhooksSearch,
    component: lazyPage(() => import('./webhooks/webhooks-page'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/webhooks/$id',
    validateSearch: readDeliverySearch,
    component: lazyPage(() => import('./webhooks/webhook-page'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/api-keys',
    validateSearch: readApiKeysSearch,
    component: lazyPage(() => import('./api-keys/api-keys-page'), 'ApiKeysPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/usage',
    component: lazyPage(() => import('./usage/usage-page'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/audit-log',
    validateSearch: readSearch({ ...cursor, action: text, actor: text, target: text }),
    component: lazyPage(() => import('./audit-log/audit-log-page'), 'AuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/settings',
    validateSearch: readSearch({ tab: oneOf('workspace', 'members', 'privacy', 'account') }),
    component: lazyPage(() => import('./settings/settings-page'), 'SettingsPage'),
  }),
] as const;

const tree = root.addChildren([authLayout.addChildren(authPages), appLayout.addChildren(appPages)]);

/** All pages, each loaded on first visit. A test compares the paths with `dashboardPages`, which the API serves. */
export function createPages(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    // Uses plain query strings instead of the router's JSON
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: toQueryString,
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: LoadingPage,
    defaultPendingMs: 500,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
