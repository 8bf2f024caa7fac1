import { access } from '../schema/access.js';
import { accounts } from '../schema/accounts.js';
import { attachments } from '../schema/attachments.js';
import { deliveries } from '../schema/deliveries.js';
import { domains } from '../schema/domains.js';
import { emails } from '../schema/emails.js';
import { events } from '../schema/events.js';
import { feedback } from '../schema/feedback.js';
import { governance } from '../schema/governance.js';
import { partitions } from '../schema/partitions.js';
import { reputation } from '../schema/reputation.js';
import { templates } from '../schema/templates.js';
import { webhooks } from '../schema/webhooks.js';
import { workspaces } from '../schema/workspaces.js';
import type { Migration } from './migration.js';

/**
 * The schema of the first release. The files that it joins must never change after that, like any migration: later
 * migrations say what is different.
 */
export const schema: Migration = {
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
    governance,
    partitions,
  ].join(''),
};
