import type { SendRequest } from '@posthorn/domain/accepting';
import { type Priority, priorities } from '@posthorn/domain/emails';
import { parseAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { TemplateVars } from '@posthorn/domain/templates';
import { hasControlCharacters } from '@posthorn/platform/values';
import { isTemplateVars } from '../templates/variables.js';
import { fitsInBytes } from '../validation/fields.js';
import { toSendRequest } from './request.js';
import { isUnsubscribe, type Unsubscribe } from './unsubscribe.js';

type SimpleBody = {
  to: string[];
  from_?: string;
  subject?: string;
  html?: string;
  text?: string;
  template_id?: string;
  template_vars?: TemplateVars;
  priority?: Priority;
  unsubscribe?: Unsubscribe;
};

/**
 * Reads the most common bodies without joi, because joi takes longer than everything else that the API does for a
 * request. These bodies have recipients only in `to`, and either raw content or a template. This never refuses a body:
 * `sendBody` knows all the rules and decides on every body that is not clearly valid.
 * @param body the parsed JSON
 * @returns the same value as `sendBody`, or null if `sendBody` has to decide
 */
export function readSimpleSend(body: unknown): SendRequest | null {
  if (!isSimple(body)) return null;
  try {
    return toSendRequest({
      to: body.to.map(parseAddress),
      from_: body.from_ === undefined ? undefined : parseAddress(body.from_),
      subject: body.subject,
      html: body.html,
      text: body.text,
      template_id: body.template_id,
      template_vars: body.template_vars,
      priority: body.priority,
      unsubscribe: body.unsubscribe,
    });
  } catch {
    return null;
  }
}

const fields = new Map<string, (value: unknown) => boolean>([
  [
    'to',
    (value) => Array.isArray(value) && value.length > 0 && value.length <= limits.addresses.max && value.every(isText),
  ],
  ['from_', isText],
  ['subject', (value) => isText(value) && value.length <= limits.subject.max && !hasControlCharacters(value)],
  ['html', (value) => isText(value) && fitsInBytes(value, limits.html.max)],
  ['text', (value) => isText(value) && fitsInBytes(value, limits.text.max)],
  ['template_id', (value) => isText(value) && value.length <= limits.idInBody.max],
  ['template_vars', isTemplateVars],
  ['priority', (value) => priorities.some((priority) => priority === value)],
  ['unsubscribe', isUnsubscribe],
]);

function isSimple(body: unknown): body is SimpleBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  for (const [name, value] of Object.entries(body)) if (!fields.get(name)?.(value)) return false;
  const has = (name: keyof SimpleBody) => Object.hasOwn(body, name);
  if (!has('to')) return false;
  if (has('template_id')) return !has('subject') && !has('html') && !has('text');
  return has('subject') && (has('html') || has('text')) && !has('template_vars');
}

/** Like joi by default, this does not accept an empty string. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
