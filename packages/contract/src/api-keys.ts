import type { Mode } from './emails.js';

/** Permissions that an API key can have. A session has all of them. */
export const scopes = ['emails:send', 'templates:write', 'emails:read', 'domains:write', 'webhooks:write'] as const;

/** What a key may do in addition to listing emails and templates. */
export type Scope = (typeof scopes)[number];

export type CreateApiKeyRequest = {
  /** A human-readable label, such as the name of the program that uses the key. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** A `test` key sends nothing. The default is live. */
  mode?: Mode;
  /** Ids of sending domains. The key sends only from these, and reaches nothing else. null, the default, for all. */
  domain_ids?: string[] | null;
  /** IP addresses, or networks in CIDR notation. The key works only from these. null, the default, for anywhere. */
  networks?: string[] | null;
  /** RFC 3339 with a UTC offset. null, the default, for a key that does not expire. */
  expires_at?: string | null;
};

export type ApiKey = {
  object: 'api_key';
  id: string;
  name: string;
  /** Emails created with a test key are built but never sent. */
  mode: Mode;
  /** The last four characters of the key. */
  hint: string;
  scopes: Scope[];
  /** The only sending domains that the key can send from; null if it can use any sender. */
  domain_ids: string[] | null;
  /** The only networks that the key works from, in CIDR notation; null if it works from anywhere. */
  networks: string[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Accurate to about a minute. */
  last_used_at: string | null;
};

/** `key` is shown only once, in this response. */
export type CreatedApiKey = ApiKey & { key: string };

export type RevokedApiKey = { object: 'api_key'; id: string; revoked: true };
