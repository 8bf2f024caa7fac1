import type {
  AcceptInvitationRequest,
  AccountSession,
  ApiKey,
  ChangePasswordRequest,
  ChangeRoleRequest,
  CreateApiKeyRequest,
  CreatedApiKey,
  ForgotPasswordRequest,
  Invitation,
  InviteMemberRequest,
  LogInRequest,
  Member,
  Message,
  OwnWorkspace,
  PasswordReset,
  ReadInvitationRequest,
  RejectSignUpRequest,
  ResetPasswordRequest,
  RevokedApiKey,
  Session,
  SignUpRequest,
  SwitchWorkspaceRequest,
  UpdateWorkspaceRequest,
  Usage,
  VerifyEmailRequest,
  Workspace,
} from './accounts.js';
import type { AuditEntry } from './audit-log.js';
import type { Bounce, Deliverability } from './deliverability.js';
import type { CreateDomainRequest, Domain, UpdateDomainRequest } from './domains.js';
import type { Attempt, EmailEvent, EmailStats, Report } from './email-history.js';
import type {
  AcceptedBatch,
  AcceptedEmail,
  Email,
  EmailCheck,
  EmailSummary,
  RescheduleRequest,
  SendEmailRequest,
} from './emails.js';
import type {
  CreateWebhookRequest,
  Event,
  ReplayWebhookRequest,
  RotateWebhookSecretRequest,
  UpdateWebhookRequest,
  Webhook,
  WebhookDelivery,
  WebhookReplay,
  WebhookTest,
  WebhookWithSecret,
} from './events.js';
import type { Deleted, DocsSearchEntry, List, Liveness, Readiness } from './http.js';
import type {
  CreateSuppressionRequest,
  Erasure,
  ErasureDetail,
  Suppression,
  SuppressionImport,
} from './suppressions.js';
import type {
  CreateTemplateRequest,
  DuplicateTemplateRequest,
  PreviewTemplateRequest,
  PreviewTextsRequest,
  Template,
  TemplatePreview,
  TemplateVersion,
  TemplateVersionSummary,
  TextsPreview,
  UpdateTemplateRequest,
} from './templates.js';

/**
 * Every operation by its `operationId`, with the JSON of its request and of its successful response. null means that
 * there is no body; a request or response that is a string is not JSON. The OpenAPI document gets its schemas from here.
 */
export type Operations = {
  sendEmail: { request: SendEmailRequest; response: AcceptedEmail };
  sendBatch: { request: SendEmailRequest[]; response: AcceptedBatch };
  checkEmail: { request: SendEmailRequest; response: EmailCheck };
  listEmails: { request: null; response: List<EmailSummary> };
  getEmailStats: { request: null; response: EmailStats };
  getEmail: { request: null; response: Email };
  getMessage: { request: null; response: string };
  rescheduleEmail: { request: RescheduleRequest; response: Email };
  cancelEmail: { request: null; response: Email };
  listAttempts: { request: null; response: List<Attempt> };
  listReports: { request: null; response: List<Report> };
  listEmailEvents: { request: null; response: List<EmailEvent> };

  listEvents: { request: null; response: List<Event> };

  getDeliverability: { request: null; response: Deliverability };
  listBounces: { request: null; response: List<Bounce> };

  createWebhook: { request: CreateWebhookRequest; response: WebhookWithSecret };
  listWebhooks: { request: null; response: List<Webhook> };
  getWebhook: { request: null; response: Webhook };
  updateWebhook: { request: UpdateWebhookRequest; response: Webhook };
  deleteWebhook: { request: null; response: Deleted<'webhook'> };
  testWebhook: { request: null; response: WebhookTest };
  rotateWebhookSecret: { request: RotateWebhookSecretRequest; response: WebhookWithSecret };
  listWebhookDeliveries: { request: null; response: List<WebhookDelivery> };
  replayWebhook: { request: ReplayWebhookRequest; response: WebhookReplay };

  createSuppression: { request: CreateSuppressionRequest; response: Suppression };
  listSuppressions: { request: null; response: List<Suppression> };
  getSuppression: { request: null; response: Suppression };
  deleteSuppression: { request: null; response: Deleted<'suppression'> };
  importSuppressions: { request: string; response: SuppressionImport };

  createTemplate: { request: CreateTemplateRequest; response: Template };
  listTemplates: { request: null; response: List<Template> };
  getTemplate: { request: null; response: Template };
  updateTemplate: { request: UpdateTemplateRequest; response: Template };
  deleteTemplate: { request: null; response: Deleted<'template'> };
  duplicateTemplate: { request: DuplicateTemplateRequest; response: Template };
  previewTemplate: { request: PreviewTemplateRequest; response: TemplatePreview };
  previewTexts: { request: PreviewTextsRequest; response: TextsPreview };
  listTemplateVersions: { request: null; response: List<TemplateVersionSummary> };
  getTemplateVersion: { request: null; response: TemplateVersion };
  restoreTemplateVersion: { request: null; response: Template };

  createDomain: { request: CreateDomainRequest; response: Domain };
  listDomains: { request: null; response: List<Domain> };
  getDomain: { request: null; response: Domain };
  updateDomain: { request: UpdateDomainRequest; response: Domain };
  verifyDomain: { request: null; response: Domain };
  rotateDomainKey: { request: null; response: Domain };
  deleteDomain: { request: null; response: Deleted<'domain'> };

  createApiKey: { request: CreateApiKeyRequest; response: CreatedApiKey };
  listApiKeys: { request: null; response: List<ApiKey> };
  revokeApiKey: { request: null; response: RevokedApiKey };

  getWorkspace: { request: null; response: Workspace };
  updateWorkspace: { request: UpdateWorkspaceRequest; response: Workspace };
  listWorkspaces: { request: null; response: List<OwnWorkspace> };
  switchWorkspace: { request: SwitchWorkspaceRequest; response: Session };

  listAuditEntries: { request: null; response: List<AuditEntry> };

  eraseRecipient: { request: null; response: Erasure };
  listErasures: { request: null; response: List<Erasure> };
  getErasure: { request: null; response: ErasureDetail };
  exportWorkspace: { request: null; response: string };

  inviteMember: { request: InviteMemberRequest; response: Member };
  listMembers: { request: null; response: List<Member> };
  changeRole: { request: ChangeRoleRequest; response: Member };
  resendInvitation: { request: null; response: Member };
  removeMember: { request: null; response: Deleted<'member'> };
  readInvitation: { request: ReadInvitationRequest; response: Invitation };
  acceptInvitation: { request: AcceptInvitationRequest; response: Session };

  signUp: { request: SignUpRequest; response: Session };
  logIn: { request: LogInRequest; response: Session };
  logOut: { request: null; response: null };
  getSession: { request: null; response: Session };
  forgotPassword: { request: ForgotPasswordRequest; response: Message };
  resetPassword: { request: ResetPasswordRequest; response: PasswordReset };
  verifyEmail: { request: VerifyEmailRequest; response: Message };
  rejectSignUp: { request: RejectSignUpRequest; response: Message };
  resendVerification: { request: null; response: Message };
  changePassword: { request: ChangePasswordRequest; response: Message };
  listSessions: { request: null; response: List<AccountSession> };
  endSessions: { request: null; response: null };

  getUsage: { request: null; response: Usage };

  getUnsubscribePage: { request: null; response: string };
  unsubscribe: { request: null; response: string };

  getLiveness: { request: null; response: Liveness };
  getReadiness: { request: null; response: Readiness };
  getMetrics: { request: null; response: string };
  getDashboardPage: { request: null; response: string };
  getDocs: { request: null; response: string };
  getDocsArticle: { request: null; response: string };
  getDocsPage: { request: null; response: string };
  getDocsSearch: { request: null; response: DocsSearchEntry[] };
  getDocsScript: { request: null; response: string };
  getDocsStyle: { request: null; response: string };
  getOpenApi: { request: null; response: Record<string, unknown> };
};

export type OperationId = keyof Operations;
