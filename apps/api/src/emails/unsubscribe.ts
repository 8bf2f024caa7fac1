import type { Recipients, RequestedContent } from '@posthorn/domain/accepting';
import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { UNSUBSCRIBE_VARIABLE } from '@posthorn/domain/links';
import Joi from 'joi';
import { isTopic, topicSchema } from '../validation/fields.js';

/** What the recipient of an email can unsubscribe from. */
export type Unsubscribe = { topic: string };

export const unsubscribe = Joi.object({ topic: topicSchema.required() });

/** The same rules as those of the schema. */
export function isUnsubscribe(value: unknown): value is Unsubscribe {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { topic, ...others } = value as Record<string, unknown>;
  return typeof topic === 'string' && isTopic(topic) && Object.keys(others).length === 0;
}

type UnsubscribableEmail = {
  readonly recipients: Recipients;
  readonly content: RequestedContent;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Checks that an email may have a topic. A link unsubscribes one recipient, so nobody else may get it (RFC 8058, 3.1).
 * @throws Refusal validation_failed
 */
export function assertUnsubscribable({ recipients, content, headers }: UnsubscribableEmail): void {
  const faults: FieldFault[] = [];
  const count = recipients.to.length + recipients.cc.length + recipients.bcc.length;
  if (count > 1) {
    const message = `requires exactly one recipient, because the link unsubscribes only one; this email has ${count}. Send each of them an email, for example with /api/v1/emails/batch`;
    faults.push({ field: 'unsubscribe', message });
  }
  if (content.kind === 'template' && Object.hasOwn(content.vars, UNSUBSCRIBE_VARIABLE)) {
    const message = 'is filled in by the service, because the email has unsubscribe. Remove one of the two';
    faults.push({ field: `template_vars.${UNSUBSCRIBE_VARIABLE}`, message });
  }
  for (const name of Object.keys(headers))
    if (/^list-unsubscribe(-post)?$/i.test(name))
      faults.push({ field: `headers.${name}`, message: 'is set by unsubscribe. Remove one of the two' });
  if (faults.length > 0) throw invalid(...faults);
}
