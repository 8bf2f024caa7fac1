/** A request to the API, as a code sample sends it. */
export type SampleRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly credential: SampleCredential;
  /** Headers other than the credential and the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, but a string as CSV. */
  readonly body?: unknown;
  /** What a successful response contains. Errors are always JSON. */
  readonly response: 'json' | 'text' | 'nothing';
};

/** `key` and `session` are read from the environment, so that a sample can be saved without its secret. */
export type SampleCredential = 'key' | 'session' | 'none' | { readonly key: string };

/** The environment variables that samples read. POSTHORN_COOKIE is the cookie of a session, as name=value. */
export const KEY_VARIABLE = 'POSTHORN_API_KEY';
export const COOKIE_VARIABLE = 'POSTHORN_COOKIE';

/** A header whose value is `text`, followed by the value of an environment variable if there is one. */
export type SampleHeader = { readonly name: string; readonly text: string; readonly variable?: string };

/** All headers of a request, in the order in which samples set them. */
export function listHeaders({ credential, headers = {}, body }: SampleRequest): SampleHeader[] {
  return [
    ...listCredentialHeaders(credential),
    ...(body === undefined
      ? []
      : [{ name: 'Content-Type', text: typeof body === 'string' ? 'text/csv' : 'application/json' }]),
    ...Object.entries(headers).map(([name, text]) => ({ name, text })),
  ];
}

function listCredentialHeaders(credential: SampleRequest['credential']): SampleHeader[] {
  if (credential === 'none') return [];
  if (credential === 'session') return [{ name: 'Cookie', text: '', variable: COOKIE_VARIABLE }];
  if (credential === 'key') return [{ name: 'Authorization', text: 'Bearer ', variable: KEY_VARIABLE }];
  return [{ name: 'Authorization', text: `Bearer ${credential.key}` }];
}
