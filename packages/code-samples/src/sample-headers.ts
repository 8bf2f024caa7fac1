import { COOKIE_VARIABLE, KEY_VARIABLE, type SampleRequest } from './sample-request.js';

/** A header whose value is `text`, followed by the value of an environment variable if there is one. */
export type SampleHeader = { readonly name: string; readonly text: string; readonly variable?: string };

/** All headers of a request, in the order in which samples set them. */
export function sampleHeaders({ credential, headers = {}, body }: SampleRequest): SampleHeader[] {
  return [
    ...credentialHeaders(credential),
    ...(body === undefined
      ? []
      : [{ name: 'Content-Type', text: typeof body === 'string' ? 'text/csv' : 'application/json' }]),
    ...Object.entries(headers).map(([name, text]) => ({ name, text })),
  ];
}

function credentialHeaders(credential: SampleRequest['credential']): SampleHeader[] {
  if (credential === 'none') return [];
  if (credential === 'session') return [{ name: 'Cookie', text: '', variable: COOKIE_VARIABLE }];
  if (credential === 'key') return [{ name: 'Authorization', text: 'Bearer ', variable: KEY_VARIABLE }];
  return [{ name: 'Authorization', text: `Bearer ${credential.key}` }];
}
