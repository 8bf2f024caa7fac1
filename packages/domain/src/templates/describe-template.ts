import type { AuditTarget } from '@posthorn/contract';
import { type AuditedFields, sizeOf } from '@posthorn/domain/audit-log';
import { formatCountOf } from '@posthorn/platform/values';
import type { Template } from './template.js';
import { declaredVariables } from './template-variables.js';

/** What the audit log says about a template. It does not contain the bodies, which can have megabytes. */
export function describeTemplate({ name, subject, htmlBody, textBody, variables, version }: Template): AuditedFields {
  const declared = declaredVariables(variables);
  return {
    name,
    subject,
    html_body: sizeOf(htmlBody),
    text_body: sizeOf(textBody),
    variables: { value: JSON.stringify(declared), summary: formatCountOf(declared.length, 'declared variable') },
    version,
  };
}

export function templateTarget({ id, name }: Pick<Template, 'id' | 'name'>): AuditTarget {
  return { type: 'template', id, label: name };
}
