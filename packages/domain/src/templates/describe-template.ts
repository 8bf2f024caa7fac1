import type { AuditTarget } from '../audit-log/actions.js';
import { type AuditedFields, sizeOf } from '../audit-log/changes.js';
import { formatCountOf } from '../format-count.js';
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
