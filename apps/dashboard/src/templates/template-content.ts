import type { PreviewTextsRequest, TemplateTexts, TextsPreview } from '@posthorn/contract';
import { request } from '../api/request';
import { templatesPath } from './queries';
import { type Samples, toTemplateVars } from './samples';

/** The versioned fields of a template, without its name. */
export type TemplateContent = Pick<PreviewTextsRequest, 'subject' | 'html_body' | 'text_body'>;

export const emptyTemplate: TemplateTexts = { name: '', subject: '', html_body: '', text_body: '' };

export function pickContent({ subject, html_body, text_body }: TemplateContent): TemplateContent {
  return { subject, html_body, text_body };
}

export function pickFields({ name, ...rest }: TemplateTexts): TemplateTexts {
  return { name, ...pickContent(rest) };
}

export function isSameContent(a: TemplateContent, b: TemplateContent): boolean {
  return a.subject === b.subject && a.html_body === b.html_body && a.text_body === b.text_body;
}

export function hasSameFields(a: TemplateTexts, b: TemplateTexts): boolean {
  return a.name === b.name && isSameContent(a, b);
}

/**
 * Renders the content with sample values. Only the API knows which variables the content uses, so a second request adds
 * samples for new ones.
 * @param known the last known variables, which usually make the second request unnecessary
 * @throws ApiError with the position of an error
 */
export async function previewContent(
  content: TemplateContent,
  samples: Samples,
  known: readonly string[],
): Promise<TextsPreview> {
  const preview = (vars: Record<string, string>) =>
    request<TextsPreview>('POST', `${templatesPath}/preview`, { ...content, template_vars: vars });
  const first = await preview(toTemplateVars(samples, known));
  const vars = toTemplateVars(samples, first.variables);
  return first.missing.some((name) => Object.hasOwn(vars, name)) ? preview(vars) : first;
}
