import type { Mode } from './mode.js';

/** What a key may do in addition to listing emails and templates. */
export type Scope = 'emails:send' | 'emails:read' | 'templates:write' | 'domains:write' | 'webhooks:write';

/** The default mode is live. */
export type CreateApiKeyRequest = { name: string; scopes: Scope[]; mode?: Mode; expires_at?: string | null };

export type ApiKey = {
  object: 'api_key';
  id: string;
  name: string;
  /** Emails sent with a key for test mode are built but never sent. */
  mode: Mode;
  /** The last four characters of the key. */
  hint: string;
  scopes: Scope[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
};

/** `key` is shown only once, in this response. */
export type CreatedApiKey = ApiKey & { key: string };

export type RevokedApiKey = { object: 'api_key'; id: string; revoked: true };
