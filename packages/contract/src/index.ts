export type {
  AccountSession,
  ChangePasswordRequest,
  ForgotPasswordRequest,
  LogInRequest,
  Message,
  OwnWorkspace,
  PasswordReset,
  RejectSignUpRequest,
  ResetPasswordRequest,
  Role,
  Session,
  SignUpRequest,
  SwitchWorkspaceRequest,
  UpdateWorkspaceRequest,
  VerifyEmailRequest,
  Workspace,
  WorkspacePause,
} from './accounts.js';
export type { ApiKey, CreateApiKeyRequest, CreatedApiKey, Scope } from './api-keys.js';
export type { AuditAction, AuditChange, AuditEntry } from './audit-log.js';
export { dashboardPages } from './dashboard-pages.js';
export type { Bounce, Deliverability, SendingWindow } from './deliverability.js';
export type { DocsSearchEntry } from './docs.js';
export type { CreateDomainRequest, Domain, DomainRecord, UpdateDomainRequest } from './domains.js';
export type {
  Attachment,
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  BounceClass,
  Email,
  EmailEvent,
  EmailEventType,
  EmailStats,
  EmailStatus,
  EmailSummary,
  RecipientState,
  Report,
} from './emails.js';
export type { Event, EventType } from './events.js';
export type { Deleted, List } from './lists.js';
export type {
  AcceptInvitationRequest,
  ChangeRoleRequest,
  Invitation,
  InviteMemberRequest,
  Member,
  ReadInvitationRequest,
} from './members.js';
export type { Mode } from './mode.js';
export type { OperationId, Operations } from './operations.js';
export type { Erasure, ErasureDetail } from './privacy.js';
export type { FieldFault, Problem } from './problem.js';
export {
  type AcceptedBatch,
  type AcceptedEmail,
  type AuthenticationResult,
  type CheckedRecipient,
  type EmailCheck,
  type Priority,
  type SendAttachment,
  type SendEmailRequest,
  type SenderReason,
  sendLimits,
  type Tag,
  type Warning,
  type WarningCode,
} from './sending.js';
export {
  type CreateSuppressionRequest,
  type Suppression,
  type SuppressionImport,
  type SuppressionReason,
  suppressionLimits,
} from './suppressions.js';
export type {
  CreateTemplateRequest,
  DeclaredVariable,
  DuplicateTemplateRequest,
  PreviewTemplateRequest,
  PreviewTextsRequest,
  Template,
  TemplatePreview,
  TemplateTexts,
  TemplateVariable,
  TemplateVersion,
  TemplateVersionSummary,
  TextsPreview,
  UpdateTemplateRequest,
} from './templates.js';
export type { Cap, Usage } from './usage.js';
export {
  type CreateWebhookRequest,
  type ReplayWebhookRequest,
  type RotateWebhookSecretRequest,
  replayLimits,
  type UpdateWebhookRequest,
  type Webhook,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookReplay,
  type WebhookTest,
  type WebhookWithSecret,
} from './webhooks.js';
