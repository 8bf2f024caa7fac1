/**
 * The paths for which the API serves the dashboard. Emails link to some of them. Every other path that the API does not
 * know gets a JSON 404.
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
