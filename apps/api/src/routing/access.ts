/**
 * Who may do what. Every route declares one `Access`, and no other file says which scopes a key needs or which fields
 * it may read. docs/api/endpoints.md shows both as a table.
 */
import type { Scope } from '@posthorn/contract';
import { type Caller, mayUse } from '@posthorn/domain/accounts';

/**
 * Who can call a route. There is no default, so every route has to declare it.
 * - public: anyone
 * - any: every valid key and every session
 * - session: only sessions
 * - owner: only sessions of owners
 * - scopes: keys that have at least one of them, and sessions
 */
export type Access = 'public' | 'any' | 'session' | 'owner' | readonly Scope[];

export const keysThat = {
  sendEmails: ['emails:send'],
  readEmails: ['emails:send', 'emails:read'],
  readContent: ['emails:read'],
  readEvents: ['emails:read'],
  readDeliverability: ['emails:read'],
  writeTemplates: ['templates:write'],
  manageDomains: ['domains:write'],
  manageWebhooks: ['webhooks:write'],
  readSuppressions: ['emails:read'],
  changeSuppressions: ['emails:send'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

/**
 * The content of an email. It can contain one-time codes and password reset links, so a leaked key that may only send
 * must not be able to read it.
 */
export const contentOfEmails = { scope: 'emails:read', fields: ['subject', 'html', 'text', 'template_vars'] } as const;

export function mayReadContent(caller: Caller): boolean {
  return mayUse(caller, contentOfEmails.scope);
}

/** An email as this caller may see it. If the caller may not read the content, the content fields are null. */
export function hideUnreadable<Email extends object>(caller: Caller, email: Email): Email {
  if (mayReadContent(caller)) return email;
  const hidden = contentOfEmails.fields.filter((field) => field in email).map((field) => [field, null]);
  return { ...email, ...Object.fromEntries(hidden) };
}

/** The scopes that let a key call a route; null if scopes make no difference. */
export function listScopes(access: Access): readonly Scope[] | null {
  return typeof access === 'string' ? null : access;
}
