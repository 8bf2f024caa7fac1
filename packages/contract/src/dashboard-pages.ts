/**
 * The paths of the dashboard's pages: the API answers each with the dashboard, and mails link to some.
 * Everything else that is not the API's own is a JSON 404.
 */
export const dashboardPages = [
  '/',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
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
