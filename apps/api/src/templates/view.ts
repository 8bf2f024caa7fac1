import type { Template as TemplateJson } from '@posthorn/contract';
import type { Template } from '@posthorn/domain';

export function viewTemplate(template: Template): TemplateJson {
  return {
    object: 'template',
    id: template.id,
    name: template.name,
    subject: template.subject,
    html_body: template.htmlBody,
    text_body: template.textBody,
    variables: template.variables,
    version: template.version,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  };
}
