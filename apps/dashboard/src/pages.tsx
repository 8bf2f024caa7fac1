import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter } from '@tanstack/react-router';
import { authPages } from './accounts/auth-pages';
import { queryString } from './api/query-string';
import { readApiKeysSearch } from './api-keys/api-keys-search';
import { readAuditLogSearch } from './audit-log/audit-log-search';
import { readDeliverabilitySearch } from './deliverability/deliverability-search';
import { readComposeSearch } from './emails/compose/compose-search';
import { emailQuery } from './emails/queries';
import { appLayout, authLayout, root } from './layouts';
import { loadOverview } from './overview/load-overview';
import { readSettingsSearch } from './settings/settings-tab';
import { ErrorPage } from './shell/error-page';
import { lazyPage } from './shell/lazy-page';
import { LoadingPage } from './shell/loading-page';
import { readSuppressionsSearch } from './suppressions/suppressions-search';
import { readTemplatesSearch } from './templates/templates-search';
import { readVersionsSearch } from './templates/versions/versions-search';
import { readDeliverySearch } from './webhooks/delivery-search';
import { readWebhooksSearch } from './webhooks/webhooks-search';

// The router keeps search parameters that validateSearch leaves out, so an invalid one must be returned as undefined.

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
    validateSearch: readComposeSearch,
    component: lazyPage(() => import('./emails/compose/new-email-page'), 'NewEmailPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/emails/$id',
    loader: ({ context, params }) => context.queryClient.prefetchQuery(emailQuery(params.id)),
    validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (typeof tab === 'string' ? { tab } : {}),
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
    component: lazyPage(() => import('./templates/new-template-page'), 'NewTemplatePage'),
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
    validateSearch: readDeliverabilitySearch,
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
    validateSearch: readAuditLogSearch,
    component: lazyPage(() => import('./audit-log/audit-log-page'), 'AuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => appLayout,
    path: '/settings',
    validateSearch: readSettingsSearch,
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
    stringifySearch: queryString,
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
