import type { Migration } from '@posthorn/platform/postgres';
import { accounts } from '../tables/accounts.js';
import { apiKeys } from '../tables/api-keys.js';
import { attachments } from '../tables/attachments.js';
import { auditLog } from '../tables/audit-log.js';
import { bounces } from '../tables/bounces.js';
import { deliverability } from '../tables/deliverability.js';
import { deliveries } from '../tables/deliveries.js';
import { domains } from '../tables/domains.js';
import { emails } from '../tables/emails.js';
import { erasures } from '../tables/erasures.js';
import { events } from '../tables/events.js';
import { idempotencyKeys } from '../tables/idempotency-keys.js';
import { incarnation } from '../tables/incarnation.js';
import { members } from '../tables/members.js';
import { partitions } from '../tables/partitions.js';
import { relays } from '../tables/relays.js';
import { storage } from '../tables/storage.js';
import { suppressions } from '../tables/suppressions.js';
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
    members,
    apiKeys,
    auditLog,
    templates,
    domains,
    emails,
    idempotencyKeys,
    attachments,
    deliveries,
    relays,
    events,
    webhooks,
    bounces,
    suppressions,
    storage,
    deliverability,
    erasures,
    incarnation,
    partitions,
  ].join(''),
};
