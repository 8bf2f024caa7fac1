export { failpoint } from '#failpoint';
export { readAccountEmail } from './accounts/account-email.js';
export { type AuthenticateSession, sessionAuthenticator } from './accounts/authenticate-session.js';
export {
  type Caller,
  mayUse,
  type Role,
  type Scope,
  type SessionCaller,
  scopes,
  type Workspace,
} from './accounts/caller.js';
export { changePassword } from './accounts/change-password.js';
export { createWorkspace } from './accounts/create-workspace.js';
export { forgotPassword } from './accounts/forgot-password.js';
export { logIn } from './accounts/log-in.js';
export { logOut, logOutEverywhere } from './accounts/log-out.js';
export { type LoginThrottle, openLoginThrottle } from './accounts/login-throttle.js';
export { listWorkspacesOf, type OwnWorkspace } from './accounts/membership-store.js';
export { resetPassword } from './accounts/reset-password.js';
export { sessionLife } from './accounts/session-life.js';
export { type ListedSession, listSessions } from './accounts/session-list-store.js';
export { setPlanLimits, setWorkspaceLimits } from './accounts/set-limits.js';
export { setPlan } from './accounts/set-plan.js';
export { signUp } from './accounts/sign-up.js';
export { switchWorkspace } from './accounts/switch-workspace.js';
export { sendSystemMail } from './accounts/system-mail.js';
export { findWorkspace, listWorkspaces, updateWorkspaceName } from './accounts/workspace-store.js';
export { type AuthenticateKey, keyAuthenticator } from './api-keys/authenticate-key.js';
export { createKey } from './api-keys/create-key.js';
export { type ApiKey, findKeyOwner, listKeys, revokeKey } from './api-keys/store.js';
export { type Config, ConfigError, readEnv, toConfig } from './config.js';
export { type Context, closeContext, openContext } from './context.js';
export { holdsControl } from './control-characters.js';
export { connectDatabase, type Db } from './database/connect.js';
export { migrateDatabase } from './database/migrate.js';
export { claimDueEmails, claimEmails, claimExpiredEmails } from './deliveries/claim-store.js';
export { type ClaimedEmail, type ClaimedRecipient, pendingRecipients } from './deliveries/claimed-email.js';
export { findHandovers, noteHandover } from './deliveries/handover-note.js';
export { extendLeases } from './deliveries/lease-store.js';
export type { AttemptOutcome, Fate, Outcome } from './deliveries/outcome.js';
export { recordOutcomes } from './deliveries/outcome-store.js';
export { acceptEmail, chargeRate } from './emails/accept-email.js';
export { type Acceptance, openAcceptance } from './emails/acceptance.js';
export { type Address, AddressError, formatAddress, hostOf, parseAddress } from './emails/address.js';
export { countWaiting, readBacklog } from './emails/backlog.js';
export { cancelEmail } from './emails/cancel-email.js';
export { headerFault } from './emails/custom-headers.js';
export { dedupeRecipients } from './emails/dedupe-recipients.js';
export { findEmail, findWorkspaceOfEmail } from './emails/detail-store.js';
export type { NewEmail, RequestedContent, SendRequest, TemplateVars } from './emails/email.js';
export type { EmailDetail, EmailSummary } from './emails/email-record.js';
export { claimOf } from './emails/idempotency.js';
export { deleteExpiredKeys } from './emails/idempotency-store.js';
export { type EmailFilters, listEmails } from './emails/list-store.js';
export { messageIdOf } from './emails/message-id.js';
export { renderedContent } from './emails/rendered-content.js';
export { type EmailStats, reportStats } from './emails/report-stats.js';
export { rescheduleEmail } from './emails/reschedule-email.js';
export { platformAddress } from './emails/sender.js';
export {
  assertMove,
  deriveEmailStatus,
  type EmailStatus,
  emailStatuses,
  type RecipientStatus,
} from './emails/state.js';
export { type FieldFault, invalid, Refusal, type RefusalCode, refusals } from './errors.js';
export { flushEachAlone, grouped, type Rejection } from './grouping.js';
export { isId, newId } from './ids.js';
export { limitedLog } from './limited-log.js';
export { DEFAULT_PAGE, limits, MIN_PASSWORD } from './limits.js';
export type { Log } from './log.js';
export { createLog } from './logging.js';
export { acceptInvitation } from './members/accept-invitation.js';
export { changeRole } from './members/change-role.js';
export { type InvitationThrottle, openInvitationThrottle } from './members/invitation-throttle.js';
export { inviteMember } from './members/invite-member.js';
export type { Inviting } from './members/inviting.js';
export { listMembers } from './members/list-members.js';
export type { Member } from './members/member.js';
export { readInvitation, type ShownInvitation } from './members/read-invitation.js';
export { memberNotFound } from './members/refusals.js';
export { removeMember } from './members/remove-member.js';
export { resendInvitation } from './members/resend-invitation.js';
export type { Page, Paging } from './paging.js';
export { migrateWhenReachable, runProcess } from './process.js';
export { DELIVERIES, type DeliveryJob } from './queue/bell.js';
export { countJobs } from './queue/job-counts.js';
export { connectBlockingRedis, connectRedis } from './redis/connect.js';
export { type RedisHealth, readRedisHealth } from './redis/health.js';
export { QUEUE_PREFIX } from './redis/keys.js';
export { type CheckedDomain, checkDomain } from './sending-domains/check-domain.js';
export { checkDueDomains } from './sending-domains/check-due-domains.js';
export { createDomain } from './sending-domains/create-domain.js';
export { deleteDomain } from './sending-domains/delete-domain.js';
export { type CheckedRecord, type DescribedDomain, describeDomains } from './sending-domains/describe-domain.js';
export { markDomainVerified } from './sending-domains/mark-domain-verified.js';
export { nameTaken } from './sending-domains/name-taken.js';
export { type PlatformRecord, platformRecords } from './sending-domains/platform-records.js';
export { preparePlatformKey } from './sending-domains/prepare-platform-key.js';
export type { DnsRecord } from './sending-domains/records.js';
export { type MakeReturnPath, returnPathMaker } from './sending-domains/return-path.js';
export { returnPathDomain } from './sending-domains/return-path-domain.js';
export { rotateKey } from './sending-domains/rotate-key.js';
export type { SendingDomain } from './sending-domains/sending-domain.js';
export { type FindSigningKey, type SigningKey, signingKeyFinder } from './sending-domains/signing-key.js';
export { splitText } from './sending-domains/split-text.js';
export { type DomainEvent, listDomainEvents } from './sending-domains/standing-store.js';
export { findAnyDomain, findDomain, listAllDomains, listDomains } from './sending-domains/store.js';
export { sha256Hex } from './sha256-hex.js';
export { createTemplate } from './templates/create-template.js';
export { escapeHtml } from './templates/escape-html.js';
export { findTemplateVersion } from './templates/find-template-version.js';
export { findVersionRecord, listVersions, type VersionRecord, type VersionSummary } from './templates/history-store.js';
export { forbiddenNames } from './templates/parse-template.js';
export { type Preview, previewTemplate } from './templates/preview-template.js';
export { renderContent } from './templates/render-content.js';
export { deleteTemplate, findTemplate, listTemplates } from './templates/store.js';
export type { Template, TemplateFields, TemplateSource } from './templates/template.js';
export { type TemplateCache, templateCache } from './templates/template-cache.js';
export { updateTemplate } from './templates/update-template.js';
export { isUnavailable } from './unavailable.js';
export type { Claim } from './usage/claim.js';
export { type LocalLimiter, localLimiter } from './usage/local-limiter.js';
export { type Allowance, type LimitChange, type LimitOverrides, type PlanId, plans } from './usage/plans.js';
export type { Rate } from './usage/rate.js';
export { reportUsage, type UsageReport } from './usage/report.js';
