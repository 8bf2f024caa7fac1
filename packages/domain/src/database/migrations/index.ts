import { initialSchema } from './0001-initial-schema.js';
import { attemptsAndRequestIds } from './0002-attempts-and-request-ids.js';
import { templateOfEmails } from './0003-template-of-emails.js';
import { accountVerification } from './0004-account-verification.js';
import { deliveries } from './0010-deliveries.js';
import { partitions } from './0011-partitions.js';
import { lateEmails } from './0012-late-emails.js';
import { attachments } from './0013-attachments.js';
import { understoodPerClaim } from './0014-understood-per-claim.js';
import { templateDeclarations } from './0015-template-declarations.js';
import { testMode } from './0016-test-mode.js';
import { unusedObjects } from './0017-unused-objects.js';
import { events } from './0018-events.js';
import { webhooks } from './0019-webhooks.js';
import { auditLog } from './0020-audit-log.js';
import { erasures } from './0021-erasures.js';
import { ownerNotifications } from './0022-owner-notifications.js';
import { suppressions } from './0023-suppressions.js';
import { feedbackReports } from './0024-feedback-reports.js';
import { reputation } from './0025-reputation.js';
import { tracking } from './0026-tracking.js';
import { trackingHosts } from './0027-tracking-hosts.js';
import { reportSender } from './0028-report-sender.js';
import { suppressionFilters } from './0029-suppression-filters.js';
import { dueReports } from './0030-due-reports.js';
import { restores } from './0031-restores.js';
import { parkedEmails } from './0032-parked-emails.js';
import { traceparents } from './0033-traceparents.js';
import { apiKeyRestrictions } from './0035-api-key-restrictions.js';
import type { Migration } from './migration.js';

/** Listed by hand, in the order in which they are applied. */
export const migrations: readonly Migration[] = [
  initialSchema,
  attemptsAndRequestIds,
  templateOfEmails,
  accountVerification,
  deliveries,
  partitions,
  lateEmails,
  attachments,
  understoodPerClaim,
  templateDeclarations,
  testMode,
  unusedObjects,
  events,
  webhooks,
  auditLog,
  erasures,
  ownerNotifications,
  suppressions,
  feedbackReports,
  reputation,
  tracking,
  trackingHosts,
  reportSender,
  suppressionFilters,
  dueReports,
  restores,
  parkedEmails,
  traceparents,
  apiKeyRestrictions,
];
