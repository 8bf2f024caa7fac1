import { hasControlCharacters, limits, parseAddress, type SendRequest, type TemplateVars } from '@posthorn/domain';
import { isTemplateVars } from '../templates/template-vars.js';
import { toSendRequest } from './request.js';

type PlainBody = {
  to: string[];
  from_?: string;
  subject?: string;
  html?: string;
  text?: string;
  template_id?: string;
  template_vars?: TemplateVars;
};

/**
 * Reads the most common sends without joi, which takes longer than all else the API does for them:
 * recipients in `to`, raw content or a template, no more. It refuses nothing and has no messages; what
 * is not plainly valid is left to `sendBody`, which knows the rules.
 * @param body as JSON.parse made it
 * @returns what `sendBody` would make of it, or null where that is not certain
 */
export function readPlainSend(body: unknown): SendRequest | null {
  if (!isPlain(body)) return null;
  try {
    return toSendRequest({
      to: body.to.map(parseAddress),
      from_: body.from_ === undefined ? undefined : parseAddress(body.from_),
      subject: body.subject,
      html: body.html,
      text: body.text,
      template_id: body.template_id,
      template_vars: body.template_vars,
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
  ['html', (value) => isText(value) && Buffer.byteLength(value) <= limits.html.max],
  ['text', (value) => isText(value) && Buffer.byteLength(value) <= limits.text.max],
  ['template_id', isText],
  ['template_vars', isTemplateVars],
]);

function isPlain(body: unknown): body is PlainBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  for (const [name, value] of Object.entries(body)) if (!fields.get(name)?.(value)) return false;
  const holds = (name: keyof PlainBody) => Object.hasOwn(body, name);
  if (!holds('to')) return false;
  return holds('template_id')
    ? !holds('subject') && !holds('html') && !holds('text')
    : holds('subject') && !holds('template_vars');
}

/** joi has no empty strings either, where it is not told to. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
