import type {
  Template as TemplateJson,
  TemplatePreview,
  TemplateVersion,
  TemplateVersionSummary,
} from '@posthorn/contract';
import type { Preview, Template, VersionRecord, VersionSummary } from '@posthorn/domain/templates';

export function viewTemplate(template: Template): TemplateJson {
  return {
    object: 'template',
    id: template.id,
    name: template.name,
    subject: template.subject,
    html_body: template.htmlBody,
    text_body: template.textBody,
    variables: [...template.variables],
    version: template.version,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  };
}

/** The preview of a stored template. It does not list the variables, because the template itself does. */
export function viewPreview({ subject, html, text, missing }: Preview): TemplatePreview {
  return { subject, html, text, missing };
}

export function viewVersionSummary(version: VersionSummary): TemplateVersionSummary {
  return {
    object: 'template_version',
    template_id: version.templateId,
    version: version.version,
    subject: version.subject,
    variables: [...version.variables],
    created_at: version.createdAt.toISOString(),
  };
}

export function viewVersion(version: VersionRecord): TemplateVersion {
  return { ...viewVersionSummary(version), html_body: version.htmlBody, text_body: version.textBody };
}
