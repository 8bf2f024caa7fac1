import type { Migration } from '@posthorn/platform/postgres';
import { access } from '../tables/access.js';
import { accounts } from '../tables/accounts.js';
import { attachments } from '../tables/attachments.js';
import { deliveries } from '../tables/deliveries.js';
import { domains } from '../tables/domains.js';
import { emails } from '../tables/emails.js';
import { erasures } from '../tables/erasures.js';
import { events } from '../tables/events.js';
import { feedback } from '../tables/feedback.js';
import { partitions } from '../tables/partitions.js';
import { reputation } from '../tables/reputation.js';
import { templates } from '../tables/templates.js';
import { webhooks } from '../tables/webhooks.js';
import { workspaces } from '../tables/workspaces.js';

/**
 * The schema of the first release. The files that it joins must never change after that, like any migration: later
 * migrations say what is different.
 */
export const firstSchema: Migration = {
  name: '0001-schema',
  kind: 'expand',
  sql: [
    accounts,
    workspaces,
    access,
    templates,
    domains,
    emails,
    attachments,
    deliveries,
    events,
    webhooks,
    feedback,
    reputation,
    erasures,
    partitions,
  ].join(''),
};
