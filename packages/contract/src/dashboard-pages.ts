/**
 * The paths at which the API serves the dashboard. Emails link to some of them. For any other unknown path, the API
 * returns a 404 in JSON.
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
  '/emails/:id',
  '/templates',
  '/templates/new',
  '/templates/:id',
  '/templates/:id/versions',
  '/domains',
  '/domains/:id',
  '/api-keys',
  '/usage',
  '/settings',
] as const;
