import type { dashboardPages } from '@posthorn/contract';
import type { FilledWorkspace } from './fill-workspace.js';

type DashboardPage = (typeof dashboardPages)[number];

/** The path of a page, with the ids of a filled workspace. */
export function pagePath(page: DashboardPage, { emailId, templateId, domainId, webhookId }: FilledWorkspace): string {
  const [, noun = ''] = page.split('/');
  const ids: Readonly<Record<string, string>> = {
    emails: emailId,
    templates: templateId,
    domains: domainId,
    webhooks: webhookId,
  };
  return page.replace(':id', ids[noun] ?? '');
}

/** The pages for users who are not logged in. */
export const authPages: readonly DashboardPage[] = [
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/accept-invitation',
];
