import type { dashboardPages } from '@posthorn/contract';
import type { Filled } from './fill-workspace.js';

type DashboardPage = (typeof dashboardPages)[number];

/** The address of a page that shows what a workspace was filled with. */
export function pathOf(page: DashboardPage, { emailId, templateId, domainId }: Filled): string {
  const [, noun = ''] = page.split('/');
  const ids: Readonly<Record<string, string>> = { emails: emailId, templates: templateId, domains: domainId };
  return page.replace(':id', ids[noun] ?? '');
}

/** Pages for people who are not logged in. */
export const doorPages: readonly DashboardPage[] = [
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/accept-invitation',
];
