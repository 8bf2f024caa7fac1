/** A request to the API, as a code sample sends it. */
export type SampleRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query string. */
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
