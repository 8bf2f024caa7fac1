import { type ProblemCode, problems } from '../http-errors.js';
import type { Route } from '../route.js';
import type { Section } from './section.js';

/** When a client meets each refusal and what it does about it; the answer's `detail` has the particulars. */
const meanings: Readonly<Record<ProblemCode, string>> = {
  bad_request: 'The request is not HTTP, its headers are too large (431) or it came too slowly (408).',
  malformed_json: 'The body is not JSON in UTF-8. Correct the request.',
  invalid_idempotency_key: '`Idempotency-Key` is not 1 to 256 printable ASCII characters. Use a UUID.',
  unauthenticated:
    'No credential, or one that is malformed, unknown, revoked or expired; the answer does not tell which.',
  invalid_login: 'Email and password do not match an account.',
  monthly_cap_exceeded: 'The email would pass the sends of the month. Upgrade, or wait until `resets_at`.',
  missing_scope: 'The API key may not do this; `detail` names the scope it lacks.',
  owner_required: 'Only an owner of the workspace may do this.',
  sender_not_verified:
    '`from_` or `domain_id` is not at a verified domain of the workspace. Verify it, or leave both out.',
  csrf_rejected: 'A browser says that another site made the request.',
  signup_closed: 'The operator of this server makes the accounts.',
  not_found: 'Unknown path or id, or an id of another workspace.',
  template_not_found: '`template_id` is not the id of a template of the workspace.',
  domain_not_found: '`domain_id` is not the id of a domain of the workspace.',
  idempotency_key_reused: 'The key was used for another request in the last 24 hours. Use a new key for a new email.',
  idempotency_in_progress: 'The first request with this key is still being worked on. Repeat after `Retry-After`.',
  not_cancelable: 'The email is being sent or has ended; `detail` names its state.',
  conflict: 'The change clashes with what is there; `detail` says with what.',
  body_too_large: 'The body is larger than the server takes.',
  unsupported_media_type: 'The body is not declared as `Content-Type: application/json`.',
  validation_failed: 'Fields break the rules; `errors` lists each with what is wrong and what is allowed.',
  missing_template_variables: 'The template has placeholders without a value; `detail` names all of them.',
  rate_limited: 'Too many requests in a minute. Repeat after `Retry-After`, backing off exponentially.',
  daily_cap_exhausted:
    'The email would pass the sends of the day. Upgrade, or wait until `resets_at`; there is no `Retry-After`.',
  internal: 'A fault on our side, which was recorded. Repeating is safe with an `Idempotency-Key`.',
  unavailable:
    'The service cannot do this just now. Repeat after `Retry-After`; with an `Idempotency-Key`, which sends once even where it was done and the answer got lost.',
};

const codes = (Object.keys(problems) as ProblemCode[]).sort((a, b) => problems[a].status - problems[b].status);

export const errorSection: Section = {
  id: 'errors',
  title: 'Errors',
  blocks: [
    {
      head: ['Code', 'Status', 'When, and what to do'],
      rows: codes.map((code) => ({ id: code, cells: [`\`${code}\``, String(problems[code].status), meanings[code]] })),
    },
  ],
};

const onBody: ProblemCode[] = ['malformed_json', 'body_too_large', 'unsupported_media_type', 'validation_failed'];

const onSend: ProblemCode[] = [
  'invalid_idempotency_key',
  'monthly_cap_exceeded',
  'sender_not_verified',
  'template_not_found',
  'domain_not_found',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'missing_template_variables',
  'rate_limited',
  'daily_cap_exhausted',
];

/** Refusals that follow from how the route is declared; its own rules may add others. */
export function problemsOf({ access, body, isSend, method, ownersOnly, path, query }: Route): ProblemCode[] {
  const found = new Set<ProblemCode>(['internal', 'unavailable']);
  const add = (when: boolean, ...more: ProblemCode[]) => {
    if (when) for (const code of more) found.add(code);
  };
  add(access !== 'public', 'unauthenticated');
  add(access.includes(':'), 'missing_scope');
  add(access === 'owner' || ownersOnly === true, 'owner_required');
  add(method !== 'get', 'csrf_rejected');
  add(path.includes(':'), 'not_found');
  add(body !== undefined, ...onBody);
  add(query !== undefined, 'validation_failed');
  add(isSend === true, ...onSend);
  return codes.filter((code) => found.has(code));
}
