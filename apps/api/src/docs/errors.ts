import { type ProblemCode, problems } from '../http/http-errors.js';
import { listScopes } from '../routing/access.js';
import type { Route } from '../routing/route.js';
import type { Section } from './section.js';

/** When a client gets each code, and what to do about it. The `detail` of the response has the specifics. */
export const meanings: Readonly<Record<ProblemCode, string>> = {
  bad_request: 'The request is not valid HTTP, its headers are too large (431), or it arrived too slowly (408).',
  malformed_json: 'The body is not valid JSON in UTF-8. Fix the body.',
  invalid_idempotency_key: '`Idempotency-Key` must be 1 to 256 printable ASCII characters. A UUID works well.',
  unauthenticated:
    'The credential is missing, malformed, unknown, revoked or expired. The response does not say which. An endpoint that needs a session also returns this error for an API key.',
  invalid_login: 'No account matches this email and password.',
  monthly_cap_exceeded: 'The email would exceed the monthly cap. Upgrade, or wait until `resets_at`.',
  missing_scope:
    'The API key lacks the [scope](#scopes) that `detail` names. Create a key that has it. Any key also gets this error when it asks for the message of a live email, which only a session can read. So does a test key that reads or changes suppressions.',
  network_not_allowed:
    'The API key is restricted to certain networks, and the request comes from another one. `detail` names the address. Use the key from one of its networks, or use another key.',
  owner_required: 'Only an owner of the workspace can do this.',
  sender_not_verified:
    '`from_` is not at a verified domain of the workspace, or the domain in `domain_id` is not verified. Verify the domain, or omit both fields.',
  domain_not_allowed:
    'The API key is restricted to certain sending domains, and the email would be sent from another one. Set `from_` to an address at one of them, or use another key.',
  account_not_verified:
    'The account was created by sign-up, and its email address is not confirmed yet. Until it is, the workspace can send to that address only, and the account cannot invite anyone.',
  workspace_paused:
    'Sending is [paused](#deliverability) for the workspace, because too many of its emails bounced or were marked as spam, or because the operator paused it. `detail` says why. Fix the cause, then ask the operator to resume the workspace. Test mail is still accepted.',
  csrf_rejected: 'The browser reports that another site made the request. Programs should use an API key.',
  signup_closed: 'Sign-up is closed on this server. Ask its operator for an account.',
  not_found:
    'The path or id does not exist, or the id belongs to another workspace. A `GET` outside the paths of the API whose `Accept` header includes `text/html` gets a 404 page in HTML instead, because it probably comes from someone who mistyped the address of a dashboard page.',
  method_not_allowed: 'The path does not support this method. The `Allow` header lists the methods that it supports.',
  template_not_found: '`template_id` does not match a template of the workspace.',
  domain_not_found: '`domain_id` does not match a domain of the workspace.',
  idempotency_key_reused:
    'The key was used for a different request in the last 24 hours. Use a new key for a new email.',
  idempotency_in_progress:
    'The first request with this key is still in progress. Wait for `Retry-After` seconds, then retry.',
  not_cancelable:
    'The email is being sent, has a final status, or may already be with a mail server because the result of an attempt is unknown. `detail` says which.',
  conflict: 'The request conflicts with existing data. `detail` explains the conflict.',
  body_too_slow:
    'A large body arrived too slowly. The amount received must grow by at least a tenth every three seconds. `detail` says how much of the body had arrived. Retry over a faster connection.',
  body_too_large: 'The body exceeds the limit that `detail` names. Send less in one request.',
  unsupported_media_type:
    'The body is not declared as JSON in UTF-8. Send `Content-Type: application/json`, or `text/csv` to import a file.',
  validation_failed: 'Some fields are invalid. `errors` lists each one, with what is wrong and what is allowed.',
  missing_template_variables:
    'Some placeholders of the template have no value. `detail` names all of them, and `errors` lists them.',
  rate_limited: 'Too many requests. Wait for `Retry-After` seconds, then retry.',
  daily_cap_exhausted:
    'The email would exceed the daily cap. Upgrade, or wait until `resets_at`. There is no `Retry-After`.',
  internal: 'Something went wrong on our side and was logged. Retrying is safe with an `Idempotency-Key`.',
  unavailable:
    'The service is temporarily unavailable. Wait for `Retry-After` seconds, then retry with the same `Idempotency-Key`. The email is sent only once, even if the first request succeeded and its response was lost.',
};

const codes = (Object.keys(problems) as ProblemCode[]).sort((a, b) => problems[a].status - problems[b].status);

export const errorSection: Section = {
  id: 'errors',
  title: 'Errors',
  blocks: [
    {
      head: ['Code', 'Status', 'Meaning, and what to do'],
      rows: codes.map((code) => ({ id: code, cells: [`\`${code}\``, String(problems[code].status), meanings[code]] })),
    },
  ],
};

/** A route that takes no body still reads one before refusing it. Only GET refuses it unread. */
const bodyProblems: ProblemCode[] = ['malformed_json', 'body_too_slow', 'body_too_large', 'unsupported_media_type'];

const sendProblems: ProblemCode[] = [
  'invalid_idempotency_key',
  'monthly_cap_exceeded',
  'sender_not_verified',
  'domain_not_allowed',
  'account_not_verified',
  'workspace_paused',
  'template_not_found',
  'domain_not_found',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'missing_template_variables',
  'daily_cap_exhausted',
];

/** The problems that follow from a route's declaration, and those that its own rules add. */
export function problemsOf(route: Route): ProblemCode[] {
  const { access, isSend, method, ownersOnly, rateLimit } = route;
  // The dispatcher returns 404 for a very long URL on any path.
  const found = new Set<ProblemCode>(['bad_request', 'not_found', 'validation_failed', 'internal', 'unavailable']);
  for (const code of route.problems ?? []) found.add(code);
  const add = (when: boolean, ...more: ProblemCode[]) => {
    if (when) for (const code of more) found.add(code);
  };
  add(access !== 'public', 'unauthenticated', 'network_not_allowed');
  add(listScopes(access) !== null, 'missing_scope');
  add(access === 'owner' || ownersOnly === true, 'owner_required');
  add(method !== 'get', 'csrf_rejected', ...bodyProblems);
  add(rateLimit !== 'none', 'rate_limited');
  add(isSend === true, ...sendProblems);
  return codes.filter((code) => found.has(code));
}
