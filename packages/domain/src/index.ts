export { type BounceClass, bounceClasses } from '@posthorn/feedback';
export { failpoint } from '#failpoint';
export { type AcceptContext, openAcceptContext } from './accepting/accept-context.js';
export { acceptEmails, countAgainstRateLimit, type Submission } from './accepting/accept-emails.js';
export { type AuthenticationResult, checkEmail, type EmailCheck } from './accepting/check-email.js';
export { dedupeRecipients, type Recipients } from './accepting/dedupe-recipients.js';
export { findIdsByIdempotencyKey } from './accepting/find-ids-by-idempotency-key.js';
export { type IdempotencyKey, readIdempotencyKey } from './accepting/idempotency-key.js';
export { deleteExpiredIdempotencyKeys } from './accepting/idempotency-store.js';
export { messageSize, type SizedContent, totalSize } from './accepting/message-size.js';
export type { NewEmail, NewEmails } from './accepting/new-email.js';
export type { SenderReason } from './accepting/resolve-sender.js';
export type { RequestedContent, SendRequest } from './accepting/send-request.js';
export { readAccountEmail } from './accounts/account-email.js';
export { type AuthenticateSession, sessionAuthenticator } from './accounts/authenticate-session.js';
export {
  type Caller,
  mayUse,
  type Role,
  rateLimitIdOf,
  type Scope,
  type SessionCaller,
  scopes,
  sendCallerOf,
} from './accounts/caller.js';
export { changePassword } from './accounts/change-password.js';
export { createWorkspace } from './accounts/create-workspace.js';
export { describeRemovedAccess } from './accounts/describe-removed-access.js';
export { forgotPassword } from './accounts/forgot-password.js';
export { KNOWN_DEVICE_DAYS, type KnownDevices, openKnownDevices } from './accounts/known-devices.js';
export { logIn } from './accounts/log-in.js';
export { logOut, logOutEverywhere } from './accounts/log-out.js';
export { type LoginLimiter, openLoginLimiter } from './accounts/login-limiter.js';
export { listWorkspacesOf, type OwnWorkspace } from './accounts/membership-store.js';
export { hashPassword } from './accounts/passwords.js';
export { rejectSignUp } from './accounts/reject-sign-up.js';
export type { RemovedAccess } from './accounts/remove-earlier-access.js';
export { resendVerification } from './accounts/resend-verification.js';
export { type PasswordReset, resetPassword } from './accounts/reset-password.js';
export { type SystemMail, sendSystemMail } from './accounts/send-system-mail.js';
export { sessionLife } from './accounts/session-life.js';
export { type ListedSession, listSessions } from './accounts/session-list-store.js';
export { signUp } from './accounts/sign-up.js';
export { switchWorkspace } from './accounts/switch-workspace.js';
export { verifyEmail } from './accounts/verify-email.js';
export {
  type Address,
  AddressError,
  addressKey,
  formatAddress,
  hostOf,
  parseAddress,
  parseBareAddress,
} from './addresses/address.js';
export { headerFault } from './addresses/custom-headers.js';
export { networkMatcher } from './addresses/network-matcher.js';
export { parseNetwork } from './addresses/parse-network.js';
export { reservedHeaders } from './addresses/reserved-headers.js';
export { type SimulatorEnding, simulatorEndingOf, simulatorEndings } from './addresses/simulator-address.js';
export { hasBidirectionalControls, hasControlCharacters } from './addresses/unsafe-characters.js';
export { type AuthenticateKey, keyAuthenticator } from './api-keys/authenticate-key.js';
export { createKey } from './api-keys/create-key.js';
export { type ApiKey, findKeyWithWorkspace, listAllKeys, listKeys } from './api-keys/key-store.js';
export { revokeKey } from './api-keys/revoke-key.js';
export type { Attachment, ClaimedAttachment, StoredAttachment } from './attachments/attachment.js';
export { AttachmentContent } from './attachments/attachment-content.js';
export { base64Lines, encodedSize } from './attachments/base64-lines.js';
export { contentIdFault } from './attachments/content-id-fault.js';
export { contentTypeFault } from './attachments/content-type-fault.js';
export { decodeBase64 } from './attachments/decode-base64.js';
export { deleteUnusedAttachments } from './attachments/delete-unused-attachments.js';
export { warnOfUnreachableObjects } from './attachments/delete-unused-objects.js';
export { filenameFault } from './attachments/filename-fault.js';
export { mediaTypeOf } from './attachments/media-type-of.js';
export { MAX_ATTACHED_BYTES_IN_MEMORY, readAttachment } from './attachments/read-attachment.js';
export { type AuditAction, auditActions } from './audit-log/actions.js';
export { type Actor, operator } from './audit-log/actor.js';
export { type AuditEntry, listAuditEntries } from './audit-log/audit-log-store.js';
export { deleteOldEntries } from './audit-log/delete-old-entries.js';
export { cachedRead } from './cached-read.js';
export type { Config } from './config/config.js';
export { ConfigError } from './config/config-error.js';
export { parseRelayUrl } from './config/parse-relay-url.js';
export { type Env, readEnv } from './config/read-env.js';
export { toConfig } from './config/to-config.js';
export { type Context, closeContext, openContext, openTracedContext } from './context.js';
export { checkWritable } from './database/check-writable.js';
export { connectDatabase, type Db } from './database/connect.js';
export { databaseTime } from './database/database-time.js';
export { deleteInBatches } from './database/delete-in-batches.js';
export { migrateDatabase } from './database/migrations/migrate-database.js';
export { SchemaError } from './database/migrating/schema-error.js';
export { migrations } from './database/migrations/index.js';
export type { Migration } from './database/migrations/migration.js';
export { SESSION_SETTINGS } from './database/session-settings.js';
export { storableText } from './database/storable-text.js';
export type { Writability } from './database/writability.js';
export { type Bounce, listBounces } from './deliverability/bounce-store.js';
export { countEvents } from './deliverability/count-events-store.js';
export { deleteOldStats } from './deliverability/delete-old-stats.js';
export { notifyWorkspaceOwners } from './deliverability/notify-workspace-owners.js';
export { pauseWorkspace, resumeWorkspace } from './deliverability/pause-workspace.js';
export { ratesOf, type SendingCounts } from './deliverability/rates.js';
export { type DeliverabilityReport, reportDeliverability } from './deliverability/report-deliverability.js';
export { type WindowCounts, windowNames } from './deliverability/sending-stats-store.js';
export { warnOrPauseWorkspaces } from './deliverability/warn-or-pause-workspaces.js';
export { claimEmails } from './deliveries/claim-store.js';
export { type ClaimedEmail, type ClaimedRecipient, pendingRecipients } from './deliveries/claimed-email.js';
export { countNeedingNewerWorker } from './deliveries/count-needing-newer-worker-store.js';
export { findEmailsToMark, markDueByIds, markDueEmails } from './deliveries/due-store.js';
export { findHandoffMarkers, writeHandoffMarker } from './deliveries/handoff-marker.js';
export { extendLeases, writeHandoffIntent } from './deliveries/lease-store.js';
export type { Outcome, RecipientResult } from './deliveries/outcome.js';
export { recordOutcomes } from './deliveries/outcome-store.js';
export {
  claimDueEmail,
  claimDueEmails,
  claimExpiredEmail,
  claimExpiredEmails,
  claimLateEmail,
  claimLateEmails,
  findDueEmails,
  findExpiredEmails,
  findLateEmails,
  type LateKind,
  setAside,
} from './deliveries/sweep-claim-store.js';
export { readAttemptActivity, readDestinationActivity, readWorkspaceActivity } from './diagnosis/activity-store.js';
export { checkDkimKeys } from './diagnosis/check-dkim-keys.js';
export { checkPlatformDomain } from './diagnosis/check-platform-domain.js';
export { clockOffsetOfPostgres, clockOffsetOfRedis } from './diagnosis/clock-offset-store.js';
export {
  compareSchema,
  findPartitionEnd,
  type PostgresFacts,
  readPostgresFacts,
} from './diagnosis/postgres-facts-store.js';
export { type RedisFacts, readRedisFacts } from './diagnosis/redis-facts.js';
export { DAY_MS, HOUR_MS } from './durations.js';
export { countWaiting, readBacklog } from './emails/backlog-store.js';
export { cancelEmail } from './emails/cancel-email.js';
export type { AttemptOutcome, DeliveryAttempt, EmailDetail, EmailEvent, EmailSummary } from './emails/email.js';
export { findSmallEmails } from './emails/email-batch-store.js';
export type { EmailFilters } from './emails/email-filters.js';
export { listAttempts, listEvents } from './emails/email-history-store.js';
export { listEmails } from './emails/email-list-store.js';
export { type EmailOrigin, emailLogFields, type LoggedEmail } from './emails/email-log-fields.js';
export { findEmailOrigin } from './emails/email-origin-store.js';
export { searchEmails } from './emails/email-search-store.js';
export {
  assertMove,
  deriveEmailStatus,
  type EmailStatus,
  emailStatuses,
  type RecipientStatus,
} from './emails/email-status.js';
export { findEmail, findEmailSummary, findWorkspaceOfEmail } from './emails/email-store.js';
export { messageIdOf, parseMessageId } from './emails/message-id.js';
export { DEFAULT_PRIORITY, type Priority, priorities } from './emails/priority.js';
export { renderedContent } from './emails/rendered-content.js';
export { type EmailStats, reportStats } from './emails/report-stats.js';
export { rescheduleEmail } from './emails/reschedule-email.js';
export type { StoredMessage } from './emails/stored-message.js';
export { findLargeContent, findStoredMessage } from './emails/stored-message-store.js';
export { encodeJson, isLargeJson } from './encode-json.js';
export {
  defineProblem,
  type FactsArguments,
  type FieldFault,
  faultAt,
  invalid,
  type ProblemEntry,
  ProblemError,
  type RateLimitState,
  Refusal,
  type RefusalCode,
  refusals,
} from './errors.js';
export type { LoggedEvent } from './events/event.js';
export { type EventCursor, formatCursor, parseCursor } from './events/event-cursor.js';
export { eventData } from './events/event-data.js';
export { findLogEnd, type LogPage, type LogQuery, readEventLog } from './events/event-log-store.js';
export { listenForEvents, openEventSignal } from './events/event-signal.js';
export { type EmailEventType, type EventType, eventTypes } from './events/event-types.js';
export { applyReports } from './feedback/apply-reports.js';
export { deleteOldReports } from './feedback/delete-old-reports.js';
export { interpretReport } from './feedback/interpret-report.js';
export type {
  InterpretedReport,
  LeasedReport,
  ReceivedReport,
  RecipientReport,
  ReportKind,
  StoredReport,
} from './feedback/report.js';
export { insertReports, leaseReports, listReports, postponeReports } from './feedback/report-store.js';
export { formatCount, formatCountOf } from './format-count.js';
export { flushEachAlone, grouped, type Rejection } from './grouping.js';
export { type CheckHealth, healthChecker } from './health/check-health.js';
export { type Assess, toReadiness } from './health/readiness.js';
export type { Hit } from './hits/hit.js';
export { recordHits } from './hits/record-hits.js';
export { isId, newId } from './ids.js';
export { isLockTimeout, isUnavailable } from './is-unavailable.js';
export { type ReencryptedSecrets, reencryptSecrets } from './key-rotation/reencrypt-secrets.js';
export { MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from './limits/reputation-limits.js';
export { DEFAULT_WEBHOOK_OVERLAP_SECONDS } from './limits/webhook-limits.js';
export { DEFAULT_PAGE_SIZE, limits, MIN_PASSWORD_CHARACTERS, MIN_SEARCH_CHARACTERS } from './limits.js';
export type { ListPage, Pagination } from './list-page.js';
export { createLog } from './logging/create-log.js';
export { limitedLog } from './logging/limited-log.js';
export type { Log } from './logging/log.js';
export { acceptInvitation } from './members/accept-invitation.js';
export { changeRole } from './members/change-role.js';
export { type InvitationLimiter, openInvitationLimiter } from './members/invitation-limiter.js';
export { inviteMember } from './members/invite-member.js';
export { listMembers } from './members/list-members.js';
export type { Inviter } from './members/mail-invitation.js';
export type { Member } from './members/member.js';
export { memberNotFound } from './members/member-refusals.js';
export { type InvitationDetails, readInvitation } from './members/read-invitation.js';
export { removeMember } from './members/remove-member.js';
export { resendInvitation } from './members/resend-invitation.js';
export { openRegistry } from './metrics/open-registry.js';
export { addReadCounter, addReadGauge } from './metrics/read-at-scrape.js';
export { parseUrl } from './parse-url.js';
export { eraseNextBatch } from './privacy/erase-next-batch.js';
export type { Erasure } from './privacy/erasure.js';
export { countRemainingEmails, listRemainingEmailIds } from './privacy/erasure-emails-store.js';
export { readErasureJournal, repeatErasures } from './privacy/erasure-journal.js';
export { findErasure, listErasures } from './privacy/erasure-store.js';
export { JournalError } from './privacy/journal-error.js';
export { recordExport } from './privacy/record-export.js';
export { requestErasure } from './privacy/request-erasure.js';
export { type MetricsPort, openMetricsPort } from './processes/open-metrics-port.js';
export { createPause } from './processes/pause.js';
export { runProcess } from './processes/run-process.js';
export { type Loop, startLoop, type WakeableLoop } from './processes/start-loop.js';
export { type CanceledWaiting, cancelWaiting } from './queue/cancel-waiting.js';
export { countJobs } from './queue/count-jobs.js';
export { DELIVERY_QUEUE, type DeliveryJob } from './queue/delivery-jobs.js';
export { pauseQueue, resumeQueue } from './queue/pause-queue.js';
export { type PausedQueues, type QueuePause, readPausedQueues, readQueuePauses } from './queue/queue-pause-store.js';
export { countingWindows, secondsUntil } from './rate-limits/counting-windows.js';
export { type FixedWindowLimiter, fixedWindowLimiter } from './rate-limits/fixed-window-limiter.js';
export { formatWindow } from './rate-limits/format-window.js';
export { type CountRequest, openRequestLimiter, type RequestKind } from './rate-limits/request-limiter.js';
export type { UnverifiedMailLimiter } from './rate-limits/unverified-mail-limiter.js';
export type { RedisClient } from './redis/client.js';
export { connectBlockingRedis, connectRedis } from './redis/connect.js';
export { findRedisFault } from './redis/find-redis-fault.js';
export { keysOfIncarnation, QUEUE_PREFIX } from './redis/keys.js';
export { checkReplica } from './replica/check-replica.js';
export { readExport, readList } from './replica/replica.js';
export { registerReplicaMetrics } from './replica/replica-metrics.js';
export { openIncarnation } from './restores/incarnation.js';
export { type PreparedRestore, prepareRestore } from './restores/prepare-restore.js';
export { releaseParked } from './restores/release-parked.js';
export { deleteOldRows } from './retention/delete-old-rows.js';
export { maintainPartitions } from './retention/maintain-partitions.js';
export { idOfSecretKey } from './secrets/sealed-secret.js';
export { sha256Hex } from './secrets/sha256-hex.js';
export { type CheckedDomain, checkDomain } from './sending-domains/checks/check-domain.js';
export { checkDueDomains } from './sending-domains/checks/check-due-domains.js';
export { openDns } from './sending-domains/checks/dns.js';
export { createDomain } from './sending-domains/create-domain.js';
export { deleteDomain } from './sending-domains/delete-domain.js';
export { type CheckedRecord, type DescribedDomain, describeDomains } from './sending-domains/describe-domain.js';
export type { DomainEvent } from './sending-domains/domain/domain-event-store.js';
export { listDomainEvents } from './sending-domains/domain/domain-event-store.js';
export { findAnyDomain, findDomain, listAllDomains, listDomains } from './sending-domains/domain/domain-store.js';
export { nameTaken } from './sending-domains/domain/name-taken.js';
export type { SendingDomain } from './sending-domains/domain/sending-domain.js';
export { preparePlatformKey } from './sending-domains/keys/prepare-platform-key.js';
export { type FindSigningKey, type SigningKey, signingKeyFinder } from './sending-domains/keys/signing-key.js';
export { markDomainVerified } from './sending-domains/mark-domain-verified.js';
export { type PlatformRecord, platformRecords } from './sending-domains/platform-records.js';
export type { DnsRecord } from './sending-domains/records/dns-records.js';
export { splitText } from './sending-domains/records/dns-records.js';
export {
  type MakeReturnPath,
  type ReadReturnPath,
  type ReturnPathEnvelope,
  returnPathMaker,
  returnPathReader,
} from './sending-domains/records/return-path.js';
export { bounceHost, returnPathDomain } from './sending-domains/records/return-path-hosts.js';
export { rotateKey } from './sending-domains/rotate-key.js';
export { servesTrackingHost } from './sending-domains/serves-tracking-host.js';
export { type DomainChanges, updateDomain } from './sending-domains/update-domain.js';
export { readAndWatchIncarnation } from './starting/read-and-watch-incarnation.js';
export { refuseWrongRedis } from './starting/refuse-wrong-redis.js';
export { untilDatabaseReady } from './starting/until-database-ready.js';
export { addSuppression } from './suppressions/add-suppression.js';
export { deleteOldBounces } from './suppressions/delete-old-bounces.js';
export { type FindSuppressed, type Suppressed, suppressedFinder } from './suppressions/find-suppressed.js';
export { type ImportedSuppression, importSuppressions } from './suppressions/import-suppressions.js';
export { removeSuppression } from './suppressions/remove-suppression.js';
export { bouncePolicies, canSuppress, REMEMBERED_DAYS } from './suppressions/suppress-bounces.js';
export {
  type Suppression,
  type SuppressionReason,
  suppressionReasons,
} from './suppressions/suppression.js';
export { findSuppressionById, listSuppressions, type SuppressionFilters } from './suppressions/suppression-store.js';
export { createTemplate } from './templates/create-template.js';
export { deleteTemplate } from './templates/delete-template.js';
export { duplicateTemplate } from './templates/duplicate-template.js';
export { escapeHtml } from './templates/escape-html.js';
export { findTemplateVersion } from './templates/find-template-version.js';
export { forbiddenNames, replacePlaceholders, TemplateSyntaxError } from './templates/parse-template.js';
export { type Preview, previewTemplate, previewTexts } from './templates/preview-template.js';
export { renderContent } from './templates/render-content.js';
export { restoreVersion } from './templates/restore-version.js';
export type { Template, TemplateFields, TemplateInput, TemplateSource } from './templates/template.js';
export { type TemplateCache, templateCache } from './templates/template-cache.js';
export { findTemplate, listTemplates } from './templates/template-store.js';
export type { TemplateVars } from './templates/template-variables.js';
export {
  findVersionRecord,
  listVersions,
  type VersionRecord,
  type VersionSummary,
} from './templates/template-version-store.js';
export { updateTemplate } from './templates/update-template.js';
export { asNotSampled, readTraceparent, traceIdOf } from './tracing/traceparent.js';
export { inSpan, type Span, type SpanAttributes, type Traceable } from './tracing/tracer.js';
export {
  type MakeTrackingToken,
  type ReadTrackingToken,
  type TrackedPart,
  trackingTokenMaker,
  trackingTokenReader,
} from './tracking/tracking-token.js';
export { findUnsubscribes } from './unsubscribe/find-unsubscribes.js';
export { findLinkSender, type LinkSender } from './unsubscribe/link-sender.js';
export { subscribeAgain } from './unsubscribe/subscribe-again.js';
export { unsubscribe } from './unsubscribe/unsubscribe.js';
export { openUnsubscribeLink, type UnsubscribeLink } from './unsubscribe-links/unsubscribe-link.js';
export {
  UNSUBSCRIBE_VARIABLE,
  unsubscribeUrlOf,
  withLink,
  withUnsubscribeUrl,
} from './unsubscribe-links/unsubscribe-url.js';
export { reportUsage, type UsageReport } from './usage/report-usage.js';
export { forgetCountersOfEmails } from './usage/usage-counters.js';
export { createWebhook } from './webhooks/create-webhook.js';
export { deleteWebhook } from './webhooks/delete-webhook.js';
export { listDeliveries, type WebhookDelivery } from './webhooks/delivery-log-store.js';
export { disableWebhook } from './webhooks/disable-webhook.js';
export { fanOutEvents } from './webhooks/fan-out-store.js';
export { leaseWebhooks } from './webhooks/lease-webhooks.js';
export { notifyWebhookOwners } from './webhooks/notify-webhook-owners.js';
export { type Replay, replayEvents } from './webhooks/replay-events.js';
export { webhookRetryInSeconds, webhookRetryPauses } from './webhooks/retry-schedule.js';
export { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.js';
export { sendTestEvent } from './webhooks/send-test-event.js';
export { updateWebhook } from './webhooks/update-webhook.js';
export { readWaitingEvents } from './webhooks/waiting-events-store.js';
export type { LeasedWebhook, Webhook, WebhookSettings } from './webhooks/webhook.js';
export { encodeWebhookBody, webhookBody } from './webhooks/webhook-body.js';
export {
  type DeliveryResult,
  type DeliveryStatus,
  type DueDelivery,
  type DuePlace,
  deliveryStatuses,
  type RecordedResults,
  readDueDeliveries,
  recordDeliveries,
} from './webhooks/webhook-delivery-store.js';
export {
  endWebhookLease,
  extendWebhookLeases,
  type LeaseSlots,
  readWebhookHealth,
  type WebhookHealth,
} from './webhooks/webhook-state-store.js';
export { findWebhook, listWebhooks } from './webhooks/webhook-store.js';
export { EVERY_WORKSPACE } from './workspaces/every-workspace.js';
export { insertMissedThresholds } from './workspaces/insert-missed-thresholds.js';
export { type Allowance, type LimitChange, type LimitOverrides, type PlanId, plans } from './workspaces/plans.js';
export { platformAddress } from './workspaces/platform-address.js';
export { setPlanLimits, setWorkspaceLimits } from './workspaces/set-limits.js';
export { setPlan } from './workspaces/set-plan.js';
export { isTest, type Mode, modeOf, modes, testWorkspaceOf } from './workspaces/test-workspace.js';
export { updateWorkspace } from './workspaces/update-workspace.js';
export type { Workspace } from './workspaces/workspace.js';
export { findWorkspace, listWorkspaces, type WorkspaceChange } from './workspaces/workspace-store.js';
