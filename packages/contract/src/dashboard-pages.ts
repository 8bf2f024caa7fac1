/**
 * The paths at which the API serves the dashboard. Emails link to some of them. For any other unknown path, the API
 * returns a 404: in JSON, or as a page to a browser that asks for HTML outside the API's own paths.
 */
export const dashboardPages = [
  '/',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/accept-invitation',
  '/emails',
  '/emails/new',
  '/emails/:id',
  '/templates',
  '/templates/new',
  '/templates/:id',
  '/templates/:id/versions',
  '/suppressions',
  '/deliverability',
  '/domains',
  '/domains/:id',
  '/webhooks',
  '/webhooks/:id',
  '/api-keys',
  '/usage',
  '/audit-log',
  '/settings',
] as const;
