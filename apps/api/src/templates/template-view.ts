import type {
  CreateTemplateRequest,
  Template as TemplateJson,
  TemplatePreview,
  TemplateTexts,
  UpdateTemplateRequest,
} from '@posthorn/contract';
import type { Preview, Template, TemplateInput, TemplateSource } from '@posthorn/domain/templates';

type WithText = Omit<CreateTemplateRequest, 'text_body' | 'text_from_html'> & Pick<TemplateTexts, 'text_body'>;

export function toInput({ name, variables, ...source }: WithText): TemplateInput {
  return { name, ...toSource(source), ...(variables && { declared: variables }) };
}

export function toSource({ subject, html_body, text_body }: Omit<TemplateTexts, 'name'>): TemplateSource {
  return { subject, htmlBody: html_body, textBody: text_body };
}

/** Contains only the fields that are in the request. */
export function toChanges({
  html_body,
  text_body,
  variables,
  ...rest
}: Omit<UpdateTemplateRequest, 'text_from_html'>): Partial<TemplateInput> {
  return {
    ...rest,
    ...(html_body !== undefined && { htmlBody: html_body }),
    ...(text_body !== undefined && { textBody: text_body }),
    ...(variables !== undefined && { declared: variables }),
  };
}

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
