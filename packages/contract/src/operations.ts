import type * as accounts from './accounts.js';
import type * as apiKeys from './api-keys.js';
import type * as auditLog from './audit-log.js';
import type * as deliverability from './deliverability.js';
import type * as domains from './domains.js';
import type * as emailHistory from './email-history.js';
import type * as emails from './emails.js';
import type * as erasures from './erasures.js';
import type * as events from './events.js';
import type * as http from './http.js';
import type * as suppressions from './suppressions.js';
import type * as templates from './templates.js';
import type * as usage from './usage.js';
import type * as webhooks from './webhooks.js';

/**
 * Every operation by its `operationId`, with the JSON of its request and of its successful response. null means that
 * there is no body; a request or response that is a string is not JSON. The OpenAPI document gets its schemas from here.
 */
export type Operations = {
  sendEmail: { request: emails.SendEmailRequest; response: emails.AcceptedEmail };
  sendBatch: { request: emails.SendEmailRequest[]; response: emails.AcceptedBatch };
  checkEmail: { request: emails.SendEmailRequest; response: emails.EmailCheck };
  listEmails: { request: null; response: http.List<emails.EmailSummary> };
  getEmailStats: { request: null; response: emailHistory.EmailStats };
  getEmail: { request: null; response: emails.Email };
  getMessage: { request: null; response: string };
  rescheduleEmail: { request: emails.RescheduleRequest; response: emails.Email };
  cancelEmail: { request: null; response: emails.Email };
  listAttempts: { request: null; response: http.List<emailHistory.Attempt> };
  listReports: { request: null; response: http.List<emailHistory.Report> };
  listEmailEvents: { request: null; response: http.List<emailHistory.EmailEvent> };

  listEvents: { request: null; response: http.List<events.Event> };

  getDeliverability: { request: null; response: deliverability.Deliverability };
  listBounces: { request: null; response: http.List<deliverability.Bounce> };

  createWebhook: { request: webhooks.CreateWebhookRequest; response: webhooks.WebhookWithSecret };
  listWebhooks: { request: null; response: http.List<webhooks.Webhook> };
  getWebhook: { request: null; response: webhooks.Webhook };
  updateWebhook: { request: webhooks.UpdateWebhookRequest; response: webhooks.Webhook };
  deleteWebhook: { request: null; response: http.Deleted<'webhook'> };
  testWebhook: { request: null; response: webhooks.WebhookTest };
  rotateWebhookSecret: { request: webhooks.RotateWebhookSecretRequest; response: webhooks.WebhookWithSecret };
  listWebhookDeliveries: { request: null; response: http.List<webhooks.WebhookDelivery> };
  replayWebhook: { request: webhooks.ReplayWebhookRequest; response: webhooks.WebhookReplay };

  createSuppression: { request: suppressions.CreateSuppressionRequest; response: suppressions.Suppression };
  listSuppressions: { request: null; response: http.List<suppressions.Suppression> };
  getSuppression: { request: null; response: suppressions.Suppression };
  deleteSuppression: { request: null; response: http.Deleted<'suppression'> };
  importSuppressions: { request: string; response: suppressions.SuppressionImport };

  createTemplate: { request: templates.CreateTemplateRequest; response: templates.Template };
  listTemplates: { request: null; response: http.List<templates.Template> };
  getTemplate: { request: null; response: templates.Template };
  updateTemplate: { request: templates.UpdateTemplateRequest; response: templates.Template };
  deleteTemplate: { request: null; response: http.Deleted<'template'> };
  duplicateTemplate: { request: templates.DuplicateTemplateRequest; response: templates.Template };
  previewTemplate: { request: templates.PreviewTemplateRequest; response: templates.TemplatePreview };
  previewTexts: { request: templates.PreviewTextsRequest; response: templates.TextsPreview };
  listTemplateVersions: { request: null; response: http.List<templates.TemplateVersionSummary> };
  getTemplateVersion: { request: null; response: templates.TemplateVersion };
  restoreTemplateVersion: { request: null; response: templates.Template };

  createDomain: { request: domains.CreateDomainRequest; response: domains.Domain };
  listDomains: { request: null; response: http.List<domains.Domain> };
  getDomain: { request: null; response: domains.Domain };
  updateDomain: { request: domains.UpdateDomainRequest; response: domains.Domain };
  verifyDomain: { request: null; response: domains.Domain };
  rotateDomainKey: { request: null; response: domains.Domain };
  deleteDomain: { request: null; response: http.Deleted<'domain'> };

  createApiKey: { request: apiKeys.CreateApiKeyRequest; response: apiKeys.CreatedApiKey };
  listApiKeys: { request: null; response: http.List<apiKeys.ApiKey> };
  revokeApiKey: { request: null; response: apiKeys.RevokedApiKey };

  getWorkspace: { request: null; response: accounts.Workspace };
  resumeWorkspace: { request: accounts.ResumeWorkspaceRequest; response: accounts.Workspace };
  updateWorkspace: { request: accounts.UpdateWorkspaceRequest; response: accounts.Workspace };
  listWorkspaces: { request: null; response: http.List<accounts.OwnWorkspace> };
  switchWorkspace: { request: accounts.SwitchWorkspaceRequest; response: accounts.Session };

  listAuditEntries: { request: null; response: http.List<auditLog.AuditEntry> };

  eraseRecipient: { request: null; response: erasures.Erasure };
  listErasures: { request: null; response: http.List<erasures.Erasure> };
  getErasure: { request: null; response: erasures.ErasureDetail };
  exportWorkspace: { request: null; response: string };

  inviteMember: { request: accounts.InviteMemberRequest; response: accounts.Member };
  listMembers: { request: null; response: http.List<accounts.Member> };
  changeRole: { request: accounts.ChangeRoleRequest; response: accounts.Member };
  resendInvitation: { request: null; response: accounts.Member };
  removeMember: { request: null; response: http.Deleted<'member'> };
  readInvitation: { request: accounts.ReadInvitationRequest; response: accounts.Invitation };
  acceptInvitation: { request: accounts.AcceptInvitationRequest; response: accounts.Session };

  signUp: { request: accounts.SignUpRequest; response: accounts.Session };
  logIn: { request: accounts.LogInRequest; response: accounts.Session };
  logOut: { request: null; response: null };
  getSession: { request: null; response: accounts.Session };
  forgotPassword: { request: accounts.ForgotPasswordRequest; response: accounts.Message };
  resetPassword: { request: accounts.ResetPasswordRequest; response: accounts.PasswordReset };
  verifyEmail: { request: accounts.VerifyEmailRequest; response: accounts.Message };
  rejectSignUp: { request: accounts.RejectSignUpRequest; response: accounts.Message };
  resendVerification: { request: null; response: accounts.Message };
  changePassword: { request: accounts.ChangePasswordRequest; response: accounts.Message };
  listSessions: { request: null; response: http.List<accounts.AccountSession> };
  endSessions: { request: null; response: null };

  getUsage: { request: null; response: usage.Usage };

  getUnsubscribePage: { request: null; response: string };
  unsubscribe: { request: null; response: string };
  postFeedback: { request: null; response: string };

  getLiveness: { request: null; response: http.Liveness };
  getReadiness: { request: null; response: http.Readiness };
  getMetrics: { request: null; response: string };
  getDashboardPage: { request: null; response: string };
  getDocs: { request: null; response: string };
  getDocsArticle: { request: null; response: string };
  getDocsPage: { request: null; response: string };
  getDocsSearch: { request: null; response: http.DocsSearchEntry[] };
  getDocsScript: { request: null; response: string };
  getDocsStyle: { request: null; response: string };
  getOpenApi: { request: null; response: Record<string, unknown> };
};

export type OperationId = keyof Operations;
